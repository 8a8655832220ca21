package train

import (
	"muster.dev/muster/forms"
)

// The sections, in their order.
const (
	SectionBasics     = "basics"
	SectionImage      = "image"
	SectionStorage    = "storage"
	SectionCluster    = "cluster"
	SectionSubmission = "submission"
	SectionFault      = "fault"
	SectionAdvanced   = "advanced"
	SectionReview     = "review"
)

// Form is the create page for one state of the cluster and one state of a draft: the schema's functions say what holds
// since the last [Form.Check].
type Form struct {
	Schema  forms.Schema
	Verdict Verdict

	context *Context
}

// NewForm returns the create page.
func NewForm(c *Context) *Form {
	f := &Form{context: c}
	f.Schema = forms.Schema{Sections: []forms.Section{
		{ID: SectionBasics, Label: "form.section.basics", Fields: f.basics()},
		{ID: SectionImage, Label: "form.section.image", Fields: f.image()},
		{ID: SectionStorage, Label: "form.section.storage", Fields: f.storage()},
		{ID: SectionCluster, Label: "form.section.cluster", Fields: f.cluster()},
		{ID: SectionSubmission, Label: "form.section.submission", Fields: f.submission()},
		{ID: SectionFault, Label: "form.section.fault", Fields: f.fault()},
		{ID: SectionAdvanced, Label: "form.section.advanced", Fields: f.advanced()},
		{ID: SectionReview, Label: "form.section.review"},
	}}
	return f
}

// Check judges the draft anew.
func (f *Form) Check(d *forms.Draft) { f.Verdict = Check(d, f.context) }

// options makes choices whose labels stand in the catalogue under a prefix.
func options(prefix string, values ...string) func(*forms.Draft) []forms.Option {
	out := make([]forms.Option, len(values))
	for i, v := range values {
		out[i] = forms.Option{Value: v, Label: forms.Say(prefix + v)}
	}
	return func(*forms.Draft) []forms.Option { return out }
}

// fixed is a default that does not depend on anything.
func fixed(text string) func(*forms.Draft) string { return func(*forms.Draft) string { return text } }

func note(level forms.Level, key string, pairs ...string) forms.Note {
	return forms.Note{Said: forms.Say(key, pairs...), Level: level}
}
