package table

import (
	"strings"
	"testing"
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

func TestTabsGiveTheNthFieldToCut(t *testing.T) {
	var out strings.Builder
	rows := [][]string{{"PHASE", "NAME", "QUEUE", "LAST"}, {"Succeeded", "exactly8", "", "two words"}, {"排队中", "a-rather-long-name", "a\tb", "b"}}
	if err := New(Tabs).Write(&out, rows); err != nil {
		t.Fatal(err)
	}
	want := "PHASE\tNAME\tQUEUE\tLAST\nSucceeded\texactly8\t-\ttwo words\n排队中\ta-rather-long-name\ta b\tb\n"
	if out.String() != want {
		t.Errorf("got\n%q\nwant\n%q", out.String(), want)
	}
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
