package widget

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
)

func table(ids ...string) *Table {
	t := &Table{}
	t.SetStyles(themes.New(themes.None))
	t.SetColumns([]Column{{Title: "NAME", Min: 6}, {Title: "N", Right: true, Sorted: 1}, {Title: "WHY", Min: 8, Priority: 1}})
	set(t, ids...)
	return t
}

func set(t *Table, ids ...string) {
	t.SetRows(ids, func(i int) []Cell {
		return []Cell{{Text: ids[i]}, {Text: fmt.Sprint(i)}, {Text: "because of 原因 " + ids[i]}}
	})
}

func plain(s string) string {
	lines := strings.Split(ansi.Strip(s), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func TestTableView(t *testing.T) {
	tab := table("first", "中文名字", "third")
	want := strings.Join([]string{
		" NAME      N↑  WHY",
		" first      0  because of 原因 first",
		" 中文名字   1  because of 原因 中文名字",
		" third      2  because of 原因 third",
		"",
	}, "\n")
	if got := plain(tab.View(60, 5)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// the last column gives way, then goes
	if got, want := strings.Split(plain(tab.View(26, 5)), "\n")[2], " 中文名字   1  because of…"; got != want {
		t.Errorf("narrow: %q, want %q", got, want)
	}
	if got, want := strings.Split(plain(tab.View(20, 5)), "\n")[2], " 中文名字   1"; got != want {
		t.Errorf("narrower: %q, want %q", got, want)
	}
}

func TestTailIsKept(t *testing.T) {
	tab := &Table{}
	tab.SetStyles(themes.New(themes.None))
	tab.SetColumns([]Column{{Title: "QUEUE", Min: 6}})
	tab.SetRows([]string{"a"}, func(int) []Cell { return []Cell{{Text: "a-long-queue", Tail: " #2"}} })
	if got := strings.Split(plain(tab.View(11, 2)), "\n")[1]; got != " a-long… #2" {
		t.Errorf("got %q", got)
	}
}

func TestSelectionStaysWithItsRow(t *testing.T) {
	tab := table("a", "b", "c", "d")
	tab.MoveTo(2)
	set(tab, "x", "y", "c", "a")
	if tab.Selected() != "c" || tab.Index() != 2 {
		t.Errorf("selected %q at %d", tab.Selected(), tab.Index())
	}
	set(tab, "n1", "n2", "n3", "c", "a")
	if tab.Selected() != "c" || tab.Index() != 3 {
		t.Errorf("selected %q at %d", tab.Selected(), tab.Index())
	}
	set(tab, "n1", "a") // c is gone: the row at its place, at most the last
	if tab.Selected() != "a" {
		t.Errorf("selected %q", tab.Selected())
	}
	set(tab)
	if tab.Selected() != "" || tab.Index() != -1 {
		t.Errorf("an empty table selects %q at %d", tab.Selected(), tab.Index())
	}
	set(tab, "z")
	if tab.Selected() != "z" {
		t.Errorf("selected %q", tab.Selected())
	}
}

func TestOnlyVisibleRowsAreMade(t *testing.T) {
	ids := make([]string, 100_000)
	for i := range ids {
		ids[i] = fmt.Sprint("row", i)
	}
	made := map[int]int{}
	tab := table()
	tab.SetRows(ids, func(i int) []Cell { made[i]++; return []Cell{{Text: ids[i]}} })
	tab.View(80, 24)
	tab.Bottom()
	tab.View(80, 24)
	if len(made) > measured+50 {
		t.Errorf("%d rows were made", len(made))
	}
	if !strings.Contains(tab.View(80, 24), "row99999") {
		t.Error("the last row is not shown")
	}
	before := made[99_999]
	tab.View(80, 24)
	if made[99_999] != before {
		t.Error("an unchanged view was drawn again")
	}
}

func TestTableNeverExceedsItsSize(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	tab := table("a", "数据数据数据数据数据数据", strings.Repeat("long", 50), "d", "e")
	for range 3000 {
		w, h := r.IntN(120), r.IntN(12)
		tab.MoveTo(r.IntN(8) - 1)
		lines := strings.Split(tab.View(w, h), "\n")
		if len(lines) > max(h, 1) {
			t.Fatalf("%d lines in %d", len(lines), h)
		}
		for _, line := range lines {
			if cell.Width(line) > w {
				t.Fatalf("width %d: %q", w, line)
			}
		}
	}
}

func TestSelectedRowIsAlwaysVisible(t *testing.T) {
	ids := make([]string, 50)
	for i := range ids {
		ids[i] = fmt.Sprintf("row-%02d", i)
	}
	tab := table(ids...)
	r := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		tab.Move(r.IntN(30) - 15)
		if view := tab.View(40, 2+r.IntN(10)); !strings.Contains(view, tab.Selected()) {
			t.Fatalf("%s is not in\n%s", tab.Selected(), view)
		}
	}
}

func BenchmarkTableView(b *testing.B) {
	ids := make([]string, 10_000)
	for i := range ids {
		ids[i] = fmt.Sprint("row-", i)
	}
	tab := table(ids...)
	for b.Loop() {
		tab.Move(1)
		tab.View(200, 50)
	}
}
