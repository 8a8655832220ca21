package forcedelete

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"muster.dev/muster/cmd/localcluster/forcedelete/ordinary"
)

func TestAll(t *testing.T) {
	base := ordinary.Dir(t)
	tree, outside := filepath.Join(base, "tree"), filepath.Join(base, "outside")
	err := ordinary.Do(func() error {
		for _, dir := range []string{filepath.Join(tree, "cache", "deep"), filepath.Join(tree, "closed"), outside} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, "f"), nil, 0o444); err != nil {
				return err
			}
		}
		return errors.Join(
			os.Symlink(outside, filepath.Join(tree, "cache", "link")),
			os.Chmod(outside, 0o555),
			os.Chmod(filepath.Join(tree, "cache", "deep"), 0o555), os.Chmod(filepath.Join(tree, "cache"), 0o555),
			os.Chmod(filepath.Join(tree, "closed"), 0))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := ordinary.Do(func() error { return os.RemoveAll(tree) }); !errors.Is(err, os.ErrPermission) {
		t.Fatalf("the tree is no obstacle, this test would prove nothing: %v", err)
	}
	if err := ordinary.Do(func() error { return All(tree) }); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(tree); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is there: %v", err)
	}
	t.Cleanup(func() { _ = os.Chmod(outside, 0o755) }) // so that an ordinary user's test can clean up
	info, err := os.Stat(outside)
	if err != nil || info.Mode().Perm() != 0o555 {
		t.Errorf("what a link led to: %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(filepath.Join(outside, "f")); err != nil {
		t.Error(err)
	}
	if err := All(tree); err != nil {
		t.Errorf("what is not there: %v", err)
	}
}

// TestOthersStay: what belongs to another user is not deleted, and said.
func TestOthersStay(t *testing.T) {
	if os.Geteuid() != 0 {
		// An ordinary user's directories all are that user's: /proc is root's everywhere.
		if err := All("/proc/1/attr"); err == nil {
			t.Error("deleted /proc/1/attr")
		}
		return
	}
	dir := filepath.Join(ordinary.Dir(t), "roots")
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := ordinary.Do(func() error { return All(dir) }); !errors.Is(err, os.ErrPermission) {
		t.Errorf("%v, want no permission", err)
	}
	if info, err := os.Stat(filepath.Join(dir, "sub")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info, err)
	}
}
