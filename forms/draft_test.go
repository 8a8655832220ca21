package forms

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParsePath(t *testing.T) {
	for path, want := range map[string]Cell{
		"image":                             {"image", -1, ""},
		"submission.queue":                  {"submission.queue", -1, ""},
		"roles[1].gpus":                     {"roles", 1, "gpus"},
		"roles[12]":                         {"roles", 12, ""},
		"faultTolerance.rules[0].exitCodes": {"faultTolerance.rules", 0, "exitCodes"},
		"roles[x].gpus":                     {"roles[x].gpus", -1, ""},
		"roles]0[":                          {"roles]0[", -1, ""},
		"env.A[0]":                          {"env.A", 0, ""},
	} {
		got := ParsePath(path)
		if got != want || got.Path() != path {
			t.Errorf("%s: %+v, back %s", path, got, got.Path())
		}
	}
}

func sample() *Draft {
	d := NewDraft("20261201-a1", time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC))
	d.Title = "bert 训练"
	d.Set("image", "x:1\t\x1b[31m ")
	d.Set("args", "line 1\n\ttwo  \r\n\u202e")
	d.AddRow("roles", 9, Row{"name": "master", "gpus": "eight"})
	d.AddRow("roles", 9, Row{"name": "worker"})
	d.AddRow("secretEnv", 0, Row{"name": "TOKEN"})
	d.SetSecret("secretEnv[0].value", "s3cr3t")
	return d
}

func TestRowsAndSecretsMoveTogether(t *testing.T) {
	d := sample()
	d.AddRow("secretEnv", 1, Row{"name": "B"})
	d.SetSecret("secretEnv[1].value", "b")
	d.AddRow("secretEnv", 0, nil)
	if d.Secret("secretEnv[1].value") != "s3cr3t" || d.Secret("secretEnv[2].value") != "b" || d.Secret("secretEnv[0].value") != "" {
		t.Fatalf("after adding a row above: %q", d.secrets)
	}
	d.RemoveRow("secretEnv", 1)
	if d.Get("secretEnv[1].name") != "B" || d.Secret("secretEnv[1].value") != "b" {
		t.Fatalf("after removing a row: %q %q", d.Tables["secretEnv"], d.secrets)
	}
	r := d.Revision()
	d.Set("image", d.Get("image"))
	d.Set("roles[7].gpus", "1")
	d.RemoveRow("roles", 7)
	if d.Revision() != r {
		t.Error("what changes nothing counted as a change")
	}
	c := d.Clone()
	c.Set("roles[0].gpus", "1")
	c.SetSecret("secretEnv[1].value", "other")
	if d.Get("roles[0].gpus") != "eight" || d.Secret("secretEnv[1].value") != "b" {
		t.Error("a clone shares its rows")
	}
}

func TestSaveAndList(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "drafts")
	s := NewStore(dir)
	now := time.Date(2026, 12, 1, 12, 4, 31, 0, time.UTC)
	if kept, aside, err := s.List(now); err != nil || kept != nil || aside != nil {
		t.Fatalf("no directory yet: %v %v %v", kept, aside, err)
	}
	d := sample()
	if err := s.Save(d, now); err != nil {
		t.Fatal(err)
	}
	other := NewDraft("20261201-b2", now)
	if err := s.Save(other, now.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o700, s.path(d.ID): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	data, err := os.ReadFile(s.path(d.ID))
	if err != nil || strings.Contains(string(data), "s3cr3t") {
		t.Fatalf("the secret stands in the file, or %v", err)
	}
	kept, aside, err := s.List(now)
	if err != nil || len(aside) != 0 || len(kept) != 2 || kept[0].Draft.ID != other.ID {
		t.Fatalf("%v %v %v", kept, aside, err)
	}
	got := kept[1].Draft
	if !reflect.DeepEqual(got.Values, d.Values) || !reflect.DeepEqual(got.Tables, d.Tables) || got.Title != d.Title || !got.Saved.Equal(now) || kept[1].Open {
		t.Fatalf("read back: %+v", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
	if err := s.Delete(d.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(d.ID); err != nil {
		t.Errorf("deleting twice: %v", err)
	}
	if err := s.Delete("../x"); err == nil {
		t.Error("a path was taken for a draft")
	}
	if err := s.Save(NewDraft("a/b", now), now); err == nil {
		t.Error("a path was taken for a draft")
	}
}

func TestBrokenAndNewerDraftsAreSetAside(t *testing.T) {
	dir := t.TempDir()
	s := NewStore(dir)
	now := time.Now()
	good := sample()
	if err := s.Save(good, now); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	broken := []string{
		write("a.draft.json", `{"version":1,"id":"a","values":`),
		write("b.draft.json", "\x00\xff"),
		write("c.draft.json", `{"version":1,"id":"other","values":{}}`),
		write("d.draft.json", `{"version":1,"id":"d","values":{"x":3}}`),
		write("f.draft.json", ``),
	}
	newer := write("e.draft.json", `{"version":2,"id":"e","values":{"x":{"new":"form"}}}`)
	write("notes.txt", "not ours")
	kept, aside, err := s.List(now)
	if err != nil || len(kept) != 1 || kept[0].Draft.ID != good.ID || len(aside) != len(broken)+1 {
		t.Fatalf("%v %v %v", kept, aside, err)
	}
	for _, path := range broken {
		if _, err := os.Stat(path + ".broken"); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Stat(newer); err != nil {
		t.Errorf("the newer draft is gone: %v", err)
	}
	if kept, aside, err := s.List(now); err != nil || len(kept) != 1 || len(aside) != 1 || !aside[0].Newer {
		t.Fatalf("again: %v %v %v", kept, aside, err)
	}
}

func TestSaveSaysWhatFailed(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := NewStore(filepath.Join(blocked, "drafts"))
	if err := s.Save(sample(), time.Now()); err == nil || !strings.Contains(err.Error(), blocked) {
		t.Errorf("%v", err)
	}
}

func TestStateDir(t *testing.T) {
	for _, c := range []struct{ xdg, home, want string }{
		{"/x", "/home/a", "/x/muster/drafts"},
		{"", "/home/a", "/home/a/.local/state/muster/drafts"},
		{"relative", "/home/a", "/home/a/.local/state/muster/drafts"},
		{"", "", ""},
	} {
		env := map[string]string{"XDG_STATE_HOME": c.xdg, "HOME": c.home}
		got, err := StateDir(func(k string) string { return env[k] })
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: %q %v", c, got, err)
		}
	}
}

func TestStoreKeepsThePlace(t *testing.T) {
	s := NewStore(filepath.Join(t.TempDir(), "drafts"))
	d := NewDraft("a", time.Unix(1, 0))
	d.Place = Place{Context: "h100-prod", User: "alice", Workspace: "research"}
	if err := s.Release(d, time.Unix(2, 0)); err != nil {
		t.Fatal(err)
	}
	kept, _, err := s.List(time.Unix(3, 0))
	if err != nil || len(kept) != 1 || kept[0].Draft.Place != d.Place {
		t.Errorf("%v, %v", kept, err)
	}
}
