package train

import (
	"strconv"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/stock"
	"muster.dev/muster/forms"
)

func (f *Form) cluster() []forms.Field {
	return []forms.Field{
		{
			ID: "cluster", Kind: forms.Suggest, Label: "form.cluster", Hint: "form.cluster.hint",
			Options: func(d *forms.Draft) []forms.Option {
				var out []forms.Option
				for _, c := range f.context.Snapshot.Site.Usable(f.context.workspace(d), job.ResourceKind(d.Get("resource"))) {
					out = append(out, forms.Option{Value: c.Name, Detail: clusterDetail(c)})
				}
				return out
			},
			Default: func(*forms.Draft) string { return f.Verdict.Resolved.Cluster },
			Notes: func(d *forms.Draft) []forms.Note {
				c, known := f.context.cluster(d)
				switch {
				case !known:
					return nil
				case c.RDMA.Resource != "":
					return []forms.Note{note(forms.Info, "form.cluster.rdma", "resource", c.RDMA.Resource)}
				}
				return []forms.Note{note(forms.Doubtful, "form.cluster.noRDMA")}
			},
		},
		{
			ID: "cardType", Kind: forms.Suggest, Label: "form.cardType", Hint: "form.cardType.hint",
			Options: func(d *forms.Draft) []forms.Option {
				c, _ := f.context.cluster(d)
				var out []forms.Option
				for _, card := range c.CardTypes {
					out = append(out, forms.Option{Value: card.Name, Detail: f.cardDetail(c, card)})
				}
				return out
			},
			Default: func(*forms.Draft) string { return f.Verdict.Resolved.CardType },
			Notes:   f.cardNotes,
		},
		{ID: keyNodes, Kind: forms.Number, Label: "form.nodes", Hint: "form.nodes.hint", Visible: hasNodes},
		{
			ID: tableRoles, Kind: forms.Table, Label: "form.roles", Hint: "form.roles.hint",
			AddLabel: "form.roles.add", CanAdd: func(d *forms.Draft) bool { return is(d, job.Custom) },
			NewRow: func(*forms.Draft) forms.Row { return forms.Row{"replicas": "1", "gpus": "0"} },
			Fixed: func(d *forms.Draft, _ int) string {
				if !is(d, job.Custom) {
					return "form.roles.fixed"
				}
				if len(d.Tables[tableRoles]) == 1 {
					return "form.roles.last"
				}
				return ""
			},
			Notes: f.roleNotes,
			Columns: []forms.Column{
				{ID: "name", Label: "form.roles.name", Hint: "form.roles.name.hint", Min: 9, Locked: known},
				{ID: "replicas", Kind: forms.Number, Label: "form.roles.replicas", Hint: "form.roles.replicas.hint", Right: true, Min: 5, Locked: isMaster},
				{ID: "gpus", Kind: forms.Number, Label: "form.roles.gpus", Hint: "form.roles.gpus.hint", Right: true, Min: 5, Locked: whole, Default: f.whole("gpus")},
				{ID: "wholeNode", Kind: forms.Toggle, Label: "form.roles.wholeNode", Hint: "form.roles.wholeNode.hint", Min: 5},
				{ID: "cpu", Label: "form.roles.cpu", Hint: "form.roles.cpu.hint", Right: true, Min: 5, Locked: whole, Default: f.whole("cpu")},
				{ID: "memory", Label: "form.roles.memory", Hint: "form.roles.memory.hint", Right: true, Min: 8, Locked: whole, Default: f.whole("memory")},
				{ID: "stock", Kind: forms.Computed, Label: "form.roles.stock", Min: 16, Grow: true, Say: func(_ *forms.Draft, row int) forms.Note {
					return f.context.stockNote(f.Verdict.Resolved, row)
				}},
			},
		},
	}
}

func clusterDetail(c site.Cluster) forms.Said {
	cards := ""
	for i, card := range c.CardTypes {
		if i > 0 {
			cards += ", "
		}
		cards += card.Name
	}
	return forms.Say("form.cluster.detail", "cards", cards, "name", c.DisplayName)
}

func (f *Form) cardDetail(c site.Cluster, card site.CardType) forms.Said {
	for _, k := range f.context.Snapshot.Stock {
		if k.Cluster == c.Name && k.CardType == card.Name && k.Known {
			return forms.Say("form.cardType.free", "free", strconv.Itoa(k.Free), "total", strconv.Itoa(k.Total))
		}
	}
	return forms.Say("form.cardType.unknown")
}

func (f *Form) cardNotes(*forms.Draft) []forms.Note {
	k, found := stock.Of(f.context.Snapshot.Stock, f.Verdict.Resolved)
	switch {
	case !found:
		return nil
	case !k.Known:
		return []forms.Note{note(forms.Info, "form.cardType.noRight", "right", k.Missing)}
	}
	return []forms.Note{note(forms.Info, "form.cardType.free", "free", strconv.Itoa(k.Free), "total", strconv.Itoa(k.Total))}
}

// known is true for a role whose name the framework gives.
func known(d *forms.Draft, row int) bool {
	for _, name := range framework(d).RoleNames() {
		if d.Get(at(tableRoles, row, "name")) == name {
			return true
		}
	}
	return false
}

func isMaster(d *forms.Draft, row int) bool {
	return hasNodes(d) && d.Get(at(tableRoles, row, "name")) == job.RoleMaster && d.Get(at(tableRoles, row, "replicas")) == "1"
}

func whole(d *forms.Draft, row int) bool { return on(d, at(tableRoles, row, "wholeNode")) }

// whole is what a role gets where nothing is typed.
func (f *Form) whole(column string) func(*forms.Draft, int) string {
	return func(_ *forms.Draft, row int) string {
		if row >= len(f.Verdict.Resolved.Roles) {
			return ""
		}
		r := f.Verdict.Resolved.Roles[row]
		switch column {
		case "cpu":
			return r.CPU
		case "memory":
			return r.Memory
		}
		return strconv.Itoa(r.GPUs)
	}
}

// roleNotes say what the roles come to.
func (f *Form) roleNotes(*forms.Draft) []forms.Note {
	nodes, cards := Size(f.Verdict.Resolved)
	out := []forms.Note{note(forms.Info, "form.roles.total", "count", strconv.Itoa(nodes), "cards", strconv.Itoa(cards), "cardType", f.Verdict.Resolved.CardType)}
	if f.Verdict.Resolved.CardType == "" || cards == 0 {
		out[0] = note(forms.Info, "form.roles.totalPlain", "count", strconv.Itoa(nodes), "cards", strconv.Itoa(cards))
	}
	return out
}

// Size is how many nodes and cards one job takes.
func Size(s job.Spec) (nodes, cards int) {
	for _, r := range s.Roles {
		nodes += max(r.Replicas, 0)
		cards += max(r.Replicas, 0) * max(r.GPUs, 0)
	}
	return nodes, cards
}
