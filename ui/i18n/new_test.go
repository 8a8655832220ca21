package i18n

import (
	"sync"
	"testing"
)

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New(Chinese)
	}
}

// Many goroutines may ask for a text for the first time at once.
func TestTextsAreSafeForManyGoroutines(t *testing.T) {
	texts := New(English)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for key := range texts.known {
				if texts.T(key, "count", 2) == "" {
					t.Errorf("%s is empty", key)
				}
			}
		})
	}
	group.Wait()
}
