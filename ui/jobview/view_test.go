package jobview

import (
	"strings"
	"testing"

	"muster.dev/muster/ui/cell"
)

func TestOnlyAsMuchOfAMessageIsWrappedAsIsShown(t *testing.T) {
	for _, message := range []string{strings.Repeat("x", 1<<20), strings.Repeat("数据\xff", 1<<18), "short"} {
		got := brief(message, 80)
		if len(got) > 3000 {
			t.Errorf("%d of %d bytes are left to wrap", len(got), len(message))
		}
		if len(message) > 100 && (len(cell.Wrap(got, 78)) < headLines || !strings.HasSuffix(got, cell.Ellipsis)) {
			t.Errorf("too little is left of %q…: %q", message[:9], got)
		}
	}
}
