package main

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

func TestFlagsLineUpInCells(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"options"}, {"submit", "--help"}} {
		status, out, _ := call(t, "", append(args, "--lang", "zh")...)
		if status != 0 {
			t.Fatalf("exit %d", status)
		}
		at, lines := 0, 0
		for _, line := range strings.Split(out, "\n") {
			trimmed := strings.TrimLeft(line, " ")
			if !strings.HasPrefix(trimmed, "-") || len(line)-len(trimmed) < 2 {
				continue
			}
			flag, text, found := strings.Cut(trimmed, "   ")
			if !found {
				t.Errorf("%q", line)
				continue
			}
			lines++
			column := displaywidth.String(line) - displaywidth.String(strings.TrimLeft(text, " "))
			if at == 0 {
				at = column
			}
			if column != at {
				t.Errorf("%q: the text of %s begins at %d, others at %d", args, flag, column, at)
			}
			if strings.Contains(line, "default )") || strings.Contains(line, "默认 ）") {
				t.Errorf("an empty default: %q", line)
			}
		}
		if lines < 5 {
			t.Errorf("%q: only %d flags found:\n%s", args, lines, out)
		}
	}
}

func TestOneFileIsTaken(t *testing.T) {
	for _, command := range []string{"create", "validate", "render", "submit"} {
		status, out, stderr := call(t, valid, command, "-f", "-", "--filename", "b.yaml")
		if status != exitWrong || out != "" || !strings.Contains(stderr, "given twice") {
			t.Errorf("%s: exit %d, %q, %q", command, status, out, stderr)
		}
	}
}

func TestAJobThatIsNotThereHasNoDate(t *testing.T) {
	for _, format := range []string{"json", "yaml"} {
		status, out, stderr := call(t, valid, "submit", "-f", "-", "--dry-run=client", "-o", format)
		if status != 0 || strings.Contains(out, "created") || strings.Contains(out, "0001") {
			t.Errorf("exit %d\n%s%s", status, out, stderr)
		}
	}
}
