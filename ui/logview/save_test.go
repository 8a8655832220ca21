package logview

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"muster.dev/muster/backend/logs"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/internal/fixture"
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

func TestASavedLogSaysWhatHappenedInWords(t *testing.T) {
	lines := []logs.Line{
		{Time: fixture.Now(), Role: "worker", Index: 1, Text: "step 1"},
		{Time: fixture.Now(), Role: "worker", Index: 1, Mark: logs.Ended, Text: "137"},
	}
	for lang, want := range map[string]string{"en": "worker-1: container ended, exit 137", "zh": "worker-1：容器已退出，退出码 137"} {
		var out strings.Builder
		if n, err := writeLines(&out, i18n.New(lang), lines, nil); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		if got := out.String(); !strings.Contains(got, "Z worker-1 step 1\n") || !strings.Contains(got, "Z ── "+want+" ──\n") {
			t.Errorf("%s: %s", lang, got)
		}
	}
}
