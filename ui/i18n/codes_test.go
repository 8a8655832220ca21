package i18n

import (
	"slices"
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/status"
)

// Whatever the backend can say has a text in both languages, and no text waits for an argument that is not given.
func TestBackendCodesHaveTexts(t *testing.T) {
	for _, lang := range Languages() {
		texts := entries(t, lang)
		for _, reason := range status.Reasons() {
			if forms, ok := texts["reason."+reason]; !ok || len(argumentsOf(forms)) > 0 {
				t.Errorf("%s: reason %s: text %v, of a reason nothing but the code is known", lang, reason, forms)
			}
		}
		for _, c := range slices.Concat(job.Codes(), render.Codes()) {
			forms, ok := texts["problem."+c.Code]
			if !ok {
				t.Errorf("%s: problem %s has no text", lang, c.Code)
			}
			for _, name := range argumentsOf(forms) {
				if !slices.Contains(c.Args, name) {
					t.Errorf("%s: problem %s: %q is not among its arguments %v", lang, c.Code, name, c.Args)
				}
			}
		}
	}
}
