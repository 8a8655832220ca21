package forms

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWhatWasLeftOfEditingIsTold(t *testing.T) {
	s, other := NewStore(t.TempDir()), NewStore("")
	other.dir = s.dir
	left := func() []string {
		t.Helper()
		_, aside, err := other.List(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, a := range aside {
			if !a.Edits {
				t.Errorf("%+v", a)
			}
			paths = append(paths, a.Path)
		}
		return paths
	}
	folder, err := s.Scratch("20261201-120431-abc")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 || filepath.Dir(folder) != s.dir {
		t.Fatalf("%s: %v %v", folder, info, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "args.sh"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty, err := s.Scratch("20261201-120431-abc")
	if err != nil {
		t.Fatal(err)
	}
	if got := left(); len(got) > 0 {
		t.Errorf("what is in use is told: %v", got)
	}
	if err := s.Close("20261201-120431-abc"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := left(); len(got) != 1 || got[0] != folder {
			t.Errorf("told: %v", got)
		}
	}
	if _, err := os.Stat(empty); !os.IsNotExist(err) {
		t.Errorf("an empty one is left: %v", err)
	}
	if _, err := s.Scratch("a/b"); err == nil {
		t.Error("a path was taken for a draft")
	}
}
