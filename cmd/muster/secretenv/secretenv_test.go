package secretenv

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	got, err := Parse([]byte("\xef\xbb\xbf# tokens\r\n\r\nWANDB_API_KEY=a=b \"c\" $d\r\n  HF_TOKEN= kept\nEMPTY=\nLONG=" + long))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"WANDB_API_KEY": `a=b "c" $d`, "HF_TOKEN": " kept", "EMPTY": "", "LONG": long}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRefusedLines(t *testing.T) {
	for _, c := range []struct {
		name, text, code string
		line             int
	}{
		{"no equals", "A=1\ns3cret", "NoEquals", 2},
		{"a name that is none", "A-B=s3cret", "BadName", 1},
		{"a space before the equals", "A =s3cret", "BadName", 1},
		{"nothing before the equals", "=s3cret", "BadName", 1},
		{"export", "export A=s3cret", "BadName", 1},
		{"twice", "A=1\n\nA=s3cret", "Twice", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.text))
			var e *Error
			if !errors.As(err, &e) || e.Code != c.code || e.Line != c.line {
				t.Fatalf("got %v, want line %d: %s", err, c.line, c.code)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error shows the value: %v", err)
			}
		})
	}
}
