package forms

import (
	"testing"
	"time"

	"muster.dev/muster/backend/job"
)

// form is two sections with a hidden field, a table with a locked cell and a computed column, and a review.
func form() (*Schema, *Draft) {
	s := &Schema{Sections: []Section{
		{ID: "a", Fields: []Field{
			{ID: "name"},
			{ID: "hidden", Visible: func(*Draft) bool { return false }},
			{ID: "image", Aliases: []string{"imagePullSecret"}},
		}},
		{ID: "b", Fields: []Field{
			{ID: "roles", Kind: Table, AddLabel: "add", Columns: []Column{
				{ID: "name", Locked: func(_ *Draft, row int) bool { return row == 0 }}, {ID: "gpus"}, {ID: "stock", Kind: Computed}, {ID: "cpu"},
			}},
			{ID: "env", Kind: Multiline},
		}},
		{ID: "review"},
	}}
	d := NewDraft("x", time.Time{})
	d.AddRow("roles", 0, Row{"name": "master"})
	d.AddRow("roles", 1, Row{"name": "worker"})
	return s, d
}

func TestTabGoesThroughEverySectionAndBack(t *testing.T) {
	s, d := form()
	want := []string{"name", "image", "roles[0].gpus", "roles[0].cpu", "roles[1].name", "roles[1].gpus", "roles[1].cpu", "+", "env", ""}
	var got []Stop
	at := s.First(d, 0)
	for range want {
		got = append(got, at)
		at = s.Next(d, at, false)
	}
	for i, stop := range got {
		name := stop.Path()
		if stop.Column == Add {
			name = "+"
		}
		if name != want[i] {
			t.Fatalf("stop %d is %q, want %q (%v)", i, name, want[i], got)
		}
	}
	if last := s.Next(d, at, false); last != at {
		t.Errorf("past the end: %v", last)
	}
	for i := len(got) - 1; i > 0; i-- {
		if back := s.Next(d, got[i], true); back != got[i-1] {
			t.Errorf("before %v stands %v, want %v", got[i], back, got[i-1])
		}
	}
	if first := s.Next(d, got[0], true); first != got[0] {
		t.Errorf("before the start: %v", first)
	}
}

func TestUpAndDownKeepTheColumn(t *testing.T) {
	s, d := form()
	cpu := Stop{1, Cell{"roles", 0, "cpu"}}
	down := s.Vertical(d, cpu, false)
	if down != (Stop{1, Cell{"roles", 1, "cpu"}}) || s.Vertical(d, down, true) != cpu {
		t.Errorf("down %v, back %v", down, s.Vertical(d, down, true))
	}
	if up := s.Vertical(d, Stop{1, Cell{"roles", 1, "name"}}, true); up != (Stop{1, Cell{"roles", 0, "gpus"}}) {
		t.Errorf("above a locked cell: %v", up)
	}
	add := s.Vertical(d, down, false)
	env := s.Vertical(d, add, false)
	if add.Column != Add || env.Field != "env" || s.Vertical(d, env, false) != env {
		t.Errorf("%v %v", add, env)
	}
	if top := s.Vertical(d, cpu, true); top != cpu {
		t.Errorf("above the first line: %v", top)
	}
}

func TestPlaceAndFind(t *testing.T) {
	s, d := form()
	problems := []job.Problem{
		{Path: "env.LR", Code: "BadEnvName"}, {Path: "roles[1].gpus", Code: "RolesDiffer"}, {Path: "roles", Code: "RolesRequired"},
		{Path: "imagePullSecret", Code: "BadObjectName"}, {Path: "hidden", Code: "Required"}, {Path: "", Code: "Cluster"},
		{Path: "roles[9].cpu", Code: "BadCPU"}, {Path: "envelope", Code: "UnknownField"},
	}
	p := s.Place(d, problems)
	for path, n := range map[string]int{"env": 1, "roles[1].gpus": 1, "roles": 2, "image": 1} {
		if len(p.At[path]) != n {
			t.Errorf("%s has %v", path, p.At[path])
		}
	}
	if p.Sections[0] != 1 || p.Sections[1] != 4 || p.Sections[2] != 0 || len(p.Elsewhere) != 3 {
		t.Errorf("%v, elsewhere %v", p.Sections, p.Elsewhere)
	}
	if first, ok := s.FirstOf(d, problems); !ok || first.Field != "image" {
		t.Errorf("first: %v %v", first, ok)
	}
	if first, ok := s.FirstOf(d, problems[1:3]); !ok || first != (Stop{1, Cell{"roles", 0, "gpus"}}) {
		t.Errorf("first of the table: %v %v", first, ok)
	}
	if _, ok := s.FirstOf(d, []job.Problem{{Path: "hidden"}}); ok {
		t.Error("a hidden field was found")
	}
}

func TestSettleAfterARowIsGone(t *testing.T) {
	s, d := form()
	at := Stop{1, Cell{"roles", 1, "cpu"}}
	d.RemoveRow("roles", 1)
	if got := s.Settle(d, at); got.Field != "roles" {
		t.Errorf("%v", got)
	}
	d.SetTable("roles", nil)
	if got := s.Settle(d, at); got.Column != Add {
		t.Errorf("%v", got)
	}
}
