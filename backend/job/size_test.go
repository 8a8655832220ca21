package job

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A spec is written to count its bytes only when a bound says that it may be too large: the bound must never be below.
func TestTheBoundOfAListIsNeverBelowWhatIsWritten(t *testing.T) {
	pieces := []string{"python", "-m", "3e-4", "训练", "a b", "'", `"`, `\`, "\n", "\t", "\x01", "\u2028", "😀", ":", ", ", "yes", "/data", "#", "{"}
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		words := make([]string, 1+r.IntN(40))
		most := 0
		for i := range words {
			for range r.IntN(4) {
				words[i] += pieces[r.IntN(len(pieces))]
			}
			most += wordAtMost(words[i])
		}
		s := Default()
		before, err := Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		s.Command = words
		after, err := Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		if written := len(after) - len(before); written > most+100 {
			t.Fatalf("%q: %d bytes are written, the bound is %d", words, written, most)
		}
	}
}

func TestASpecThatIsTooLargeIsFound(t *testing.T) {
	s := Default()
	s.Command = strings.Fields(strings.Repeat("word ", 30_000))
	data, err := Encode(s)
	if err != nil || len(data) <= maxSpecBytes {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	for _, p := range Validate(s).Errors {
		if p.Code == CodeSpecTooLarge {
			return
		}
	}
	t.Error("not found")
}
