package logview

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/logs"
)

// large is a log of plain lines, which are cheap to look through.
func large(n int) []logs.Line {
	lines := numbered(0, n)
	for i := range lines {
		lines[i].Text = fmt.Sprintf("step %d: loss", i)
	}
	return lines
}

// coloured is a log whose lines take as long to look through as those of real programs.
func coloured(n int) []logs.Line {
	lines := numbered(0, n)
	for i := range lines {
		lines[i].Text = fmt.Sprintf("\x1b[32m[rank %d]\x1b[m step %d: loss 2.3181 lr 3.0e-04 throughput 41234 tokens/s 数据 epoch", i%8, i)
	}
	return lines
}

// finish runs commands until there are no more, and returns how many there were.
func finish(m *Model, cmd tea.Cmd) int {
	steps := 0
	for ; cmd != nil; steps++ {
		_, cmd = m.Update(cmd())
	}
	return steps
}

func TestASearchThroughMuchGoesOnBesideTheKeys(t *testing.T) {
	m := newModel(t)
	m.add(large(40_000))
	cmd := press(m, "/", "z", "z", "enter")
	if cmd == nil || m.search.running == nil || m.search.done > stepLines {
		t.Fatalf("the key waited for %d lines", m.search.done)
	}
	if f := frame(m, 80, 12); !strings.Contains(f, "/zz 2 %") {
		t.Errorf("it is not said how far the search is:\n%s", f)
	}
	press(m, "k") // keys work meanwhile
	if steps := finish(m, cmd); steps < 3 {
		t.Errorf("%d steps", steps)
	}
	if n := said(m); !strings.Contains(n.Text, "zz") || m.search.running != nil {
		t.Errorf("the end is not said: %+v", n)
	}

	cmd = press(m, "g", "/", "s", "t", "e", "p", " ", "3", "5", "1", "2", "3", ":", "enter")
	finish(m, cmd)
	if !m.search.found || m.search.at != 35123 || !strings.Contains(frame(m, 200, 12), "step 35123:") {
		t.Errorf("found %v at %d", m.search.found, m.search.at)
	}

	cmd = press(m, "/", "z", "z", "enter")
	press(m, "esc")
	if finish(m, cmd) != 1 || m.search.running != nil || said(m).Text != "" {
		t.Error("esc does not give a search up")
	}
	if m.search.pattern == nil {
		t.Error("esc forgot what was looked for")
	}
}

func TestAFilterOfMuchGoesOnBesideTheKeys(t *testing.T) {
	const all = 40_000
	m := newModel(t)
	m.add(large(all))
	m.Top()
	m.Move(31_235)
	cmd := press(m, "&", "s", "t", "e", "p", " ", "\\", "d", "*", "7", ":", "enter")
	if cmd == nil || m.filter.next > stepLines {
		t.Fatalf("the key waited for %d lines", m.filter.next)
	}
	if f := frame(m, 80, 12); !strings.Contains(f, " 2 %") {
		t.Errorf("it is not said how far the filter is:\n%s", f)
	}
	if more := m.add(large(all + 100)[all:]); more != nil {
		t.Error("a second scan was begun")
	}
	finish(m, cmd)
	if got := m.filter.count(&m.store); got != (all+100)/10 {
		t.Errorf("%d lines are seen", got)
	}
	for i := range m.filter.numbers {
		if m.filter.numbers[i] != 10*i+7 {
			t.Fatalf("line %d is number %d", i, m.filter.numbers[i])
		}
	}
	if m.top.line != 31_237 {
		t.Errorf("at line %d, the next one seen after 31235 is 31237", m.top.line)
	}

	cmd = press(m, "&", "enter") // the text of before stands there
	press(m, "esc")
	if finish(m, cmd) != 1 || m.filter.pattern != nil || m.filter.count(&m.store) != all+100 {
		t.Error("esc does not give a filter up")
	}
}

func TestAFilterKeepsUpWhileOldLinesAreDropped(t *testing.T) {
	m := newModel(t)
	m.store.limit = 50_000
	m.add(large(50_000))
	cmd := press(m, "&", "7", ":", "enter")
	m.add(large(58_000)[50_000:]) // now some that were not looked at are gone
	m.add(large(70_000)[58_000:])
	finish(m, cmd)
	if m.store.first == 0 || m.filter.next != 70_000 || m.filter.numbers[0] < m.store.first {
		t.Fatalf("first %d, looked at up to %d, seen from %d", m.store.first, m.filter.next, m.filter.numbers[0])
	}
	want := 0
	for n := m.store.first; n < 70_000; n++ {
		if strings.Contains(m.store.at(n).Text, "7:") {
			want++
		}
	}
	if got := m.filter.count(&m.store); got != want {
		t.Errorf("%d lines are seen, want %d", got, want)
	}
}

func TestTheNoteAboveTheFirstLineHidesNotTheLastOne(t *testing.T) {
	for rows := 7; rows < 12; rows++ {
		m := newModel(t)
		m.request.Tail = 5
		m.add(numbered(0, rows))
		f := frame(m, 80, 12) // 9 rows of text
		if !strings.Contains(f, fmt.Sprintf("line %d", rows-1)) {
			t.Errorf("%d lines: the newest is hidden:\n%s", rows, f)
		}
		if rows < 9 && !strings.Contains(f, "only the last 5 lines") {
			t.Errorf("%d lines: there was room for the note:\n%s", rows, f)
		}
		press(m, "g")
		if f := frame(m, 80, 12); !strings.Contains(f, "only the last 5 lines") || !strings.Contains(f, "line 0") {
			t.Errorf("%d lines: the note is never seen:\n%s", rows, f)
		}
		m.Move(1000)
		if f := frame(m, 80, 12); !strings.Contains(f, fmt.Sprintf("line %d", rows-1)) {
			t.Errorf("%d lines: the newest can't be reached:\n%s", rows, f)
		}
	}
}

// BenchmarkKeyAt200000Lines is the longest that one key waits while all is looked through, for a search and a filter.
func BenchmarkKeyAt200000Lines(b *testing.B) {
	for _, sign := range []string{"/", "&"} {
		b.Run(sign, func(b *testing.B) {
			m := newModel(b)
			m.add(coloured(maxLines))
			slowest := time.Duration(0)
			timed := func(do func()) {
				start := time.Now()
				do()
				m.View(200, 50)
				slowest = max(slowest, time.Since(start))
			}
			for b.Loop() {
				var cmd tea.Cmd
				press(m, sign)
				if m.prompt != nil {
					m.prompt.line.Set("step .*zz$")
				}
				timed(func() { cmd = press(m, "enter") })
				for cmd != nil {
					msg := cmd()
					timed(func() { _, cmd = m.Update(msg) })
				}
				press(m, "esc")
			}
			b.ReportMetric(float64(slowest.Microseconds())/1000, "max-ms/key")
		})
	}
}
