package kube

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/snapshot"
)

// large is a session whose view has jobs of five pods each, all settled.
func large(jobs int) (*session, *composer) {
	c := &Cluster{now: time.Now, moved: make(chan struct{}), scope: "research", scoped: true}
	s := newSession(c, &link{context: "x", namespace: "research", known: []string{"research"}})
	for _, k := range append(jobKinds[:], kindNodes, kindLocalQueues, kindClaims, kindNamespaces, kindClusterQueues) {
		s.feeds[feedKey{k, "research"}] = &feed{kind: k, view: s.view, state: feedSynced, synced: true}
	}
	s.know = knowledge{at: time.Now(), site: loadedSite{site: site.Default()}}
	for i := range jobs {
		name := fmt.Sprintf("job-%d", i)
		putAll(s.view, bigJob(name, i)...)
	}
	return s, newComposer(s, snapshot.Snapshot{})
}

func putAll(v *view, objects ...client.Object) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, o := range objects {
		switch o.(type) {
		case *jobset.JobSet:
			v.put(kindJobSets, o)
		case *batchv1.Job:
			v.put(kindJobs, o)
		case *corev1.Pod:
			v.put(kindPods, o)
		case *kueue.Workload:
			v.put(kindWorkloads, o)
		}
	}
}

func bigJob(name string, i int) []client.Object {
	created := metav1.NewTime(began.Add(time.Duration(i) * time.Second))
	five := int32(5)
	js := &jobset.JobSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "research", UID: types.UID("js-" + name), CreationTimestamp: created},
		Spec: jobset.JobSetSpec{ReplicatedJobs: []jobset.ReplicatedJob{{Name: "worker", Replicas: 1, Template: batchv1.JobTemplateSpec{
			Spec: batchv1.JobSpec{Parallelism: &five, Completions: &five},
		}}}},
	}
	controller := true
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Name: name + "-worker-0", Namespace: "research", UID: types.UID("job-" + name), CreationTimestamp: created,
		Labels:          map[string]string{jobset.JobSetNameKey: name, jobset.ReplicatedJobNameKey: "worker", jobset.JobIndexKey: "0"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "jobset.x-k8s.io/v1alpha2", Kind: "JobSet", Name: name, UID: js.UID, Controller: &controller}},
	}}
	objects := []client.Object{js, j}
	for n := range 5 {
		objects = append(objects, bigPod(name, n, corev1.PodRunning))
	}
	return objects
}

func bigPod(name string, n int, phase corev1.PodPhase) *corev1.Pod {
	controller := true
	status := corev1.ContainerStatus{Name: "main", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(began)}}}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("%s-worker-0-%d-abcde", name, n), Namespace: "research", UID: types.UID(fmt.Sprintf("pod-%s-%d", name, n)),
			CreationTimestamp: metav1.NewTime(began),
			Labels: map[string]string{jobset.JobSetNameKey: name, jobset.JobSetUIDKey: "js-" + name, jobset.ReplicatedJobNameKey: "worker",
				jobset.JobIndexKey: "0", labelJobName: name + "-worker-0"},
			Annotations:     map[string]string{batchv1.JobCompletionIndexAnnotation: fmt.Sprint(n)},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: name + "-worker-0", UID: types.UID("job-" + name), Controller: &controller}},
		},
		Spec: corev1.PodSpec{NodeName: "node", Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4")},
		}}}},
		Status: corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{status},
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}

func TestComposeDoesAgainOnlyWhatChanged(t *testing.T) {
	s, c := large(3)
	snap, changed, _ := c.compose()
	if !changed || len(snap.Jobs) != 3 || snap.Jobs[0].Name != "job-2" || snap.Jobs[0].Phase != job.Running {
		t.Fatalf("first: %v, %+v", changed, snap.Jobs)
	}
	first := snap.Jobs
	if _, changed, _ = c.compose(); changed {
		t.Error("changed although nothing did")
	}
	putAll(s.view, bigPod("job-1", 0, corev1.PodRunning))
	if _, changed, _ = c.compose(); changed {
		t.Error("the same pod again is a change")
	}
	putAll(s.view, bigPod("job-1", 0, corev1.PodPending))
	snap, changed, _ = c.compose()
	if !changed || snap.Jobs[1].Roles[0].Pods[0].Phase != "Pending" {
		t.Errorf("a changed pod: %v, %+v", changed, snap.Jobs[1])
	}
	if first[1].Roles[0].Pods[0].Phase != "Running" {
		t.Error("a snapshot that was handed out has changed")
	}
	s.view.mu.Lock()
	s.view.remove(kindJobSets, s.view.kinds[kindJobSets][types.NamespacedName{Namespace: "research", Name: "job-1"}])
	s.view.mu.Unlock()
	if snap, changed, _ = c.compose(); !changed || len(snap.Jobs) != 2 {
		t.Errorf("a deleted job: %v, %d jobs", changed, len(snap.Jobs))
	}
}

// TestWorkloadOfAJob: the workload of a batch Job belongs to the job that the Job names, whichever comes first.
func TestWorkloadOfAJob(t *testing.T) {
	child := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "j-master-0", Namespace: "research", UID: "child", Labels: map[string]string{"muster.dev/job": "j"}}}
	w := &kueue.Workload{ObjectMeta: metav1.ObjectMeta{Name: "w", Namespace: "research", OwnerReferences: []metav1.OwnerReference{{Kind: "Job", Name: "j-master-0", UID: "child"}}}}
	key := types.NamespacedName{Namespace: "research", Name: "j"}
	for name, order := range map[string][]client.Object{"workload first": {w, child}, "job first": {child, w}} {
		t.Run(name, func(t *testing.T) {
			v := newView()
			putAll(v, order...)
			if !v.dirty[key] || v.workloadOf(child) != w {
				t.Errorf("dirty %v", v.dirty)
			}
			v.dirty = map[types.NamespacedName]bool{}
			v.mu.Lock()
			v.remove(kindWorkloads, w)
			v.mu.Unlock()
			if !v.dirty[key] || v.workloadOf(child) != nil || len(v.workloads) != 0 {
				t.Errorf("after its end: dirty %v", v.dirty)
			}
		})
	}
}

// BenchmarkCompose is one snapshot of 10,000 jobs with 50,000 pods after 250 updates: what a second of 1,000 updates
// asks for four times.
func BenchmarkCompose(b *testing.B) {
	s, c := large(10_000)
	c.compose()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for range 250 {
			n++
			phase := corev1.PodRunning
			if n%2 == 0 {
				phase = corev1.PodPending
			}
			putAll(s.view, bigPod(fmt.Sprintf("job-%d", n*37%10_000), n%5, phase))
		}
		c.compose()
	}
	b.StopTimer()
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MiB-live")
	runtime.KeepAlive(s)
}
