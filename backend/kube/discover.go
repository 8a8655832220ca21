package kube

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/version"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/site"
)

// engineAPI is where an engine's root objects live.
type engineAPI struct {
	name, group, version, resource string
}

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

// user is who the server takes the user for; "" when it does not say (before Kubernetes 1.28).
func (l *link) user(ctx context.Context) (string, error) {
	ctx, cancel := unary(ctx)
	defer cancel()
	review := &authenticationv1.SelfSubjectReview{}
	if err := l.client.Create(ctx, review); err != nil {
		if apierrors.IsUnauthorized(err) || unreachable(err) {
			return "", l.explain(err, target{verb: "create", resource: "selfsubjectreviews.authentication.k8s.io"})
		}
		return "", nil
	}
	return review.Status.UserInfo.Username, nil
}

// allowed asks whether the user may do something. group and resource may name a subresource: pods/log.
func (l *link) allowed(ctx context.Context, verb, group, resource, workspace, name string) (bool, error) {
	ctx, cancel := unary(ctx)
	defer cancel()
	resource, sub, _ := strings.Cut(resource, "/")
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Group: group, Resource: resource, Subresource: sub, Namespace: workspace, Name: name,
		},
	}}
	if err := l.client.Create(ctx, review); err != nil {
		return false, l.explain(err, target{verb: "create", resource: "selfsubjectaccessreviews.authorization.k8s.io"})
	}
	return review.Status.Allowed, nil
}

// engines are those that are served and that the user may create in the workspace.
func (l *link) engines(ctx context.Context, groups served, workspace string) (names []string, denied []string, err error) {
	for _, e := range engines {
		if !groups.has(e.group, e.version) {
			continue
		}
		ok, err := l.allowed(ctx, "create", e.group, e.resource, workspace, "")
		if err != nil {
			return nil, nil, err
		}
		if ok {
			names = append(names, e.name)
		} else {
			denied = append(denied, deniedText("create", e.resource+"."+e.group, workspace))
		}
	}
	return names, denied, nil
}

// deniedText names a right as Facts.Denied does.
func deniedText(verb, resource, workspace string) string {
	if workspace == "" {
		return verb + " " + resource
	}
	return verb + " " + resource + " in namespace " + workspace
}

// workspace tells whether a namespace exists, as far as the user may know.
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

// loadedSite is a site and where it is from.
type loadedSite struct {
	site     site.Site
	source   string
	problems []job.Problem
}

// siteFile gives the site before discovery from nodes: the --site file, else the cluster's ConfigMap, else the
// embedded default. Only a lost connection is an error.
func (c *Cluster) siteFile(ctx context.Context, l *link) (loadedSite, error) {
	if c.own != nil {
		return loadedSite{site: *c.own, source: c.options.SiteFile}, nil
	}
	ctx, cancel := unary(ctx)
	defer cancel()
	var found corev1.ConfigMap
	key := types.NamespacedName{Namespace: site.ConfigMapNamespace, Name: site.ConfigMapName}
	err := l.client.Get(ctx, key, &found)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err):
		return loadedSite{site: site.Default()}, nil
	case err != nil:
		return loadedSite{}, l.explain(err, target{verb: "get", resource: "configmaps", workspace: key.Namespace, name: key.Name})
	}
	read, problems := readSite([]byte(found.Data[site.ConfigMapKey]))
	if len(problems) > 0 {
		// A mistake of the administrator must not stop everybody's work.
		broken := siteError(key.String(), problems)
		return loadedSite{site: site.Default(), problems: []job.Problem{broken.Problem()}}, nil
	}
	return loadedSite{site: *read, source: key.String()}, nil
}

// siteNow is the site with what the nodes tell, if the user may list them.
func (c *Cluster) siteNow(ctx context.Context, l *link) (loadedSite, error) {
	loaded, err := c.siteFile(ctx, l)
	if err != nil {
		return loaded, err
	}
	ctx, cancel := unary(ctx)
	defer cancel()
	var nodes corev1.NodeList
	err = l.client.List(ctx, &nodes)
	switch {
	case apierrors.IsForbidden(err):
		return loaded, nil
	case err != nil:
		return loaded, l.explain(err, target{verb: "list", resource: "nodes"})
	}
	loaded.site = site.Discover(loaded.site, nodes.Items)
	return loaded, nil
}
