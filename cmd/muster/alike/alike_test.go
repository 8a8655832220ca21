package alike

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	jobs := []string{"bert-ft-0412", "bert-ft-0413", "llama-sweep", "whisper-eval", "x"}
	for _, c := range []struct {
		name string
		want []string
	}{
		{"bert-ft-0421", []string{"bert-ft-0412", "bert-ft-0413"}},
		{"lama-swep", []string{"llama-sweep"}},
		{"whisper", []string{"whisper-eval"}},
		{"exit-max", nil},
		{"", []string{"bert-ft-0412", "bert-ft-0413"}},
	} {
		if d := cmp.Diff(c.want, Names(c.name, jobs, 2)); d != "" {
			t.Errorf("%q: %s", c.name, d)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"预训练", "训练", 1}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
