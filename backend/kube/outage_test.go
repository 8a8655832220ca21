package kube_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube/kubetest"
	"muster.dev/muster/backend/logs"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/submit"
)

// TestAPIServerRestarts kills the API server under a Watch and a followed log of several pods. The data must stay
// and age, be fresh again by themselves, and the log must go on without a gap and without a repeat. It is not
// parallel: other tests need the server.
func TestAPIServerRestarts(t *testing.T) {
	cluster := shared.Get(t)
	c := as(t, kubetest.Alice)
	w := watch(t, c)
	w.live()
	const count = 300
	script := fmt.Sprintf("for i in $(seq 1 %d); do echo line $i; sleep 0.1; done; echo end", count)
	run(t, c, submit.Request{Spec: spec("outage", script, 2, 0)})
	_, from := w.phase("outage", 0, job.Running)

	var mu sync.Mutex
	var lines []logs.Line
	more := sync.NewCond(&mu)
	ended := false
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- c.Logs(ctx, logs.Request{Workspace: "research", Job: "outage", Index: -1, Tail: -1, Follow: true}, func(batch []logs.Line) {
			mu.Lock()
			lines = append(lines, batch...)
			mu.Unlock()
			more.Broadcast()
		})
		mu.Lock()
		ended = true
		mu.Unlock()
		more.Broadcast()
	}()
	reach := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		for len(lines) < n && !ended {
			more.Wait()
		}
		if ended {
			t.Fatalf("the log ended after %d lines: %v; last %+v", len(lines), <-done, lines[max(0, len(lines)-3):])
		}
	}
	reach(30)
	for round := range 2 {
		cluster.StopAPIServer(t)
		stale, at := w.until("Stale", from, func(s snapshot.Snapshot) bool { return s.Conn.State == snapshot.Stale })
		if _, ok := jobNamed(stale, "outage"); !ok {
			t.Errorf("round %d: the data are gone: %s", round, show(stale))
		}
		if stale.Conn.Error == "" || stale.Conn.Problem == nil || stale.Conn.Problem.Code != "Unreachable" {
			t.Errorf("round %d: no reason: %+v", round, stale.Conn)
		}
		cluster.StartAPIServer(t)
		started := time.Now()
		live, at := w.until("Live again", at, func(s snapshot.Snapshot) bool { return s.Conn.State == snapshot.Live })
		t.Logf("round %d: live %v after the server was ready", round, time.Since(started))
		if !live.Conn.Fresh.After(stale.Conn.Fresh) {
			t.Errorf("round %d: live but not fresher: %v, %v", round, live.Conn.Fresh, stale.Conn.Fresh)
		}
		from = at
		mu.Lock()
		n := len(lines)
		mu.Unlock()
		if round == 0 {
			reach(n + 20)
		}
	}
	j, _ := w.phase("outage", from, job.Succeeded, job.Failed)
	if j.Phase != job.Succeeded {
		t.Fatalf("%s %s", j.Phase, j.Reason)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatal("the log did not end with the job")
	}
	marks := map[logs.Mark]int{}
	next := map[string]int{}
	for _, l := range lines {
		if l.Mark != logs.NoMark {
			marks[l.Mark]++
			continue
		}
		place := l.Role + "-" + strconv.Itoa(l.Index)
		next[place]++
		want := "line " + strconv.Itoa(next[place])
		if next[place] > count {
			want = "end"
		}
		if l.Text != want {
			t.Fatalf("%s: %q, want %q", place, l.Text, want)
		}
	}
	for _, place := range []string{"master-0", "worker-0", "worker-1"} {
		if next[place] != count+1 {
			t.Errorf("%s: %d lines, want %d", place, next[place], count+1)
		}
	}
	if marks[logs.Cut] == 0 || marks[logs.Cut] != marks[logs.Resumed] || marks[logs.Gap] != 0 || marks[logs.Refused] != 0 || marks[logs.Ended] != 3 {
		t.Errorf("marks %v", marks)
	}
}

// TestStartWithoutServer: a Watch that begins while there is no server is Connecting, says why, and is live by itself.
func TestStartWithoutServer(t *testing.T) {
	cluster := shared.Get(t)
	c := as(t, kubetest.Bob)
	cluster.StopAPIServer(t)
	w := watch(t, c)
	first, _ := w.until("the first", 0, func(snapshot.Snapshot) bool { return true })
	if first.Conn.State != snapshot.Connecting || first.Facts.Workspace != "vision" {
		t.Errorf("first: %s", show(first))
	}
	_, at := w.until("why", 0, func(s snapshot.Snapshot) bool { return s.Conn.State == snapshot.Connecting && s.Conn.Error != "" })
	if _, err := c.Snapshot(within(t)); err == nil || !strings.Contains(err.Error(), "Unreachable") {
		t.Errorf("Snapshot: %v", err)
	}
	cluster.StartAPIServer(t)
	live, _ := w.until("Live", at, func(s snapshot.Snapshot) bool {
		return s.Conn.State == snapshot.Live && len(s.Stock) > 0 && s.Stock[0].Known && len(s.Workspaces) > 1
	})
	if len(live.Stock) != 2 {
		t.Errorf("stock: %+v", live.Stock)
	}
	if !slices.Contains(live.Workspaces, "research") {
		t.Errorf("workspaces: %v", live.Workspaces)
	}
}
