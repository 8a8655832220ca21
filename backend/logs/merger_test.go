package logs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"muster.dev/muster/backend/logs"
)

var epoch = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return epoch.Add(time.Duration(ms) * time.Millisecond) }

func line(ms int, text string) logs.Line { return logs.Line{Time: at(ms), Text: text} }

func texts(lines []logs.Line) []string {
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return out
}

func TestMergerWaitsForEverySource(t *testing.T) {
	m := logs.NewMerger(100 * time.Millisecond)
	a, b := m.Open(at(0)), m.Open(at(0))
	m.Push(a, []logs.Line{line(1, "a1"), line(5, "a5")}, at(10))
	if got := m.Pop(nil, 10, at(10)); len(got) != 0 {
		t.Fatalf("handed on %v before the other source showed its line", texts(got))
	}
	m.Push(b, []logs.Line{line(3, "b3"), line(4, "b4")}, at(20))
	got := texts(m.Pop(nil, 10, at(20)))
	// After b4 nothing is known of b, so a5 is held.
	if diff := cmp.Diff([]string{"a1", "b3", "b4"}, got); diff != "" {
		t.Error(diff)
	}
	if next, ok := m.Next(); !ok || !next.Equal(at(110)) {
		t.Errorf("next = %v %v, want a5's hold-back to end at 110 ms", next.Sub(epoch), ok)
	}
	if got := texts(m.Pop(nil, 10, at(110))); !slices.Equal(got, []string{"a5"}) {
		t.Errorf("after the hold-back: %v", got)
	}
}

func TestMergerIdleSourceHoldsNobodyBack(t *testing.T) {
	m := logs.NewMerger(100 * time.Millisecond)
	a := m.Open(at(0))
	m.Open(at(0)) // never says anything
	m.Push(a, []logs.Line{line(1, "a1")}, at(500))
	if got := texts(m.Pop(nil, 10, at(500))); !slices.Equal(got, []string{"a1"}) {
		t.Errorf("got %v at once, want a1: the other source is idle", got)
	}
}

func TestMergerKeepsSourceOrderAndLateLines(t *testing.T) {
	m := logs.NewMerger(100 * time.Millisecond)
	a, b := m.Open(at(0)), m.Open(at(0))
	m.Push(a, []logs.Line{line(9, "a9"), line(7, "a7 written after a9"), line(12, "a12")}, at(10))
	m.Push(b, []logs.Line{line(8, "b8"), line(10, "b10")}, at(10))
	m.Close(a)
	m.Close(b)
	want := []string{"b8", "a9", "a7 written after a9", "b10", "a12"}
	if diff := cmp.Diff(want, texts(m.Pop(nil, 10, at(11)))); diff != "" {
		t.Error(diff)
	}
	c := m.Open(at(300))
	m.Push(c, []logs.Line{line(2, "late")}, at(301))
	if got := texts(m.Pop(nil, 10, at(301))); !slices.Equal(got, []string{"late"}) {
		t.Errorf("a late line: %v", got)
	}
}

func TestMergerHoldsTheStart(t *testing.T) {
	m := logs.NewMerger(50 * time.Millisecond)
	m.HoldUntil(at(1000))
	a, b := m.Open(at(0)), m.Open(at(0))
	m.Push(a, []logs.Line{line(2, "a2")}, at(10))
	if got := m.Pop(nil, 10, at(900)); len(got) != 0 {
		t.Errorf("handed on %v before the other's backlog", texts(got))
	}
	if next, ok := m.Next(); !ok || !next.Equal(at(1000)) {
		t.Errorf("next = %v", next.Sub(epoch))
	}
	m.Push(b, []logs.Line{line(1, "b1")}, at(900))
	m.Close(b)
	if got := texts(m.Pop(nil, 10, at(900))); !slices.Equal(got, []string{"b1", "a2"}) {
		t.Errorf("with both: %v", got)
	}
	m.Push(a, []logs.Line{line(3, "a3")}, at(910))
	m.Open(at(910))
	if got := texts(m.Pop(nil, 10, at(1000))); !slices.Equal(got, []string{"a3"}) {
		t.Errorf("afterwards: %v", got)
	}
}

func TestMergerLimitAndReuse(t *testing.T) {
	m := logs.NewMerger(time.Second)
	for round := range 3 {
		s := m.Open(at(0))
		m.Push(s, []logs.Line{line(1, "1"), line(2, "2"), line(3, "3")}, at(1))
		m.Close(s)
		if got := texts(m.Pop(nil, 2, at(1))); !slices.Equal(got, []string{"1", "2"}) {
			t.Fatalf("round %d: %v", round, got)
		}
		if n, bytes := m.Buffered(s); n != 1 || bytes != 1 {
			t.Fatalf("round %d: buffered %d lines, %d bytes", round, n, bytes)
		}
		if got := texts(m.Pop(nil, 2, at(1))); !slices.Equal(got, []string{"3"}) || !m.Empty() {
			t.Fatalf("round %d: %v, empty %v", round, got, m.Empty())
		}
	}
}

// TestMergerAnySchedule: whatever the order in which sources push and time passes, nothing is lost, repeated or
// reordered within a source; with every source heard in time the whole is sorted.
func TestMergerAnySchedule(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		m := logs.NewMerger(50 * time.Millisecond)
		const sources = 5
		ids := make([]int, sources)
		left := make([][]logs.Line, sources)
		for s := range sources {
			ids[s] = m.Open(at(0))
			stamp := 0
			for i := range random.IntN(300) {
				stamp += random.IntN(4)
				left[s] = append(left[s], logs.Line{Time: at(stamp), Index: s, Text: fmt.Sprint(i)})
			}
		}
		want := make([]int, sources)
		for s := range sources {
			want[s] = len(left[s])
		}
		var got []logs.Line
		now := 0
		open := sources
		for open > 0 || !m.Empty() {
			s := random.IntN(sources)
			switch n := min(random.IntN(20), len(left[s])); {
			case n > 0:
				m.Push(ids[s], left[s][:n], at(now))
				left[s] = left[s][n:]
			case len(left[s]) == 0 && ids[s] >= 0:
				m.Close(ids[s])
				ids[s] = -1
				open--
			}
			now += random.IntN(2) * round % 40 // the first rounds see no time pass: all is in order
			got = m.Pop(got, random.IntN(30), at(now))
		}
		seen := make([]int, sources)
		for i, l := range got {
			if l.Text != fmt.Sprint(seen[l.Index]) {
				t.Fatalf("round %d: source %d handed on line %s, want %d", round, l.Index, l.Text, seen[l.Index])
			}
			seen[l.Index]++
			if round == 0 && i > 0 && l.Time.Before(got[i-1].Time) {
				t.Fatalf("out of order at %d", i)
			}
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestMuxSlowReaderSlowsSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mux := logs.NewMux(50 * time.Millisecond)
		source := mux.Source()
		mux.Seal()
		sent := 0
		go func() {
			defer source.Close()
			for i := range 20_000 {
				if !source.Send([]logs.Line{line(i, fmt.Sprint(i))}) {
					t.Error("the mux stopped early")
					return
				}
				sent++
			}
		}()
		got := 0
		mux.Run(t.Context(), func(batch []logs.Line) {
			time.Sleep(time.Second)
			synctest.Wait()
			for _, l := range batch {
				if l.Text != fmt.Sprint(got) {
					t.Fatalf("line %d is %q", got, l.Text)
				}
				got++
			}
			if ahead := sent - got; ahead > 5000 {
				t.Fatalf("%d lines wait in memory", ahead)
			}
		})
		if got != 20_000 {
			t.Errorf("%d lines arrived", got)
		}
	})
}

func TestMuxEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mux := logs.NewMux(time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		source, other := mux.Source(), mux.Source()
		defer other.Close()
		blocked := make(chan bool)
		go func() {
			ok := true
			for ok {
				ok = source.Send([]logs.Line{line(1, "x")})
			}
			source.Close()
			blocked <- ok
		}()
		go mux.Run(ctx, func([]logs.Line) {})
		synctest.Wait()
		cancel()
		if <-blocked {
			t.Error("Send went on after the mux stopped")
		}
	})
}

func BenchmarkMerge(b *testing.B) {
	const sources, each = 128, 4000
	input := make([][]logs.Line, sources)
	for s := range sources {
		for i := range each {
			input[s] = append(input[s], logs.Line{
				Time: at(i*sources + s*7%sources), Role: "worker", Index: s, Pod: "job-worker-0-0-abcde",
				Text: "step 1200 loss 2.31 lr 3e-4 tokens/s 41234",
			})
		}
	}
	b.ReportAllocs()
	var out []logs.Line
	for b.Loop() {
		m := logs.NewMerger(200 * time.Millisecond)
		ids := make([]int, sources)
		for s := range sources {
			ids[s] = m.Open(epoch)
		}
		for from := 0; from < each; from += 100 {
			for s := range sources {
				m.Push(ids[s], input[s][from:from+100], epoch)
			}
			out = m.Pop(out[:0], sources*100, epoch)
		}
		for s := range sources {
			m.Close(ids[s])
		}
		out = m.Pop(out[:0], sources*each, epoch)
		if !m.Empty() {
			b.Fatal("lines left")
		}
	}
	b.ReportMetric(float64(b.N)*sources*each/b.Elapsed().Seconds(), "lines/s")
}
