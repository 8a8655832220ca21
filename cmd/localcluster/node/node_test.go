package node

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"muster.dev/muster/cmd/localcluster/node/podlog"
	"muster.dev/muster/cmd/localcluster/node/sandbox"
)

func TestMain(m *testing.M) {
	if ReexecMain() {
		return
	}
	os.Setenv("GORACE", "halt_on_error=1") // a race in the holder must not go unseen
	os.Exit(m.Run())
}

// bench is a kubelet without an API server: pods are given to it and taken from it by hand.
type bench struct {
	*kubelet
	t        *testing.T
	mu       sync.Mutex
	services []*corev1.Service
	events   []string
	count    int
}

func newBench(t *testing.T, known ...runtime.Object) *bench {
	t.Helper()
	host, err := sandbox.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t}
	m := &machine{host: host, objects: &objects{client: fake.NewClientset(known...)}, dir: t.TempDir(), path: containerPath(os.Getenv("PATH")),
		delays: delays{restart: 50 * time.Millisecond, restartMax: 200 * time.Millisecond, restartReset: time.Minute, retry: 20 * time.Millisecond, retryMax: 50 * time.Millisecond},
		names: newNames(func(string) []*corev1.Service {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.services
		}),
		event: func(pod *corev1.Pod, kind, reason, message string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.events = append(b.events, fmt.Sprintf("%s %s %s: %s", kind, pod.Name, reason, message))
		},
		allocatable: func(string) corev1.ResourceList { return nil }}
	b.kubelet = newKubelet(m, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { m.names.run(ctx) })
	t.Cleanup(func() {
		b.close()
		cancel()
		running.Wait()
	})
	return b
}

// pod makes a pod of one container that runs a shell script; change makes it another.
func (b *bench) pod(name, script string, change ...func(*corev1.Pod)) *pod {
	b.t.Helper()
	b.count++
	grace := int64(5)
	spec := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID(fmt.Sprintf("uid-%d", b.count))}, Spec: corev1.PodSpec{
		NodeName: "n", RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: &grace,
		Containers: []corev1.Container{{Name: "c", Image: "registry.local/ai/pytorch:1", Command: []string{"sh", "-c"}, Args: []string{script}}}}}
	for _, f := range change {
		f(spec)
	}
	return b.create(spec)
}

// end waits for the pod's end and returns its status.
func (b *bench) end(p *pod) corev1.PodStatus {
	b.t.Helper()
	select {
	case <-p.done:
	case <-time.After(30 * time.Second):
		b.t.Fatalf("pod %s did not end: %+v", p.current().Name, p.statusOver(corev1.PodStatus{}))
	}
	return p.statusOver(corev1.PodStatus{})
}

// until waits for a state of the pod.
func (b *bench) until(p *pod, what string, is func(corev1.PodStatus) bool) corev1.PodStatus {
	b.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if s := p.statusOver(corev1.PodStatus{}); is(s) {
			return s
		}
	}
	b.t.Fatalf("pod %s is not %s: %+v", p.current().Name, what, p.statusOver(corev1.PodStatus{}))
	return corev1.PodStatus{}
}

func (b *bench) untilRunning(p *pod) {
	b.t.Helper()
	b.until(p, "running", func(s corev1.PodStatus) bool {
		return s.Phase == corev1.PodRunning && s.ContainerStatuses[0].State.Running != nil
	})
}

// untilLogged waits until a container has written something.
func (b *bench) untilLogged(p *pod, text string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 20*time.Second)
	defer cancel()
	b.untilRunning(p)
	log, err := b.logFile(p.current(), "c", false)
	if err != nil {
		b.t.Fatal(err)
	}
	seen := &watcher{text: text, found: cancel}
	_ = log.Copy(ctx, seen, podlog.Options{Follow: true}, nil)
	if !strings.Contains(seen.got.String(), text) {
		b.t.Fatalf("%q was not logged, but %q", text, seen.got.String())
	}
}

type watcher struct {
	text  string
	got   bytes.Buffer
	found func()
}

func (w *watcher) Write(p []byte) (int, error) {
	w.got.Write(p)
	if strings.Contains(w.got.String(), w.text) {
		w.found()
	}
	return len(p), nil
}

// logged is the log of a container.
func (b *bench) logged(p *pod, container string, previous bool) string {
	b.t.Helper()
	log, err := b.logFile(p.current(), container, previous)
	if err != nil {
		b.t.Fatal(err)
	}
	var out bytes.Buffer
	if err := log.Copy(b.t.Context(), &out, podlog.Options{}, nil); err != nil {
		b.t.Fatal(err)
	}
	return out.String()
}

func (b *bench) happened(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Contains(strings.Join(b.events, "\n"), text)
}

func terminatedIn(s corev1.PodStatus, i int) corev1.ContainerStateTerminated {
	if t := s.ContainerStatuses[i].State.Terminated; t != nil {
		return *t
	}
	return corev1.ContainerStateTerminated{ExitCode: -1, Reason: "not terminated"}
}

func condition(s corev1.PodStatus, kind corev1.PodConditionType) corev1.PodCondition {
	for _, c := range s.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return corev1.PodCondition{}
}

// processes that have a word in their command line.
func processes(t *testing.T, word string) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), word) {
			n++
		}
	}
	return n
}
