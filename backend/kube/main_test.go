package kube_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/backend/kube/kubetest"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/submit"
)

var shared kubetest.Shared

func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }

// patience bounds every wait for the cluster: these are not timed tests, and the machine may be busy.
const patience = 3 * time.Minute

// as connects as a user of the local cluster.
func as(t *testing.T, user string, change ...func(*kube.Options)) *kube.Cluster {
	t.Helper()
	options := kube.Options{Kubeconfig: shared.Get(t).Kubeconfig(user)}
	for _, c := range change {
		c(&options)
	}
	c, err := kube.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// spec is a job of one master and some workers that runs a script in bash.
func spec(name, script string, workers, cards int) job.Spec {
	s := job.Default()
	s.Name, s.Workspace = name, "research"
	s.Image = "registry.local/ai/pytorch:25.06-py3"
	s.Args.SetText(script)
	s.Roles = []job.Role{{Name: "master", Replicas: 1, GPUs: cards}}
	if workers > 0 {
		s.Roles = append(s.Roles, job.Role{Name: "worker", Replicas: workers, GPUs: cards})
	}
	return s
}

func queued(s job.Spec, queue string) job.Spec {
	s.Submission = job.Submission{Mode: job.Queue, Queue: queue, Total: 1, Concurrency: 1}
	return s
}

// run submits a job that the test's end deletes.
func run(t *testing.T, c *kube.Cluster, request submit.Request) submit.Result {
	t.Helper()
	result, err := c.Submit(within(t), request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		err := c.Do(ctx, snapshot.Delete, result.Workspace, result.Name, "")
		var e *kube.Error
		if err != nil && !(errors.As(err, &e) && e.Code == kube.CodeJobNotFound) {
			t.Errorf("delete: %v", err)
		}
	})
	return result
}

// watching is a running Watch that remembers what it saw.
type watching struct {
	t    *testing.T
	mu   sync.Mutex
	cond sync.Cond
	seen []snapshot.Snapshot
	end  bool
}

func watch(t *testing.T, c *kube.Cluster) *watching {
	t.Helper()
	w := &watching{t: t}
	w.cond.L = &w.mu
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- c.Watch(ctx, func(s snapshot.Snapshot) {
			w.mu.Lock()
			w.seen = append(w.seen, s)
			w.mu.Unlock()
			w.cond.Broadcast()
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Watch: %v", err)
		}
	})
	return w
}

// until waits for a snapshot, from the given one on, and gives it and its number.
func (w *watching) until(what string, from int, ok func(snapshot.Snapshot) bool) (snapshot.Snapshot, int) {
	w.t.Helper()
	stop := time.AfterFunc(patience, func() {
		w.mu.Lock()
		w.end = true
		w.mu.Unlock()
		w.cond.Broadcast()
	})
	defer stop.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := from; ; i++ {
		for i >= len(w.seen) && !w.end {
			w.cond.Wait()
		}
		if i >= len(w.seen) {
			last := snapshot.Snapshot{}
			if len(w.seen) > 0 {
				last = w.seen[len(w.seen)-1]
			}
			w.t.Fatalf("never came: %s\nlast: %s\ncourse: %s", what, show(last), w.course())
		}
		if ok(w.seen[i]) {
			return w.seen[i], i
		}
	}
}

// course is how connection and jobs went. w.mu is held.
func (w *watching) course() string {
	var b strings.Builder
	before := ""
	for _, s := range w.seen {
		now := string(s.Conn.State)
		for _, j := range s.Jobs {
			now += fmt.Sprintf(" %s:%s", j.Name, j.Phase)
			if j.QueuePosition != nil {
				now += fmt.Sprintf("#%d", *j.QueuePosition)
			}
		}
		for _, q := range s.Queues {
			now += fmt.Sprintf(" queue %s: %d wait, order known %v", q.Name, len(q.Waiting), q.OrderKnown)
		}
		if now != before {
			fmt.Fprintf(&b, "\n%s %s", s.Conn.Fresh.Format("05.000"), now)
		}
		before = now
	}
	return b.String()
}

func (w *watching) live() (snapshot.Snapshot, int) {
	w.t.Helper()
	return w.until("Live", 0, func(s snapshot.Snapshot) bool { return s.Conn.State == snapshot.Live })
}

// phase waits until the job has the phase.
func (w *watching) phase(name string, from int, phases ...job.Phase) (job.Status, int) {
	w.t.Helper()
	var found job.Status
	_, at := w.until(fmt.Sprintf("%s %v", name, phases), from, func(s snapshot.Snapshot) bool {
		j, ok := jobNamed(s, name)
		if !ok {
			return false
		}
		for _, p := range phases {
			if j.Phase == p {
				found = j
				return true
			}
		}
		return false
	})
	return found, at
}

func jobNamed(s snapshot.Snapshot, name string) (job.Status, bool) {
	for _, j := range s.Jobs {
		if j.Name == name {
			return j, true
		}
	}
	return job.Status{}, false
}

func show(s snapshot.Snapshot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s since %s fresh %s error %q\nfacts %+v\n", s.Conn.State, s.Conn.Since, s.Conn.Fresh, s.Conn.Error, s.Facts)
	for _, j := range s.Jobs {
		fmt.Fprintf(&b, "job %s/%s %s %s %q restarts %d", j.Workspace, j.Name, j.Phase, j.Reason, j.Message, j.Restarts)
		for _, r := range j.Roles {
			fmt.Fprintf(&b, " %s %d/%d", r.Name, r.Ready, r.Replicas)
			for _, p := range r.Pods {
				fmt.Fprintf(&b, " [%s %s %s %q]", p.Name, p.Phase, p.Reason, p.Message)
			}
		}
		b.WriteString("\n")
	}
	for _, q := range s.Queues {
		fmt.Fprintf(&b, "queue %+v\n", q)
	}
	return b.String()
}

// refusal gives the problems of a submission that must be refused.
func refusal(t *testing.T, err error) []job.Problem {
	t.Helper()
	var refused *submit.Refused
	if !errors.As(err, &refused) {
		t.Fatalf("%v (%T), want a refusal", err, err)
	}
	return refused.Problems
}

func has(problems []job.Problem, path, code string) bool {
	for _, p := range problems {
		if p.Path == path && p.Code == code {
			return true
		}
	}
	return false
}
