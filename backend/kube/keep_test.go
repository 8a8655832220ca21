package kube

import (
	"testing"
	"time"

	"muster.dev/muster/backend/job"
)

func TestHowLongAStoppedJobRanIsKept(t *testing.T) {
	began := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	ended := began.Add(90 * time.Second)
	row := func(phase job.Phase, started, finished *time.Time, ran int64) job.Status {
		return job.Status{Phase: phase, Started: started, Finished: finished, RunSeconds: ran}
	}
	running := row(job.Running, &began, nil, 0)

	stopping := row(job.Stopping, nil, nil, 0) // its last pod has just gone
	keepRun(&stopping, &running)
	if stopping.Started != &began {
		t.Error("while it stops it is forgotten that it ran")
	}
	stopped := row(job.Stopped, nil, &ended, 0)
	keepRun(&stopped, &stopping)
	if stopped.RunSeconds != 90 {
		t.Errorf("it ran %d s, want 90", stopped.RunSeconds)
	}
	again := row(job.Stopped, nil, &ended, 0)
	keepRun(&again, &stopped)
	if again.RunSeconds != 90 {
		t.Errorf("after another look it ran %d s", again.RunSeconds)
	}
	counted := row(job.Stopped, nil, &ended, 105) // Kueue knows better
	keepRun(&counted, &stopping)
	if counted.RunSeconds != 105 {
		t.Errorf("what was counted became %d s", counted.RunSeconds)
	}
	resumed := row(job.Starting, nil, nil, 0)
	keepRun(&resumed, &stopped)
	if resumed.RunSeconds != 0 || resumed.Started != nil {
		t.Errorf("a job that was resumed ran %d s", resumed.RunSeconds)
	}
	never := row(job.Stopped, nil, &ended, 0)
	queued := row(job.Queued, nil, nil, 0)
	keepRun(&never, &queued)
	if never.RunSeconds != 0 {
		t.Errorf("a job that never ran ran %d s", never.RunSeconds)
	}
}
