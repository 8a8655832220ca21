package kube

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"muster.dev/muster/backend/logs"
)

// follow reads a job's logs until they end; before is called with each batch.
func follow(t *testing.T, c *Cluster, request logs.Request, before func(all []logs.Line)) []logs.Line {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	request.Job, request.Workspace, request.Index = "j", "research", -1
	if request.Tail == 0 {
		request.Tail = -1
	}
	var all []logs.Line
	err := c.Logs(ctx, request, func(batch []logs.Line) {
		all = append(all, batch...)
		if before != nil {
			before(all)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatalf("never ended; %d lines: %s", len(all), brief(all))
	}
	return all
}

// brief shows lines and marks in a row.
func brief(lines []logs.Line) string {
	var out []string
	for _, l := range lines {
		if l.Mark != logs.NoMark {
			out = append(out, "<"+string(l.Mark)+" "+l.Text+">")
		} else {
			out = append(out, l.Text)
		}
	}
	return strings.Join(out, "|")
}

func numbered(from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		out = append(out, stamped(i, fmt.Sprint(i)))
	}
	return out
}

// once gives a handler that takes over the first request that matches.
func once(match func(*http.Request) bool, handle func(http.ResponseWriter, *http.Request, *fakePod)) func(http.ResponseWriter, *http.Request, *fakePod) bool {
	var mu sync.Mutex
	used := false
	return func(w http.ResponseWriter, r *http.Request, p *fakePod) bool {
		mu.Lock()
		take := !used && match(r)
		used = used || take
		mu.Unlock()
		if take {
			handle(w, r, p)
		}
		return take
	}
}

func following(r *http.Request) bool { return r.URL.Query().Get("follow") != "" }

func send(w http.ResponseWriter, text string) {
	fmt.Fprint(w, text)
	w.(http.Flusher).Flush()
}

func TestStreamEndsWhileTheContainerRuns(t *testing.T) {
	for name, handle := range map[string]func(http.ResponseWriter, *http.Request, *fakePod){
		"in good order": func(w http.ResponseWriter, _ *http.Request, _ *fakePod) {
			send(w, strings.Join(numbered(0, 5), "\n")+"\n")
		},
		"in the midst of line": func(w http.ResponseWriter, _ *http.Request, _ *fakePod) { send(w, strings.Join(numbered(0, 5), "\n")) },
		"by a reset": func(w http.ResponseWriter, _ *http.Request, _ *fakePod) {
			send(w, strings.Join(numbered(0, 7), "\n")+"\n")
			panic(http.ErrAbortHandler)
		},
		"with the kubelet's words": func(w http.ResponseWriter, _ *http.Request, _ *fakePod) {
			send(w, strings.Join(numbered(0, 3), "\n")+"\nfailed to watch the log file\n")
		},
		"at once": func(http.ResponseWriter, *http.Request, *fakePod) {},
		"by an error": func(w http.ResponseWriter, _ *http.Request, _ *fakePod) {
			w.WriteHeader(http.StatusBadGateway)
		},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &fakePod{name: "p", running: true, log: numbered(0, 20)}
			s, c := newLogServer(t, pod)
			s.stream = once(following, handle)
			ended := false
			all := follow(t, c, logs.Request{Follow: true}, func(all []logs.Line) {
				if !ended && all[len(all)-1].Text == "19" {
					ended = true
					s.change(func() { pod.running, s.ended = false, true })
				}
			})
			var got []string
			marks := map[logs.Mark]int{}
			for _, l := range all {
				if l.Mark == logs.NoMark {
					got = append(got, stamped(0, l.Text)[len(stamped(0, "")):])
				}
				marks[l.Mark]++
			}
			var want []string
			for i := range 20 {
				want = append(want, fmt.Sprint(i))
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %s", brief(all))
			}
			if marks[logs.Cut] != 1 || marks[logs.Resumed] != 1 || marks[logs.Ended] != 1 || marks[logs.Gap]+marks[logs.Refused] != 0 {
				t.Errorf("marks %v", marks)
			}
		})
	}
}

// TestStalledStream: the stream is open and silent although the container writes, as after a rotation.
func TestStalledStream(t *testing.T) {
	pod := &fakePod{name: "p", running: true, log: numbered(0, 5)}
	s, c := newLogServer(t, pod)
	c.stall = 50 * time.Millisecond
	s.stream = once(following, func(w http.ResponseWriter, r *http.Request, _ *fakePod) {
		send(w, strings.Join(numbered(0, 5), "\n")+"\n")
		s.change(func() { pod.log = numbered(0, 9) })
		<-r.Context().Done()
	})
	ended := false
	all := follow(t, c, logs.Request{Follow: true}, func(all []logs.Line) {
		if !ended && all[len(all)-1].Text == "8" {
			ended = true
			s.change(func() { pod.running, s.ended = false, true })
		}
	})
	if got := brief(all); got != "0|1|2|3|4|<Cut nothing came although the container wrote>|<Resumed >|5|6|7|8|<Ended 0>" {
		t.Error(got)
	}
}

// TestSilentStreamIsLeftAlone: a container that says nothing is no stall.
func TestSilentStreamIsLeftAlone(t *testing.T) {
	pod := &fakePod{name: "p", running: true, log: numbered(0, 2)}
	s, c := newLogServer(t, pod)
	c.stall = 20 * time.Millisecond
	looked := make(chan bool, 1000)
	s.stream = func(_ http.ResponseWriter, r *http.Request, _ *fakePod) bool {
		if r.URL.Query().Get("tailLines") == "1" {
			looked <- true
		}
		return false
	}
	go func() {
		<-looked
		<-looked
		s.change(func() { pod.running, s.ended = false, true })
	}()
	if got := brief(follow(t, c, logs.Request{Follow: true}, nil)); got != "0|1|<Ended 0>" {
		t.Error(got)
	}
}

func TestContainerRestarts(t *testing.T) {
	pod := &fakePod{name: "p", running: true, log: numbered(0, 3)}
	s, c := newLogServer(t, pod)
	// The stream misses the last lines of the first instance.
	s.stream = once(following, func(w http.ResponseWriter, r *http.Request, _ *fakePod) {
		send(w, strings.Join(numbered(0, 2), "\n")+"\n")
		s.change(func() { pod.previous, pod.log, pod.restarts = numbered(0, 4), numbered(10, 12), 1 })
	})
	ended := false
	all := follow(t, c, logs.Request{Follow: true}, func(all []logs.Line) {
		if !ended && all[len(all)-1].Text == "11" {
			ended = true
			s.change(func() { pod.running, s.ended, pod.code = false, true, 0 })
		}
	})
	if got := brief(all); got != "0|1|2|3|<Ended 9>|<Restarted p>|10|11|<Ended 0>" {
		t.Error(got)
	}
}

func TestPodGoesAway(t *testing.T) {
	pod := &fakePod{name: "p", running: true, log: numbered(0, 3)}
	s, c := newLogServer(t, pod)
	s.stream = once(following, func(w http.ResponseWriter, _ *http.Request, _ *fakePod) {
		send(w, strings.Join(numbered(0, 3), "\n")+"\n")
		s.change(func() { pod.gone, s.ended = true, true })
		panic(http.ErrAbortHandler)
	})
	if got := brief(follow(t, c, logs.Request{Follow: true}, nil)); got != "0|1|2|<Gap the pod is gone>" {
		t.Error(got)
	}
}

// TestPodGoesWithItsJob: that nothing more comes is what was asked for, and not called a loss.
func TestPodGoesWithItsJob(t *testing.T) {
	for _, mark := range []logs.Mark{logs.Deleted, logs.Stopped} {
		pod := &fakePod{name: "p", running: true, log: numbered(0, 3)}
		s, c := newLogServer(t, pod)
		s.stream = once(following, func(w http.ResponseWriter, _ *http.Request, _ *fakePod) {
			send(w, strings.Join(numbered(0, 3), "\n")+"\n")
			s.change(func() { pod.gone, s.deleted, s.stopped = true, mark == logs.Deleted, mark == logs.Stopped })
			panic(http.ErrAbortHandler)
		})
		got := brief(follow(t, c, logs.Request{Follow: true}, nil))
		if want := "0|1|2|<" + string(mark); !strings.HasPrefix(got, want) || strings.Contains(got, "Gap") || strings.Contains(got, "Cut") {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestAnotherPodTakesThePlace joins in with a mark.
func TestAnotherPodTakesThePlace(t *testing.T) {
	first := &fakePod{name: "first", running: true, log: numbered(0, 2)}
	s, c := newLogServer(t, first)
	second := &fakePod{name: "second", running: true, log: numbered(300, 302)}
	joined, ended := false, false
	all := follow(t, c, logs.Request{Follow: true}, func(all []logs.Line) {
		if !joined && all[len(all)-1].Text == "1" {
			joined = true
			s.change(func() { first.running, first.code, s.pods["second"] = false, 1, second })
		}
		if !ended && all[len(all)-1].Text == "301" {
			ended = true
			s.change(func() { second.running, s.ended = false, true })
		}
	})
	if got := brief(all); got != "0|1|<Ended 1>|<Restarted second>|300|301|<Ended 0>" {
		t.Error(got)
	}
}

func TestLastLineWithoutNewline(t *testing.T) {
	pod := &fakePod{name: "p", log: numbered(0, 3)}
	s, c := newLogServer(t, pod)
	s.stream = func(w http.ResponseWriter, _ *http.Request, p *fakePod) bool {
		send(w, strings.Join(p.log, "\n"))
		return true
	}
	s.ended = true
	if got := brief(follow(t, c, logs.Request{Follow: true}, nil)); got != "0|1|2|<Ended 0>" {
		t.Error(got)
	}
	for name, running := range map[string]bool{"ended": false, "running": true} {
		s.change(func() { pod.running = running })
		if got := brief(follow(t, c, logs.Request{}, nil)); got != "0|1|2" {
			t.Errorf("%s, not followed: %s", name, got)
		}
	}
}

// TestTheEndIsSeenBeforeTheLastPod: the feeds of the job and of its pods are not in step, and the job ends in that of
// the job before its last pod is in the other.
func TestTheEndIsSeenBeforeTheLastPod(t *testing.T) {
	first := &fakePod{name: "first", running: true, log: numbered(0, 2)}
	s, c := newLogServer(t, first)
	behind := false
	all := follow(t, c, logs.Request{Follow: true}, func(all []logs.Line) {
		if !behind && all[len(all)-1].Text == "1" {
			behind = true
			s.change(func() { first.running = false })
			s.change(func() {
				s.podsBehind, s.ended = true, true
				s.pods["second"] = &fakePod{name: "second", index: 1, log: numbered(300, 302)}
			})
		}
	})
	if got := brief(all); got != "0|1|<Ended 0>|300|301|<Ended 0>" {
		t.Error(got)
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x\r", 512<<10)
	pod := &fakePod{name: "p", log: []string{stamped(0, "short"), stamped(1, long), stamped(2, "after")}}
	_, c := newLogServer(t, pod)
	all := follow(t, c, logs.Request{}, nil)
	if len(all) != 3 || all[1].Text != long || all[2].Text != "after" {
		t.Errorf("%d lines", len(all))
	}
}

// TestAllStreamsOpenAtOnce: no limit of the client stands between a job and its 128 streams: the server answers none
// before all are there.
func TestAllStreamsOpenAtOnce(t *testing.T) {
	const pods = 128
	var list []*fakePod
	for i := range pods {
		list = append(list, &fakePod{name: fmt.Sprintf("p%d", i), index: i, log: numbered(i, i+1)})
	}
	s, c := newLogServer(t, list...)
	var here sync.WaitGroup
	here.Add(pods)
	s.stream = func(http.ResponseWriter, *http.Request, *fakePod) bool {
		here.Done()
		here.Wait()
		return false
	}
	all := follow(t, c, logs.Request{}, nil)
	for i, l := range all {
		if l.Text != fmt.Sprint(i) || l.Index != i {
			t.Fatalf("line %d is %+v", i, l)
		}
	}
	if len(all) != pods {
		t.Errorf("%d lines", len(all))
	}
}

func TestTailSinceAndPrevious(t *testing.T) {
	pod := &fakePod{name: "p", running: true, restarts: 1, log: numbered(0, 9), previous: numbered(0, 2)}
	s, c := newLogServer(t, pod)
	if got := brief(follow(t, c, logs.Request{Tail: 2}, nil)); got != "7|8" {
		t.Error(got)
	}
	if got := brief(follow(t, c, logs.Request{Previous: true, Follow: true}, nil)); got != "0|1" {
		t.Error(got)
	}
	s.asked = nil
	follow(t, c, logs.Request{Since: 1500 * time.Millisecond}, nil)
	if len(s.asked) != 1 || !strings.Contains(s.asked[0], "sinceSeconds=") {
		t.Errorf("asked %q", s.asked)
	}
}

func TestNoRightToReadLogs(t *testing.T) {
	s, c := newLogServer(t, &fakePod{name: "p", running: true})
	s.stream = func(w http.ResponseWriter, _ *http.Request, _ *fakePod) bool {
		w.Header().Set("Content-Type", "application/json")
		s.json(w, http.StatusForbidden, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden",
			"code": 403, "message": "pods/log is forbidden"})
		return true
	}
	s.ended = true
	if got := brief(follow(t, c, logs.Request{Follow: true}, nil)); !strings.HasPrefix(got, "<Refused pods/log is forbidden") || strings.Count(got, "<") != 1 {
		t.Error(got)
	}
}

// TestTheEndIsMarkedWhenItWas: a container that sleeps after its last line ended when it ended, not with that line.
func TestTheEndIsMarkedWhenItWas(t *testing.T) {
	for name, c := range map[string]struct{ finished, marked time.Time }{
		"long after the last line":      {began.Add(5 * time.Second), began.Add(5 * time.Second)},
		"within the second of its last": {began, began.Add(40 * time.Millisecond)},
		"nobody knows when":             {time.Time{}, began.Add(40 * time.Millisecond)},
	} {
		t.Run(name, func(t *testing.T) {
			s, cluster := newLogServer(t, &fakePod{name: "p", code: 3, finished: c.finished, log: numbered(0, 5)})
			s.change(func() { s.ended = true })
			all := follow(t, cluster, logs.Request{Follow: true}, nil)
			last := all[len(all)-1]
			if last.Mark != logs.Ended || last.Text != "3" || !last.Time.Equal(c.marked) {
				t.Errorf("%s at %v, want %v", brief(all), last.Time, c.marked)
			}
		})
	}
}
