package i18n

import (
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/ui/cell"
)

func TestAProblemRepeatsNoLongValueInFull(t *testing.T) {
	for _, value := range []string{strings.Repeat("x", 100_000), strings.Repeat("训", 30_000), strings.Repeat("\x1b[31m", 10_000), strings.Repeat("e\u0301", 9_000)} {
		text := New(English).Problem(job.Problem{Code: job.CodeBadWorkspace, Args: map[string]string{"value": value}})
		if w := cell.Width(text); w > 60+120 || !strings.Contains(text, "…”") || strings.ContainsRune(text, '\x1b') {
			t.Errorf("%.20q: %d cells: %.300s", value, w, text)
		}
	}
	short := strings.Repeat("y", 60)
	if text := New(English).Problem(job.Problem{Code: job.CodeBadWorkspace, Args: map[string]string{"value": short}}); !strings.Contains(text, short) {
		t.Errorf("cut without need: %s", text)
	}
}
