package logview

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"muster.dev/muster/backend/logs"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/internal/fixture"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/stream"
)

func newModel(t testing.TB) *Model {
	env := nav.Env{Texts: i18n.New(i18n.English), Styles: themes.New(themes.Dark), Keys: keys.Default(), Now: fixture.Now}
	m := New(context.Background(), env, &fixture.Backend{}, fixture.Snapshot(), nav.OpenLogs{Workspace: "research", Job: "bert-ft-0412", Index: -1})
	t.Cleanup(m.Close)
	m.View(80, 12)
	return m
}

func numbered(from, to int) []logs.Line {
	var lines []logs.Line
	for i := from; i < to; i++ {
		lines = append(lines, logs.Line{Time: fixture.Now(), Role: "worker", Index: i % 2, Text: fmt.Sprintf("line %d", i)})
	}
	return lines
}

func frame(m *Model, w, h int) string { return ansi.Strip(m.View(w, h)) }

func press(m *Model, names ...string) tea.Cmd {
	var cmd tea.Cmd
	for _, name := range names {
		msg := tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
		switch name {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEsc}
		}
		_, cmd = m.Update(msg)
	}
	return cmd
}

// said is the notice that the log view asked for last.
func said(m *Model) nav.Notify {
	var last nav.Notify
	for _, intent := range m.Take() {
		if n, ok := intent.(nav.Notify); ok {
			last = n
		}
	}
	return last
}

func TestFollowAndPause(t *testing.T) {
	m := newModel(t)
	m.add(numbered(0, 100))
	if f := frame(m, 80, 12); !strings.Contains(f, "line 99") || !strings.Contains(f, "following") {
		t.Errorf("not at the end:\n%s", f)
	}
	press(m, "f")
	before := strings.Split(frame(m, 80, 12), "\n")[1:9]
	m.add(numbered(100, 300))
	after := strings.Split(frame(m, 80, 12), "\n")[1:9]
	if strings.Join(before, "\n") != strings.Join(after, "\n") {
		t.Errorf("a paused log moved:\n%v\n%v", before, after)
	}
	press(m, "G")
	if f := frame(m, 80, 12); !strings.Contains(f, "line 299") || !strings.Contains(f, "following") {
		t.Errorf("G does not go to the end and follow:\n%s", f)
	}
	press(m, "g")
	if f := frame(m, 80, 12); !strings.Contains(f, "line 0") || !strings.Contains(f, "paused") {
		t.Errorf("g does not go to the start:\n%s", f)
	}
}

func TestPausedLogKeepsItsPlaceWhenOldLinesAreDropped(t *testing.T) {
	m := newModel(t)
	m.store.limit = 100
	m.add(numbered(0, 90))
	press(m, "f", "k", "k")
	top := strings.Split(frame(m, 80, 12), "\n")[1]
	m.add(numbered(90, 130))
	if got := strings.Split(frame(m, 80, 12), "\n")[1]; got != top {
		t.Errorf("moved from %q to %q", top, got)
	}
	m.add(numbered(130, 500)) // now even the line on the screen is gone
	if f := frame(m, 80, 12); !strings.Contains(f, "410 older lines are no longer held") || !strings.Contains(f, "line 410") {
		t.Errorf("what is gone is not said:\n%s", f)
	}
}

func TestStoreIsBounded(t *testing.T) {
	s := newStore()
	for i := range 50 {
		s.add(numbered(i*10_000, (i+1)*10_000))
	}
	if len(s.lines) > maxLines || s.next() != 500_000 || s.at(499_999).Text != "line 499999" {
		t.Errorf("%d lines held, next %d", len(s.lines), s.next())
	}
	big := []logs.Line{{Text: strings.Repeat("x", 1<<20)}}
	for range 200 {
		s.add(big)
	}
	if s.size > maxBytes {
		t.Errorf("%d bytes held", s.size)
	}
	total := 0
	for _, line := range s.lines {
		total += len(line.Text)
	}
	if total != s.size {
		t.Errorf("size says %d, it is %d", s.size, total)
	}
	s = newStore()
	s.add([]logs.Line{{Text: strings.Repeat("x", 100<<20)}})
	if len(s.lines) != 1 {
		t.Error("one line that is too large must still be held")
	}
}

func TestMarksAreNotCountedAsLines(t *testing.T) {
	m := newModel(t)
	m.store.limit = 100
	for i := range 40 {
		m.add(numbered(i*10, i*10+9))
		m.add([]logs.Line{{Role: "worker", Mark: logs.Cut}})
		marks := 0
		for _, line := range m.store.lines {
			if line.Mark != logs.NoMark {
				marks++
			}
		}
		if got, want := m.filter.written(&m.store), len(m.store.lines)-marks; got != want {
			t.Fatalf("after %d: %d lines, want %d", i, got, want)
		}
	}
	press(m, "&", "3", "$", "enter")
	want := 0
	for _, line := range m.store.lines {
		if strings.HasSuffix(line.Text, "3") {
			want++
		}
	}
	if got := m.filter.written(&m.store); got != want || want == 0 {
		t.Errorf("filtered: %d lines, want %d", got, want)
	}
}

func TestAChoiceOfPodsDoesNotUnpause(t *testing.T) {
	m := newModel(t)
	m.add(numbered(0, 100))
	press(m, "f", "r", "enter")
	if m.follow || m.picker != nil {
		t.Errorf("follow %v after a choice in a paused log", m.follow)
	}
}

func TestRowsOfALineStandUnderOneAnother(t *testing.T) {
	m := newModel(t)
	m.add([]logs.Line{{Role: "worker", Time: fixture.Now(), Text: strings.Repeat("0123456789", 20)}})
	press(m, "w")
	for range 2 { // without time stamps and with them
		rows := strings.Split(frame(m, 80, 12), "\n")
		for i := 2; i < 4; i++ {
			if a, b := strings.Index(rows[1], "│"), strings.Index(rows[i], "│"); a < 0 || a != b {
				t.Errorf("rows 1 and %d: │ at %d and %d", i, a, b)
			}
			if a, b := strings.Index(rows[1], "0123"), strings.IndexAny(rows[i], "0123456789"); a != b {
				t.Errorf("rows 1 and %d: text at %d and %d", i, a, b)
			}
		}
		press(m, "t")
	}
}

func TestSearch(t *testing.T) {
	m := newModel(t)
	m.add(numbered(0, 100))
	press(m, "/", "e", " ", "4", "2", "enter")
	if f := frame(m, 80, 12); !strings.Contains(f, "line 42") || !strings.Contains(m.View(80, 12), m.env.Styles.Marked.Render("e 42")) {
		t.Errorf("not found or not marked:\n%s", f)
	}
	press(m, "/", "7", "$", "enter") // a regular expression
	seen := m.search.at
	press(m, "n")
	if m.search.at != seen+10 {
		t.Errorf("n goes from %d to %d", seen, m.search.at)
	}
	press(m, "N", "N")
	if want := (seen - 10 + 100) % 100; m.search.at != want {
		t.Errorf("N goes to %d, want %d", m.search.at, want)
	}
	press(m, "/", "(", "a", "|", "enter")
	if n := said(m); !strings.Contains(n.Text, "missing closing )") || m.prompt == nil {
		t.Errorf("a broken expression is not refused: %+v", n)
	}
	press(m, "esc") // clears, as the footer says
	if m.prompt != nil || m.search.pattern != nil {
		t.Error("esc at the prompt does not end the search")
	}
}

func TestFilterKeepsMarksAndFollows(t *testing.T) {
	m := newModel(t)
	m.add(numbered(0, 50))
	m.add([]logs.Line{{Role: "worker", Mark: logs.Cut, Text: "reset"}})
	press(m, "&", "9", "$", "enter")
	m.add(numbered(50, 100))
	f := frame(m, 80, 20)
	for _, want := range []string{"line 9\n", "line 49", "stream cut", "line 59", "line 99", "10 lines"} {
		if !strings.Contains(f+"\n", strings.TrimSuffix(want, "\n")) {
			t.Errorf("%q is missing:\n%s", want, f)
		}
	}
	if strings.Contains(f, "line 48") {
		t.Error("a line that does not match is shown")
	}
	press(m, "esc")
	if f := frame(m, 80, 20); !strings.Contains(f, "100 lines") {
		t.Errorf("esc does not clear the filter:\n%s", f)
	}
	press(m, "&", "z", "z", "enter", "s")
	if n := said(m); !strings.Contains(n.Text, "zz hides every line") {
		t.Errorf("of a filter that hides all: %+v", n)
	}
	press(m, "&", "esc")
	if m.filter.pattern != nil {
		t.Error("esc at the prompt does not clear the filter")
	}
}

func TestOddLines(t *testing.T) {
	m := newModel(t)
	long := strings.Repeat("数据", 350_000) // 2 MB
	m.add([]logs.Line{
		{Role: "worker", Text: "10%\r50%\r100% done"},
		{Role: "worker", Text: "\x1b[31mred\x1b]0;t\x07 \x1b[5mblink"},
		{Role: "worker", Text: long},
		{Role: "worker", Text: "after"},
	})
	for _, wrap := range []bool{false, true} {
		m.wrap = wrap
		m.redraw()
		m.Top()
		for range 400 {
			view := m.View(80, 12)
			for _, line := range strings.Split(view, "\n") {
				if cell.Width(line) > 80 {
					t.Fatalf("a line is %d wide", cell.Width(line))
				}
			}
			m.Move(3)
		}
		if !m.follow && !strings.Contains(frame(m, 80, 12), "after") {
			t.Errorf("wrap %v: the end was never reached:\n%s", wrap, frame(m, 80, 12))
		}
	}
	m.wrap = false
	m.redraw()
	m.Top()
	view := m.View(80, 12)
	if !strings.Contains(view, "\x1b[31mred") || strings.Contains(view, "\x1b]") || strings.Contains(view, "[5m") {
		t.Errorf("colours or sequences: %q", view)
	}
	if f := frame(m, 80, 12); !strings.Contains(f, "100% done") || strings.Contains(f, "50%") {
		t.Errorf("a progress line is not shown as it ended:\n%s", f)
	}
}

func TestWrappedRowsAreOfOneLine(t *testing.T) {
	m := newModel(t)
	m.add([]logs.Line{{Role: "w", Text: "\x1b[32m" + strings.Repeat("0123456789", 30)}})
	m.wrap = true
	m.redraw()
	joined := ""
	for _, row := range m.rows(0) {
		if !strings.HasSuffix(row, "\x1b[m") {
			t.Errorf("a row leaves its colour open: %q", row)
		}
		_, text, _ := strings.Cut(ansi.Strip(row), "│ ")
		joined += text
	}
	if joined != strings.Repeat("0123456789", 30) {
		t.Errorf("something was lost or added: %q", joined)
	}
}

func TestSaveIsWholeAndSaysWhere(t *testing.T) {
	m := newModel(t)
	dir := t.TempDir()
	m.saveDir = func() (string, error) { return dir, nil }
	long := strings.Repeat("x", 1<<20)
	m.add([]logs.Line{
		{Time: fixture.Now(), Role: "worker", Index: 1, Text: long},
		{Time: fixture.Now(), Role: "worker", Index: 1, Mark: logs.Gap, Text: "rotated"},
	})
	for i := range 2 {
		cmd := press(m, "s")
		if again := press(m, "s"); again != nil {
			t.Error("saved twice at once")
		}
		m.Update(cmd())
		n := said(m)
		if n.Level != nav.Kept || !strings.Contains(n.Text, dir) || !strings.Contains(n.Text, "Saved 1 line ") { // the mark is no line of the program
			t.Errorf("notice %d: %+v", i, n)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "bert-ft-0412-*.log"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, %v: the second must not overwrite the first", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if want := "2026-12-01T12:00:00Z worker-1 " + long + "\n2026-12-01T12:00:00Z ── worker-1: lines are lost: rotated ──\n"; string(data) != want {
		t.Errorf("file has %d bytes, want %d", len(data), len(want))
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	m.saveDir = func() (string, error) { return filepath.Join(dir, "nowhere"), nil }
	m.Update(press(m, "s")())
	if n := said(m); n.Level != nav.Failed || !strings.Contains(n.Text, "no such file") {
		t.Errorf("notice %+v", n)
	}
}

func TestEndAndErrorAreSaid(t *testing.T) {
	m := newModel(t)
	cmd := m.Init()
	msg := cmd().(stream.Msg[batch])
	m.Update(msg)
	if f := frame(m, 80, 12); !strings.Contains(f, "following") {
		t.Errorf("%s", f)
	}
	m.Update(stream.Msg[batch]{ID: m.stream.ID(), Done: true, Err: context.DeadlineExceeded})
	if f := frame(m, 80, 12); !strings.Contains(f, "broken off") {
		t.Errorf("the error is not said:\n%s", f)
	}
	m.Update(stream.Msg[batch]{ID: new(int), Value: batch{lines: numbered(0, 1)}, Has: true})
	if strings.Contains(frame(m, 80, 60), "line 0") {
		t.Error("a line of another stream is shown")
	}
}

func TestTailIsSharedAmongPods(t *testing.T) {
	m := newModel(t)
	if m.request.Tail != mostTail {
		t.Errorf("4 pods: %d lines each", m.request.Tail)
	}
	m.snap.Jobs[0].Roles[1].Replicas = 1000
	if got := m.tailFor(); got != leastTail {
		t.Errorf("1001 pods: %d lines each", got)
	}
}

func BenchmarkAppendAndView(b *testing.B) {
	m := newModel(b)
	lines := numbered(0, 1000)
	for i := range lines {
		lines[i].Time = time.Now()
	}
	b.SetBytes(1000)
	for b.Loop() {
		m.add(lines)
		m.View(200, 50)
	}
}
