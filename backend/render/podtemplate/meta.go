package podtemplate

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render/engine"
	"muster.dev/muster/backend/site"
)

// maxAnnotations is the most that all annotations of an object may hold, in bytes, names included
// (k8s.io/apimachinery/pkg/api/validation.TotalAnnotationSizeLimitB).
const maxAnnotations = 256 << 10

// Meta gives the labels and annotations of every object of a job, its name and workspace not yet set.
func Meta(in engine.Input) metav1.ObjectMeta {
	meta := metav1.ObjectMeta{
		Labels: map[string]string{
			engine.LabelJob:       in.Spec.Name,
			engine.LabelFramework: string(in.Spec.Framework),
			engine.LabelManagedBy: engine.ManagedBy,
		},
		Annotations: map[string]string{},
	}
	for name, value := range map[string]string{
		engine.AnnotationDisplay: in.Spec.DisplayName,
		engine.AnnotationUser:    in.User,
		engine.AnnotationCluster: in.Spec.Cluster,
		engine.AnnotationCard:    in.Spec.CardType,
	} {
		if value != "" {
			meta.Annotations[name] = value
		}
	}
	return meta
}

// RootMeta is Meta of the root object: with the job's name, workspace and the spec as it was submitted.
func RootMeta(in engine.Input) (metav1.ObjectMeta, []job.Problem) {
	meta := Named(in, in.Spec.Name)
	text, err := job.Encode(in.Typed)
	if err != nil {
		return meta, []job.Problem{{Code: job.CodeTextNotUTF8}} // the only thing that Encode refuses
	}
	meta.Annotations[engine.AnnotationSpec] = string(text)
	meta.Annotations[engine.AnnotationRoles] = engine.RolesText(engine.Roles(in.Spec))
	if in.Spec.Priority != "" {
		meta.Annotations[engine.AnnotationPriority] = string(in.Spec.Priority)
	}
	size := 0
	for name, value := range meta.Annotations {
		size += len(name) + len(value)
	}
	if size > maxAnnotations {
		return meta, []job.Problem{{Code: job.CodeSpecTooLarge, Args: map[string]string{
			"size": strconv.Itoa(size), "max": strconv.Itoa(maxAnnotations),
		}}}
	}
	return meta, nil
}

// Named is Meta with a name, in the job's workspace.
func Named(in engine.Input, name string) metav1.ObjectMeta {
	meta := Meta(in)
	meta.Name = name
	meta.Namespace = in.Spec.Workspace
	return meta
}

// Secret gives the Secret with the values of secretEnv, nil when there is none. Without values in the input it has
// the keys alone: what `muster render` prints. A value missing among those given is a problem: its pods would never start.
func Secret(in engine.Input) (*corev1.Secret, []job.Problem) {
	if len(in.Spec.SecretEnv) == 0 {
		return nil, nil
	}
	secret := &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: Named(in, engine.SecretName(in.Spec.Name)),
		Type:       corev1.SecretTypeOpaque,
		Data:       make(map[string][]byte, len(in.Spec.SecretEnv)),
	}
	var problems []job.Problem
	for i, name := range in.Spec.SecretEnv {
		value, given := in.Secret[name]
		if in.Secret != nil && !given {
			problems = append(problems, job.Problem{Path: "secretEnv[" + strconv.Itoa(i) + "]", Code: SecretValueMissing, Args: map[string]string{"name": name}})
		}
		secret.Data[name] = []byte(value)
	}
	return secret, problems
}

// PriorityOf is what the site maps the spec's priority to; the zero value when it says nothing of it.
func PriorityOf(in engine.Input) site.Priority {
	for _, p := range in.Site.Priorities {
		if p.Level == in.Spec.Priority {
			return p
		}
	}
	return site.Priority{}
}
