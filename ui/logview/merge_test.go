package logview

import (
	"fmt"
	"slices"
	"testing"

	"muster.dev/muster/backend/logs"
)

// waiting is how many lines wait for the screen when a source brings n lines one by one.
func waiting(source []logs.Line) batch {
	b := batch{lines: slices.Clip(source[:1]), size: len(source[0].Text)}
	for i := range source[1:] {
		b = merge(b, batch{lines: slices.Clip(source[i+1 : i+2]), size: len(source[i+1].Text)})
	}
	return b
}

func TestManySmallBatchesAreMergedWithoutCopyingAllOfThemEachTime(t *testing.T) {
	source := numbered(0, 10_000)
	before := fmt.Sprint(source)
	b := waiting(source)
	size := 0
	for i := range source {
		size += len(source[i].Text)
		if b.lines[i].Text != source[i].Text {
			t.Fatalf("line %d is %q", i, b.lines[i].Text)
		}
	}
	if len(b.lines) != len(source) || b.size != size || fmt.Sprint(source) != before {
		t.Errorf("%d lines of %d bytes, or the source's own lines were changed", len(b.lines), b.size)
	}
	if allocations := testing.AllocsPerRun(1, func() { waiting(source) }); allocations > 100 {
		t.Errorf("%v arrays were made for %d lines", allocations, len(source))
	}
}

func BenchmarkMergeOf19000Lines(b *testing.B) {
	source := numbered(0, 19_000)
	b.ReportAllocs()
	for b.Loop() {
		waiting(source)
	}
}
