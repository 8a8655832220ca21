// Package podtemplate builds the pod template that all engines share: the user's command, untouched, and what
// DESIGN.md section 5 gives every container. Pure.
package podtemplate

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render/engine"
	"muster.dev/muster/backend/site"
)

// Builder makes the pod templates of one job.
type Builder struct {
	in      engine.Input
	place   site.Placement
	volumes []corev1.Volume
	mounts  []corev1.VolumeMount
}

// New prepares what all roles of a job share. Problems is empty when the builder can be used.
func New(in engine.Input) (*Builder, []job.Problem) {
	b := &Builder{in: in, place: in.Site.Placement(in.Spec)}
	var problems []job.Problem
	b.volumes, b.mounts, problems = storage(in.Site, in.Spec)
	return b, problems
}

// Template gives the pod template of one role. Problems is empty when it can be used.
func (b *Builder) Template(role engine.Role, peers Peers) (corev1.PodTemplateSpec, []job.Problem) {
	in, place := b.in, b.place
	needs, problems := resources(in.Spec, place, role)
	container := corev1.Container{
		Name:         engine.Container,
		Image:        in.Spec.Image,
		Env:          environment(in, place, role, peers),
		Resources:    needs,
		VolumeMounts: slices.Clone(b.mounts),
		// With restartPolicy Never there is no previous log; the last lines stay in the status when nothing else was
		// written to the termination log.
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
	command, args := in.Spec.Argv()
	container.Command, container.Args = literals(command), literals(args)
	if place.RDMAPerPod(role.GPUs) > 0 {
		// RDMA registers memory, which a container may not lock without this.
		container.SecurityContext = &corev1.SecurityContext{Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"IPC_LOCK"}}}
	}

	selector := maps.Clone(place.NodeSelector)
	if role.GPUs > 0 {
		maps.Copy(selector, place.CardSelector)
	}
	grace := int64(in.Spec.GracePeriodSeconds)
	no := false
	pod := corev1.PodSpec{
		Containers:                    []corev1.Container{container},
		Volumes:                       slices.Clone(b.volumes),
		RestartPolicy:                 corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: &grace,
		NodeSelector:                  selector,
		Tolerations:                   slices.Clone(place.Tolerations),
		PriorityClassName:             PriorityOf(in).PriorityClass,
		// A workspace full of Services would otherwise put hundreds of variables of theirs into the training process.
		EnableServiceLinks: &no,
		// Training needs no API server; a token in the container is a credential that any code in the image could take.
		AutomountServiceAccountToken: &no,
	}
	if in.Spec.ImagePullSecret != "" {
		pod.ImagePullSecrets = []corev1.LocalObjectReference{{Name: in.Spec.ImagePullSecret}}
	}
	meta := Meta(in)
	meta.Labels[engine.LabelRole] = role.Name
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: meta.Labels, Annotations: meta.Annotations},
		Spec:       pod,
	}, problems
}
