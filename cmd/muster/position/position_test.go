package position

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const file = `image: x
roles:
  - name: master
    gpus: 8
  - {name: worker, gpus: 4}
env:
  A: "1"
  my.name: "2"
  my: "3"
storage: []
`

func TestOrderOfTheFile(t *testing.T) {
	at := Of([]byte(file))
	want := []string{
		"name", "image", "roles", "roles[0].name", "roles[0].gpus", "roles[1].name", "roles[1].gpus", "env.A", "env.my.name", "env.my", "storage",
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortStableFunc(got, func(a, b string) int { return at(a) - at(b) })
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestWhatIsNotThereStandsAtItsParent(t *testing.T) {
	at := Of([]byte(file))
	for path, parent := range map[string]string{
		"roles[1].memory": "roles[1]", "roles[7].gpus": "roles", "storage[0].path": "storage", "env.NONE": "env", "roles.x": "roles", "imagePullSecret": "",
	} {
		if at(path) != at(parent) {
			t.Errorf("%s stands at %d, %s at %d", path, at(path), parent, at(parent))
		}
	}
}

func TestNoYAML(t *testing.T) {
	for _, text := range []string{"", "a: [", "just text", "\x00"} {
		if got := Of([]byte(text))("roles[0].gpus"); got != 0 {
			t.Errorf("%q: %d", text, got)
		}
	}
}
