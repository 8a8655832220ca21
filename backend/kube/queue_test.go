package kube_test

import (
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/backend/kube/kubetest"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/submit"
)

// TestQueueTooSmall: the second job waits with its position, and starts when the first ends.
func TestQueueTooSmall(t *testing.T) {
	c := as(t, kubetest.Alice)
	w := watch(t, c)
	_, from := w.live()
	quota := cards(t, "research")
	workers := quota/8 - 1
	if workers < 0 {
		t.Fatalf("the queue has %d cards", quota)
	}
	run(t, c, submit.Request{Spec: queued(spec("queue-first", "sleep 20", workers, 8), "research")})
	w.phase("queue-first", from, job.Starting, job.Running, job.Succeeded)
	run(t, c, submit.Request{Spec: queued(spec("queue-second", "echo ran", 0, 8), "research")})
	// The queue orders by the second of creation.
	_, from = w.until("the second waits, for a second", from, func(s snapshot.Snapshot) bool {
		second, _ := jobNamed(s, "queue-second")
		return second.QueuePosition != nil && *second.QueuePosition == 1 && s.Conn.Fresh.Unix() > second.Created.Unix()
	})
	run(t, c, submit.Request{Spec: queued(spec("queue-third", "echo ran", 0, 8), "research")})
	snap, at := w.until("both wait with their places", from, func(s snapshot.Snapshot) bool {
		second, _ := jobNamed(s, "queue-second")
		third, _ := jobNamed(s, "queue-third")
		return second.QueuePosition != nil && *second.QueuePosition == 1 && third.QueuePosition != nil && *third.QueuePosition == 2
	})
	second, _ := jobNamed(snap, "queue-second")
	if second.Phase != job.Queued || second.Queue != "research" || second.Reason == "" {
		t.Errorf("second: %+v", second)
	}
	if len(snap.Queues) != 1 || !snap.Queues[0].OrderKnown || len(snap.Queues[0].Waiting) != 2 {
		t.Errorf("queues: %+v", snap.Queues)
	}
	w.phase("queue-first", at, job.Succeeded)
	done, at := w.phase("queue-second", at, job.Succeeded)
	if done.QueuePosition != nil {
		t.Errorf("a job that ended has position %d", *done.QueuePosition)
	}
	w.phase("queue-third", at, job.Succeeded)
}

// cards is a ClusterQueue's quota of cards, as a user sees it who may read it.
func cards(t *testing.T, queue string) int {
	t.Helper()
	admin := as(t, kubetest.Admin, func(o *kube.Options) { o.Workspace = queue })
	snap, err := admin.Snapshot(within(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range snap.Queues {
		for _, u := range q.Usage {
			if u.Resource == "nvidia.com/gpu" && u.Nominal != nil {
				n := 0
				for _, digit := range *u.Nominal {
					n = 10*n + int(digit-'0')
				}
				return n
			}
		}
	}
	t.Fatalf("no quota of cards: %+v", snap.Queues)
	return 0
}

func TestStopResumeDelete(t *testing.T) {
	for _, c := range []struct {
		name   string
		engine string
		queue  bool
	}{
		{"verbs-jobset", render.JobSet, false},
		{"verbs-job", render.BatchJob, false},
		{"verbs-jobset-queued", render.JobSet, true},
		{"verbs-job-queued", render.BatchJob, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			alice := as(t, kubetest.Alice)
			w := watch(t, alice)
			_, from := w.live()
			workers := 1
			if c.engine == render.BatchJob && c.queue {
				workers = 0 // one Job cannot wait for another
			}
			s := spec(c.name, "sleep 600", workers, 1)
			s.GracePeriodSeconds = 1
			if c.queue {
				s = queued(s, "research")
			}
			run(t, alice, submit.Request{Spec: s, Engine: c.engine})
			_, from = w.phase(c.name, from, job.Running)
			if err := alice.Do(within(t), snapshot.Stop, "research", c.name, ""); err != nil {
				t.Fatal(err)
			}
			_, from = w.phase(c.name, from, job.Stopped)
			if err := alice.Do(within(t), snapshot.Resume, "research", c.name, ""); err != nil {
				t.Fatal(err)
			}
			_, from = w.phase(c.name, from, job.Running)
			if err := alice.Do(within(t), snapshot.Delete, "research", c.name, ""); err != nil {
				t.Fatal(err)
			}
			w.until("the job is gone", from, func(s snapshot.Snapshot) bool {
				_, there := jobNamed(s, c.name)
				return !there
			})
			err := alice.Do(within(t), snapshot.Stop, "research", c.name, "")
			if code(err) != kube.CodeJobNotFound {
				t.Errorf("stop of a deleted job: %v", err)
			}
		})
	}
}
