package kube_test

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"muster.dev/muster/backend/kube"
	"muster.dev/muster/backend/kube/kubetest"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/submit"
)

// What was asked about one job is not done to another that has its name by now, nor to one of another kind that
// shares it.
func TestVerbsHitTheJobThatWasMeant(t *testing.T) {
	const name = "meant"
	alice := as(t, kubetest.Alice)
	ctx := within(t)
	key := client.ObjectKey{Namespace: "research", Name: name}
	request := submit.Request{Spec: spec(name, "sleep 600", 0, 0), Engine: render.JobSet}
	request.Spec.GracePeriodSeconds = 1

	run(t, alice, request)
	var first, second jobset.JobSet
	if err := alice.Client().Get(ctx, key, &first); err != nil {
		t.Fatal(err)
	}
	if err := alice.Do(ctx, snapshot.Delete, "research", name, string(first.UID)); err != nil {
		t.Fatal(err)
	}
	for !apierrors.IsNotFound(alice.Client().Get(ctx, key, &second)) {
		select {
		case <-ctx.Done():
			t.Fatal("the first job stays")
		case <-time.After(100 * time.Millisecond):
		}
	}
	run(t, alice, request)
	for _, verb := range []snapshot.Verb{snapshot.Stop, snapshot.Resume, snapshot.Delete} {
		if err := alice.Do(ctx, verb, "research", name, string(first.UID)); code(err) != kube.CodeReplaced {
			t.Errorf("%s of the first job: %v", verb, err)
		}
	}
	second = jobset.JobSet{}
	if err := alice.Client().Get(ctx, key, &second); err != nil || second.DeletionTimestamp != nil || second.Spec.Suspend != nil && *second.Spec.Suspend {
		t.Fatalf("the second job was hit: %v, %+v", err, second.Spec.Suspend)
	}

	other := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: name},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "main", Image: "registry.local/ai/pytorch:25.06-py3", Command: []string{"sleep", "600"}}},
		}}},
	}
	if err := alice.Client().Create(ctx, other); err != nil {
		t.Fatal(err)
	}
	if err := alice.Do(ctx, snapshot.Delete, "research", name, string(other.UID)); err != nil {
		t.Errorf("delete of the Job that shares the name: %v", err)
	}
	if err := alice.Client().Get(ctx, key, &second); err != nil || second.DeletionTimestamp != nil {
		t.Errorf("the JobSet was deleted in its place: %v", err)
	}
}
