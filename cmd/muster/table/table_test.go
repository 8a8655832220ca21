package table

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

func TestSpacesLineUpInCells(t *testing.T) {
	var out strings.Builder
	rows := [][]string{{"PHASE", "NAME", "QUEUE"}, {"排队中", "bert-预训练", "q"}, {"Running", "x", ""}}
	if err := New(Spaces).Write(&out, rows); err != nil {
		t.Fatal(err)
	}
	want := "PHASE    NAME         QUEUE\n排队中   bert-预训练  q\nRunning  x            -\n"
	if out.String() != want {
		t.Errorf("got\n%q\nwant\n%q", out.String(), want)
	}
}

func TestTabsStartAtTheSameStop(t *testing.T) {
	var out strings.Builder
	rows := [][]string{{"PHASE", "NAME", "LAST"}, {"Succeeded", "exactly8", "a"}, {"排队中", "a-rather-long-name", "b"}}
	if err := New(Tabs).Write(&out, rows); err != nil {
		t.Fatal(err)
	}
	starts := map[int]bool{}
	for i, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == '\t' })
		if len(fields) != 3 || fields[0] != rows[i][0] || fields[1] != rows[i][1] || fields[2] != rows[i][2] {
			t.Errorf("line %q splits into %q", line, fields)
		}
		starts[lastColumn(line)] = true
	}
	if len(starts) != 1 {
		t.Errorf("the last column starts at %v in\n%s", starts, out.String())
	}
}

// lastColumn is the cell at which the text after the last tab starts on a terminal with stops of eight.
func lastColumn(line string) int {
	at := 0
	for _, r := range line[:strings.LastIndexByte(line, '\t')+1] {
		if r == '\t' {
			at = (at/8 + 1) * 8
			continue
		}
		at += displaywidth.Rune(r)
	}
	return at
}

func TestACellCannotMakeARow(t *testing.T) {
	var out strings.Builder
	if err := New(Spaces).Write(&out, [][]string{{"a\nb\x1b[31m", "\t\u2028", "c\r"}}); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "a b [31m  -  c\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLaterRowsKeepTheWidths(t *testing.T) {
	var out strings.Builder
	c := New(Spaces)
	for _, row := range []string{"a-long-name", "b"} {
		if err := c.Write(&out, [][]string{{row, "x"}}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := out.String(), "a-long-name  x\nb            x\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
