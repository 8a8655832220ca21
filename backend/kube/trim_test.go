package kube

import (
	"fmt"
	"reflect"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/status"
)

// TestTrimmedPodsTellTheSame: of a job, where its pods belong and which container is the job's nothing is lost.
func TestTrimmedPodsTellTheSame(t *testing.T) {
	many := func(p *corev1.Pod) {
		for i := range 20 {
			p.Labels[fmt.Sprintf("other-%d", i)] = "x"
			p.Annotations[fmt.Sprintf("other-%d", i)] = "x"
		}
		p.Labels["jobset.sigs.k8s.io/restart-attempt"] = "1"
		p.Annotations["kubectl.kubernetes.io/default-container"] = "second"
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "second"})
		p.Spec.Containers[0].Name, p.Status.ContainerStatuses[0].Name = "first", "first"
		p.Status.ContainerStatuses[0].ContainerID = "containerd://x"
	}
	objects := bigJob("j", 0)
	js := objects[0].(*jobset.JobSet)
	js.Status.Restarts = 1
	objects[1].SetLabels(map[string]string{jobset.JobSetNameKey: "j", "jobset.sigs.k8s.io/restart-attempt": "1"})
	child := objects[1].(*batchv1.Job)
	var whole, trimmed []*corev1.Pod
	for _, o := range objects[2:] {
		many(o.(*corev1.Pod))
		whole = append(whole, o.(*corev1.Pod))
	}
	owner := true
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "s", Namespace: "research", UID: "s", Labels: map[string]string{render.LabelJob: "s"},
		Annotations: map[string]string{render.AnnotationRoles: "worker=1"}}}
	part := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "s-worker-0", Namespace: "research", UID: "part",
		Labels:          map[string]string{render.LabelJob: "s", render.LabelRole: "worker", render.LabelRoleIndex: "0"},
		OwnerReferences: []metav1.OwnerReference{{Kind: "Service", Name: "s", UID: "s", Controller: &owner}}}}
	ofService := bigPod("s", 0, corev1.PodRunning)
	ofService.Labels = map[string]string{render.LabelJob: "s", render.LabelRole: "worker", render.LabelRoleIndex: "0", labelJobName: "s-worker-0"}
	ofService.OwnerReferences[0].UID = types.UID("part")
	many(ofService)
	whole = append(whole, ofService)
	roots := []root{{kind: kindJobSets, object: js}, {kind: kindServices, object: service}, {kind: kindJobs, object: child}}
	for _, pod := range whole {
		cut := pod.DeepCopy()
		kindPods.trim(cut)
		trimmed = append(trimmed, cut)
		if len(cut.Labels) > 8 || len(cut.Annotations) > 8 {
			t.Errorf("%s has %d labels, %d annotations", cut.Name, len(cut.Labels), len(cut.Annotations))
		}
		was, ok := jobOf(kindPods, pod)
		if is, still := jobOf(kindPods, cut); is != was || still != ok || !ok {
			t.Errorf("%s belongs to %v, not %v", cut.Name, is, was)
		}
		if mainContainer(cut) != "second" || mainContainer(pod) != "second" {
			t.Errorf("%s: the main container is %s", cut.Name, mainContainer(cut))
		}
		for _, r := range roots {
			role, index := r.place(pod)
			if gotRole, gotIndex := r.place(cut); gotRole != role || gotIndex != index || r.owns(cut) != r.owns(pod) {
				t.Errorf("%s of a %s: %s-%d, not %s-%d", cut.Name, r.kind.resource, gotRole, gotIndex, role, index)
			}
		}
	}
	for name, of := range map[string]func([]*corev1.Pod) any{
		"JobSet":  func(p []*corev1.Pod) any { return status.FromJobSet(js, []*batchv1.Job{child}, p, nil) },
		"Service": func(p []*corev1.Pod) any { return status.FromJobs(service, []*batchv1.Job{part}, p, nil) },
		"Job":     func(p []*corev1.Pod) any { return status.ForeignJob(child, p, nil) },
	} {
		got, want := of(trimmed), of(whole)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if n := len(status.FromJobSet(js, []*batchv1.Job{child}, trimmed, nil).Roles[0].Pods); n != 5 {
		t.Errorf("%d pods of the JobSet", n)
	}
}
