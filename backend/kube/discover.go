package kube

import (
	"context"
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/version"

	"muster.dev/muster/backend/render"
)

// engineAPI is where an engine's root objects live.
type engineAPI struct {
	name, group, version, resource string
}

// qualified is the resource with its group, as rights and errors name it.
func (e engineAPI) qualified() string { return e.resource + "." + e.group }

// able tells whether muster can render for the engine.
func (e engineAPI) able() bool { return slices.Contains(render.Engines(), e.name) }

// engines stand in the order in which auto prefers them (DESIGN.md section 6).
var engines = [...]engineAPI{
	{render.JobSet, "jobset.x-k8s.io", "v1alpha2", "jobsets"},
	{render.Volcano, "batch.volcano.sh", "v1alpha1", "jobs"},
	{render.Trainer, "trainer.kubeflow.org", "v1alpha1", "trainjobs"},
	{render.Kubeflow, "kubeflow.org", "v1", "pytorchjobs"},
	{render.BatchJob, "batch", "v1", "jobs"},
}

const (
	kueueGroup      = "kueue.x-k8s.io"
	kueueVersion    = "v1beta2"
	visibilityGroup = "visibility.kueue.x-k8s.io"
)

// served are the API groups of a server, each with its versions.
type served map[string][]string

func (s served) has(group, version string) bool { return slices.Contains(s[group], version) }

// served asks which API groups there are: one small answer, unlike the whole discovery.
func (l *link) served(ctx context.Context) (served, error) {
	ctx, cancel := unary(ctx)
	defer cancel()
	raw, err := l.core.Get().AbsPath("/apis").SetHeader("Accept", "application/json").Do(ctx).Raw()
	if err != nil {
		return nil, l.explain(err, target{verb: "get", resource: "/apis"})
	}
	var list metav1.APIGroupList
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, newError(CodeCluster, err, "resource", "/apis", "message", plain(err))
	}
	s := served{}
	for _, group := range list.Groups {
		for _, v := range group.Versions {
			s[group.Name] = append(s[group.Name], v.Version)
		}
	}
	return s, nil
}

// version is the server's, e.g. v1.36.3.
func (l *link) version(ctx context.Context) (string, error) {
	ctx, cancel := unary(ctx)
	defer cancel()
	raw, err := l.core.Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return "", l.explain(err, target{verb: "get", resource: "/version"})
	}
	var info version.Info
	if err := json.Unmarshal(raw, &info); err != nil {
		return "", newError(CodeCluster, err, "resource", "/version", "message", plain(err))
	}
	return info.GitVersion, nil
}

// engines are those that are served, that the user may create in the workspace, as far as that is known, and that muster
// can render.
func (l *link) engines(ctx context.Context, groups served, workspace string) (names []string, refused []string, err error) {
	for _, e := range engines {
		if !groups.has(e.group, e.version) || !e.able() {
			continue
		}
		may, err := l.allowed(ctx, "create", e.group, e.resource, workspace, "")
		if err != nil {
			return nil, nil, err
		}
		if may == denied {
			refused = append(refused, deniedText("create", e.qualified(), workspace))
		} else {
			names = append(names, e.name)
		}
	}
	return names, refused, nil
}

// workspaceMissing tells whether a namespace exists, as far as the user may know.
func (l *link) workspaceMissing(ctx context.Context, name string) (bool, error) {
	ctx, cancel := unary(ctx)
	defer cancel()
	err := l.client.Get(ctx, types.NamespacedName{Name: name}, &corev1.Namespace{})
	switch {
	case apierrors.IsNotFound(err):
		return true, nil
	case apierrors.IsForbidden(err), err == nil:
		return false, nil
	}
	return false, l.explain(err, target{verb: "get", resource: "namespaces", name: name})
}
