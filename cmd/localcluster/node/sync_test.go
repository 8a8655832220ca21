package node

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"muster.dev/muster/cmd/localcluster/forcedelete/ordinary"
)

// syncer is a syncer whose watch is a store that the test fills.
func (b *bench) syncer() (*syncer, kubernetes.Interface, cache.Store) {
	client := b.objects.(*objects).client
	informer := informers.NewSharedInformerFactory(client, 0).Core().V1().Pods()
	return newSyncer(b.kubelet, client, informer.Lister(), map[string]bool{"n": true}), client, informer.Informer().GetStore()
}

func bound(name string, status corev1.PodStatus) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID("uid-" + name)}, Status: status,
		Spec: corev1.PodSpec{NodeName: "n", RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "c", Image: "i", Command: []string{"true"}}}}}
}

func TestPodsOfAnEarlierDaemon(t *testing.T) {
	now := metav1.Now().Rfc3339Copy() // as the API has times
	ran := bound("ran", corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &now, PodIP: "10.244.0.7",
		ContainerStatuses: []corev1.ContainerStatus{{Name: "c", Ready: true, RestartCount: 2, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}}}})
	done := bound("done", corev1.PodStatus{Phase: corev1.PodSucceeded, StartTime: &now})
	deleted := bound("deleted", corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &now})
	deleted.DeletionTimestamp, deleted.DeletionGracePeriodSeconds = &now, new(int64(30))
	elsewhere := bound("elsewhere", corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &now})
	elsewhere.Spec.NodeName = "other"
	fresh := bound("fresh", corev1.PodStatus{Phase: corev1.PodPending})
	b := newBench(t, ran, done, deleted, elsewhere, fresh)
	s, client, store := b.syncer()
	for _, p := range []*corev1.Pod{ran, done, deleted, elsewhere, fresh} {
		if err := store.Add(p); err != nil {
			t.Fatal(err)
		}
		if err := s.syncPod(t.Context(), cache.MetaObjectToName(p)); err != nil {
			t.Fatal(err)
		}
	}
	get := func(name string) *corev1.Pod {
		p, err := client.CoreV1().Pods("ns").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	got := get("ran").Status
	if end := terminatedIn(got, 0); got.Phase != corev1.PodFailed || got.Reason != "NodeRestarted" || end.ExitCode != 137 || !end.StartedAt.Equal(&now) || got.PodIP != "10.244.0.7" ||
		condition(got, corev1.DisruptionTarget).Status != corev1.ConditionTrue || got.ContainerStatuses[0].RestartCount != 2 {
		t.Errorf("%+v", got)
	}
	if got := get("done").Status; got.Phase != corev1.PodSucceeded || got.Reason != "" {
		t.Errorf("%+v", got)
	}
	if got := get("elsewhere").Status; got.Phase != corev1.PodRunning {
		t.Errorf("%+v", got)
	}
	if _, err := client.CoreV1().Pods("ns").Get(t.Context(), "deleted", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a pod that was to end is there: %v", err)
	}
	p := b.byUID("uid-fresh")
	if p == nil {
		t.Fatal("a pod that had not started does not start")
	}
	b.end(p)
	if err := s.tell(t.Context(), p.uid); err != nil {
		t.Fatal(err)
	}
	if got := get("fresh").Status; got.Phase != corev1.PodSucceeded || got.ContainerStatuses[0].State.Terminated == nil {
		t.Errorf("%+v", got)
	}
	if len(b.all()) != 1 {
		t.Errorf("%d pods run", len(b.all()))
	}
}

// TestStatusLeavesOthers: what other controllers wrote into a status stays.
func TestStatusLeavesOthers(t *testing.T) {
	spec := bound("p", corev1.PodStatus{Phase: corev1.PodPending, QOSClass: corev1.PodQOSBestEffort, Conditions: []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, {Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "Other"}}})
	b := newBench(t, spec)
	s, client, store := b.syncer()
	if err := store.Add(spec); err != nil {
		t.Fatal(err)
	}
	if err := s.syncPod(t.Context(), cache.MetaObjectToName(spec)); err != nil {
		t.Fatal(err)
	}
	p := b.byUID(spec.UID)
	b.end(p)
	if err := s.tell(t.Context(), p.uid); err != nil {
		t.Fatal(err)
	}
	live, err := client.CoreV1().Pods("ns").Get(t.Context(), "p", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if live.Status.QOSClass != corev1.PodQOSBestEffort || condition(live.Status, corev1.DisruptionTarget).Reason != "Other" || condition(live.Status, corev1.PodScheduled).Status != corev1.ConditionTrue {
		t.Errorf("%+v", live.Status)
	}
	// The pod is taken away, and one of the same name comes.
	next := spec.DeepCopy()
	next.UID = "uid-next"
	if err := store.Update(next); err != nil {
		t.Fatal(err)
	}
	if err := s.syncPod(t.Context(), cache.MetaObjectToName(next)); err != nil {
		t.Fatal(err)
	}
	if b.byUID("uid-next") == nil {
		t.Error("the next of its name does not run")
	}
}

func TestSweep(t *testing.T) {
	b := newBench(t)
	s, _, _ := b.syncer()
	b.dir = ordinary.Dir(t)
	if err := errors.Join(os.Mkdir(b.podsDir(), 0o777), os.Chmod(b.podsDir(), 0o777)); err != nil {
		t.Fatal(err)
	}
	// One that is not the user's own cannot go; that keeps the others from nothing.
	if err := os.MkdirAll(filepath.Join(b.podDir("uid-a-stranger"), "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := ordinary.Do(func() error {
		for _, uid := range []types.UID{"uid-kept", "uid-gone"} {
			if err := os.MkdirAll(filepath.Join(b.podDir(uid), "volumes", "v", "cache", "sub"), 0o755); err != nil {
				return err
			}
		}
		// As a pod leaves it that makes its cache read-only.
		if err := os.Chmod(filepath.Join(b.podDir("uid-gone"), "volumes", "v", "cache"), 0o555); err != nil {
			return err
		}
		s.sweep([]*corev1.Pod{bound("kept", corev1.PodStatus{})})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(b.podDir("uid-a-stranger")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(b.podsDir())
	if err != nil || len(entries) != 1 || entries[0].Name() != "uid-kept" {
		t.Errorf("%v %v", err, entries)
	}
}
