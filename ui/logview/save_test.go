package logview

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestASaveThatFailsLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	full := errors.New("no space left")
	path, err := write(dir, "job", func(w io.Writer) error {
		fmt.Fprint(w, string(make([]byte, 1<<16)))
		seen, globErr := filepath.Glob(filepath.Join(dir, "*.log"))
		if globErr != nil || len(seen) > 0 {
			t.Errorf("a file that is not whole has a final name: %v, %v", seen, globErr)
		}
		return full
	})
	if !errors.Is(err, full) || path != "" {
		t.Errorf("%q, %v", path, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
