package snapshot

import (
	"slices"
	"testing"
)

func TestUnlisted(t *testing.T) {
	alice := []string{"list pods", "list nodes", "list jobs.batch", "list pods in namespace vision"}
	for _, c := range []struct {
		name, workspace string
		denied, want    []string
	}{
		{"only the whole cluster's lacks", "research", alice, nil},
		{"the workspace's lacks", "vision", alice, []string{"list pods in namespace vision"}},
		{"all workspaces", "", alice, []string{"list pods", "list jobs.batch"}},
		{"a name that begins alike", "vis", alice, nil},
		{"nothing lacks", "research", nil, nil},
	} {
		got := Facts{Workspace: c.workspace, Denied: c.denied}.Unlisted("pods", "jobs.batch")
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSeesAny(t *testing.T) {
	s := Snapshot{Workspaces: []string{"research", "vision"}}
	s.Facts.Denied = []string{"list pods", "list pods in namespace vision"}
	if !s.SeesAny("pods") {
		t.Error("research is seen")
	}
	s.Facts.Denied = append(s.Facts.Denied, "list pods in namespace research")
	if s.SeesAny("pods") {
		t.Error("none is seen")
	}
	if !s.SeesAny("jobs.batch") {
		t.Error("nothing of jobs is denied")
	}
}
