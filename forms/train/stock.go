package train

import (
	"slices"
	"strconv"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/stock"
	"muster.dev/muster/forms"
)

// fits says for each role how many of its pods find a node, biggest pods first, each on the first node that has room:
// cards, and CPU and memory where both sides are known.
func fits(roles []job.Role, nodes []stock.Node, room func(stock.Node) (cards int, ok bool)) []int {
	type space struct {
		cards       int
		cpu, memory int64
	}
	var spaces []space
	for _, n := range nodes {
		if cards, ok := room(n); ok {
			spaces = append(spaces, space{cards, n.FreeCPU, n.FreeMemory})
		}
	}
	slices.SortStableFunc(spaces, func(a, b space) int { return a.cards - b.cards }) // a small pod leaves whole nodes whole
	order := make([]int, len(roles))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return roles[b].GPUs - roles[a].GPUs })
	placed := make([]int, len(roles))
	for _, i := range order {
		r := roles[i]
		if r.GPUs <= 0 {
			placed[i] = r.Replicas // which nodes take pods without cards is not known
			continue
		}
		cpu, memory := int64(0), int64(0)
		if q, ok := job.ParseCPU(r.CPU); ok && !r.WholeNode {
			cpu = q.MilliValue()
		}
		if q, ok := job.ParseMemory(r.Memory); ok && !r.WholeNode {
			memory = q.Value()
		}
		for n := range spaces {
			s := &spaces[n]
			for placed[i] < r.Replicas && s.cards >= r.GPUs && s.cpu >= cpu && s.memory >= memory {
				s.cards -= r.GPUs
				s.cpu -= cpu
				s.memory -= memory
				placed[i]++
			}
		}
	}
	return placed
}

func freeNow(n stock.Node) (int, bool) { return n.Free, n.Schedulable }

// ever counts a node as if nothing ran on it. Its CPU and memory are not known then, and not judged.
func ever(n stock.Node) (int, bool) { return n.Total, true }

// bare is a role judged by its cards alone.
func bare(roles []job.Role) []job.Role {
	out := slices.Clone(roles)
	for i := range out {
		out[i].CPU, out[i].Memory = "", ""
	}
	return out
}

// checkStock tells at which roles the cards lack. A standalone job that does not fit now is an error, a queued one
// waits, and one that fits no empty cluster is an error for both. Of a stock that is not known nothing is said.
func (c *Context) checkStock(s job.Spec) (errors, warnings []job.Problem) {
	k, found := c.stockOf(s)
	if !found || !k.Known {
		return nil, nil
	}
	now := fits(s.Roles, k.Nodes, freeNow)
	empty := fits(bare(s.Roles), k.Nodes, ever)
	for i, r := range s.Roles {
		if r.GPUs <= 0 || r.Replicas <= 0 {
			continue
		}
		path := at(tableRoles, i, "gpus")
		cards, asked := strconv.Itoa(r.GPUs), strconv.Itoa(alike(s.Roles, r.GPUs, nil))
		switch {
		case empty[i] < r.Replicas:
			errors = append(errors, problem(path, CodeStockNever, "cards", cards, "nodes", strconv.Itoa(alike(s.Roles, r.GPUs, empty)), "asked", asked))
		case now[i] >= r.Replicas:
		case s.Submission.Mode == job.Queue:
			warnings = append(warnings, problem(path, CodeStockWait, "cards", cards, "nodes", strconv.Itoa(alike(s.Roles, r.GPUs, now)), "asked", asked))
		default:
			errors = append(errors, problem(path, CodeStockLacks, "cards", cards, "nodes", strconv.Itoa(alike(s.Roles, r.GPUs, now)), "asked", asked))
		}
	}
	return errors, warnings
}

// alike counts the job's nodes with at least so many cards: those asked for, or those of them that are placed.
func alike(roles []job.Role, cards int, placed []int) int {
	n := 0
	for i, r := range roles {
		switch {
		case r.GPUs < cards || r.Replicas <= 0:
		case placed != nil:
			n += placed[i]
		default:
			n += r.Replicas
		}
	}
	return n
}

// stockNote is what stands beside a role's cards.
func (c *Context) stockNote(s job.Spec, row int) forms.Note {
	if row >= len(s.Roles) || s.Roles[row].GPUs <= 0 {
		return forms.Note{}
	}
	r := s.Roles[row]
	k, found := c.stockOf(s)
	switch {
	case !found && c.reached():
		return forms.Note{Said: forms.Say("form.stock.none"), Level: forms.Info}
	case !found:
		return forms.Note{Said: forms.Say("form.stock.waiting"), Level: forms.Info}
	case !k.Known:
		return forms.Note{Said: forms.Say("form.stock.unknown", "right", k.Missing), Level: forms.Info}
	}
	nodes, cards := strconv.Itoa(k.NodesWith(r.GPUs)), strconv.Itoa(r.GPUs)
	if fits(s.Roles, k.Nodes, freeNow)[row] >= r.Replicas {
		return forms.Note{Said: forms.Say("form.stock.free", "count", nodes, "cards", cards), Level: forms.Good}
	}
	level := forms.Bad
	if s.Submission.Mode == job.Queue && fits(bare(s.Roles), k.Nodes, ever)[row] >= r.Replicas {
		level = forms.Doubtful
	}
	return forms.Note{Said: forms.Say("form.stock.lacks", "count", nodes, "cards", cards, "asked", strconv.Itoa(alike(s.Roles, r.GPUs, nil))), Level: level}
}
