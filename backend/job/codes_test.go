package job_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
)

var gap = regexp.MustCompile(`\{\{([^}]*)\}\}`)

// Every code has a text in both languages, and no text uses an argument that its code does not give.
func TestEveryCodeHasItsTexts(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		data, err := os.ReadFile("../../ui/i18n/locales/problems." + lang + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var texts map[string]string
		if err := json.Unmarshal(data, &texts); err != nil {
			t.Fatal(err)
		}
		for _, c := range job.Codes() {
			key := "problem." + c.Code
			text, ok := texts[key]
			delete(texts, key)
			if !ok || text == "" {
				t.Errorf("%s: no text for %s", lang, key)
			}
			for _, m := range gap.FindAllStringSubmatch(text, -1) {
				name, ok := strings.CutPrefix(m[1], ".")
				if !ok || !slices.Contains(c.Args, name) {
					t.Errorf("%s: %s uses %s, but %s gives only %v", lang, key, m[0], c.Code, c.Args)
				}
			}
		}
		for key := range texts {
			t.Errorf("%s: %s is the text of no code in job.Codes", lang, key)
		}
	}
}

func TestCodesAreListedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range job.Codes() {
		if seen[c.Code] || !slices.IsSorted(c.Args) {
			t.Errorf("%s: twice, or its arguments are not sorted", c.Code)
		}
		seen[c.Code] = true
	}
}

// checkArgs proves that each problem carries exactly the arguments that its code promises.
func checkArgs(t *testing.T, r job.Report) {
	t.Helper()
	for _, p := range append(append([]job.Problem{}, r.Errors...), r.Warnings...) {
		i := slices.IndexFunc(job.Codes(), func(c job.CodeDoc) bool { return c.Code == p.Code })
		if i < 0 {
			t.Errorf("%s at %s is not in job.Codes", p.Code, p.Path)
			continue
		}
		if got, want := slices.Sorted(maps.Keys(p.Args)), job.Codes()[i].Args; !slices.Equal(got, want) {
			t.Errorf("%s at %s carries %v, its code promises %v", p.Code, p.Path, got, want)
		}
	}
}
