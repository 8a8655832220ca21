package words

import (
	"errors"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/safetext"
)

// Failure is an error for people: the catalogue's text where the error is a finding of the backend, whose own text is
// for logs; else what the error says.
func Failure(t *i18n.Texts, err error) string {
	var finding interface{ Problem() job.Problem }
	if errors.As(err, &finding) {
		if p := finding.Problem(); t.Has("problem." + p.Code) {
			return withoutURL(t.Problem(p))
		}
	}
	return withoutURL(safetext.Clean(err.Error()))
}
