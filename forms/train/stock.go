package train

import (
	"strconv"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/stock"
	"muster.dev/muster/forms"
)

// stockNote is what stands beside a role's cards.
func (c *Context) stockNote(s job.Spec, row int) forms.Note {
	if row >= len(s.Roles) || s.Roles[row].GPUs <= 0 {
		return forms.Note{}
	}
	r := s.Roles[row]
	k, found := stock.Of(c.Snapshot.Stock, s)
	switch {
	case !found && c.reached():
		return forms.Note{Said: forms.Say("form.stock.none"), Level: forms.Info}
	case !found:
		return forms.Note{Said: forms.Say("form.stock.waiting"), Level: forms.Info}
	case !k.Known:
		return forms.Note{Said: forms.Say("form.stock.unknown", "right", k.Missing), Level: forms.Info}
	}
	nodes, cards := strconv.Itoa(k.NodesWith(r.GPUs)), strconv.Itoa(r.GPUs)
	fit := stock.Fits(k, stock.Wants(s)...)
	if fit.Now[row] >= r.Replicas {
		return forms.Note{Said: forms.Say("form.stock.free", "count", nodes, "cards", cards), Level: forms.Good}
	}
	level := forms.Bad
	if s.Submission.Mode == job.Queue && fit.Empty[row] >= r.Replicas {
		level = forms.Doubtful
	}
	return forms.Note{Said: forms.Say("form.stock.lacks", "count", nodes, "cards", cards, "asked", strconv.Itoa(stock.AtLeast(s.Roles, r.GPUs, nil))), Level: level}
}
