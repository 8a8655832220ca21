package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
)

// script is a watch that shows one view after another, and then waits for its end.
type script []snapshot.Snapshot

func (s script) Watch(ctx context.Context, emit func(snapshot.Snapshot)) error {
	for _, view := range s {
		if ctx.Err() != nil {
			return nil
		}
		emit(view)
	}
	<-ctx.Done()
	return nil
}

// seen is a live view of workspace w with one job x in a phase; "" is a view without it.
func seen(phase job.Phase) snapshot.Snapshot {
	view := snapshot.Snapshot{Facts: snapshot.Facts{Workspace: "w"}, Conn: snapshot.Connection{State: snapshot.Live}}
	if phase != "" {
		view.Jobs = []job.Status{{Name: "x", Workspace: "w", Phase: phase}}
	}
	return view
}

// of is seen, with the job's UID.
func of(uid string, phase job.Phase) snapshot.Snapshot {
	view := seen(phase)
	view.Jobs[0].UID = uid
	return view
}

func lost() snapshot.Snapshot {
	return snapshot.Snapshot{Conn: snapshot.Connection{State: snapshot.Stale, Error: "refused", Problem: &job.Problem{Code: "Unreachable"}}}
}

func TestWaiting(t *testing.T) {
	for name, c := range map[string]struct {
		views script
		goal  job.Phase
		fails bool
	}{
		"succeeds":                        {script{seen(job.Queued), seen(job.Running), seen(job.Succeeded)}, job.Succeeded, false},
		"fails":                           {script{seen(job.Running), seen(job.Failed)}, job.Succeeded, true},
		"fails as it was waited for":      {script{seen(job.Running), seen(job.Failed)}, job.Failed, false},
		"runs":                            {script{seen(job.Starting), seen(job.Running)}, job.Running, false},
		"succeeds before it is looked at": {script{seen(job.Starting), seen(job.Succeeded)}, job.Running, false},
		"fails before it runs":            {script{seen(job.Starting), seen(job.Failed)}, job.Running, true},
		"is not there":                    {script{seen("")}, job.Succeeded, true},
		"is deleted":                      {script{seen(job.Running), seen("")}, job.Succeeded, true},
		"is deleted as it was waited for": {script{seen(job.Running), seen("")}, deleted, false},
		"is gone already":                 {script{seen("")}, deleted, false},
		"is lost and found":               {script{seen(job.Running), lost(), seen(job.Succeeded)}, job.Succeeded, false},
		"is never reached":                {script{lost()}, job.Succeeded, true},
		"restarts and succeeds":           {script{seen(job.Running), seen(job.Restarting), seen(job.Succeeded)}, job.Succeeded, false},
		"is made anew":                    {script{of("1", job.Running), of("2", job.Running)}, job.Succeeded, true},
		"is made anew, which is deletion": {script{of("1", job.Running), of("2", job.Running)}, deleted, false},
		"takes too long":                  {script{seen(job.Running)}, job.Succeeded, true},
	} {
		t.Run(name, func(t *testing.T) {
			timeout := time.Minute
			if name == "takes too long" {
				timeout = time.Nanosecond
			}
			_, err := testApp("en").waitFor(context.Background(), c.views, awaited{name: "x", goal: c.goal, timeout: timeout})
			if (err != nil) != c.fails {
				t.Errorf("error %v, want one: %v", err, c.fails)
			}
			var e *exit
			if err != nil && (!errors.As(err, &e) || e.status != exitFailed) {
				t.Errorf("not an exit 1: %v", err)
			}
		})
	}
}
