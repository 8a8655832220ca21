package table

import (
	"slices"
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
	if err := New(Spaces).Write(&out, [][]string{{"a\nb\x1b[31m", "\t\u2028", "c\r", "\x1b]0;T\ad\u202ee\u202c"}}); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "a b  -  c  de\n"; got != want {
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

func TestColumnsFitTheWidth(t *testing.T) {
	columns := []Column{{}, {Drop: 1}, {Drop: 2}, {Flow: Wrap}, {Flow: Cut}}
	rows := [][]string{
		{"NAME", "PHASE", "QUEUE", "REASON", "MORE"},
		{"a-rather-long-name", "Running", "team-queue", "the image can not be pulled from there", "a text that is much too long for this"},
	}
	for _, c := range []struct {
		width   int
		dropped []int
		want    string
	}{
		{0, nil, "a-rather-long-name  Running  team-queue  the image can not be pulled from there  a text that is much too long for this\n"},
		{90, nil, "a-rather-long-name  Running  team-queue  the image can not be     a text that is much too…\n" +
			strings.Repeat(" ", 41) + "pulled from there\n"},
		{72, []int{2}, "a-rather-long-name  Running  the image can not  a text that is much too…\n" +
			strings.Repeat(" ", 29) + "be pulled from\n" + strings.Repeat(" ", 29) + "there\n"},
		{40, []int{1, 2}, "a-rather-long-name  the image   a text that is much too…\n" +
			strings.Repeat(" ", 20) + "can not be\n" + strings.Repeat(" ", 20) + "pulled\n" + strings.Repeat(" ", 20) + "from there\n"},
	} {
		var out strings.Builder
		made := New(Spaces).Fit(c.width, columns)
		if err := made.Write(&out, rows); err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(out.String(), "\n"); got != c.want {
			t.Errorf("width %d: got\n%s\nwant\n%s", c.width, got, c.want)
		}
		if got := made.Dropped(); !slices.Equal(got, c.dropped) {
			t.Errorf("width %d: dropped %v, want %v", c.width, got, c.dropped)
		}
	}
}

func TestChineseWrapsInCells(t *testing.T) {
	var out strings.Builder
	rows := [][]string{{"检查项目", "镜像拉取失败请检查镜像名称和仓库凭据后重试"}}
	if err := New(Spaces).Fit(30, []Column{{}, {Flow: Wrap}}).Write(&out, rows); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		if w := displaywidth.String(line); w > 30 {
			t.Errorf("%d cells: %q", w, line)
		}
	}
	if got := strings.Join(strings.Fields(out.String()), ""); got != strings.Join(rows[0], "") {
		t.Errorf("text is lost: %q", out.String())
	}
}

func TestPipesLoseNothing(t *testing.T) {
	var out strings.Builder
	if err := New(Tabs).Fit(10, []Column{{Drop: 1}, {Flow: Cut}}).Write(&out, [][]string{{"first", "a long text of many cells"}}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "first\ta long text of many cells\n" {
		t.Errorf("%q", got)
	}
}
