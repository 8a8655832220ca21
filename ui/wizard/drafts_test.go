package wizard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/forms"
	"muster.dev/muster/ui/widget/editor"
)

func TestTheDraftIsKeptAsOneTypes(t *testing.T) {
	o := options("en")
	dir := filepath.Join(t.TempDir(), "drafts")
	o.Store = forms.NewStore(dir)
	s := open(t, o)
	s.m.Close()
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Error("a draft was kept though nothing was typed")
	}
	s = open(t, o)
	s.focus("displayName")
	s.typed("be") // the commands run at once here: typing is saved without leaving
	s.focus("secretEnv")
	s.press("enter")
	s.message(tea.PasteMsg{Content: "TOKEN"})
	s.press("tab")
	s.message(tea.PasteMsg{Content: "hunter2"})
	if s.m.saver.saved.IsZero() || !strings.Contains(s.frame(80, 24), "draft saved 12:04:31") {
		t.Error("saving is not shown")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if len(files) != 1 {
		t.Fatalf("files: %v", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil || !strings.Contains(string(data), `"be"`) || strings.Contains(string(data), "hunter2") {
		t.Errorf("%v %s", err, data)
	}
	// the session is dropped: no Close. Another one offers the draft.
	again := open(t, o)
	if _, ok := again.m.dialog.(*drafts); !ok {
		t.Fatal("the draft is not offered")
	}
	again.press("enter")
	if again.m.draft.Get("displayName") != "be" || again.m.draft.Get("secretEnv[0].name") != "TOKEN" {
		t.Errorf("%v", again.m.draft.Values)
	}
	again.fill()
	again.m.draft.RemoveRow("secretEnv", 0)
	again.press("ctrl+s", "enter")
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 0 {
		t.Errorf("left after the submission: %v", files)
	}
	again.m.Close()
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 0 {
		t.Errorf("the submitted draft came back: %v", files)
	}
}

func TestASaveThatIsLateWritesNothing(t *testing.T) {
	o := options("en")
	o.Store = store(t)
	s := open(t, o)
	s.fill()
	late := s.m.saver.start(s.m) // runs only after the draft became a job
	s.press("ctrl+s", "enter")
	if msg := late(); msg != nil {
		t.Errorf("%v", msg)
	}
	if kept, _, _ := o.Store.List(morning); len(kept) != 0 {
		t.Error("the submitted draft came back")
	}
}

func TestADraftThatCannotBeSavedIsSaid(t *testing.T) {
	o := options("en")
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o.Store = forms.NewStore(filepath.Join(blocked, "drafts"))
	s := open(t, o)
	s.focus("displayName")
	s.typed("b")
	if !strings.Contains(s.frame(120, 24), "draft not saved") {
		t.Error("not said")
	}
	o.Store, o.StoreError = nil, errors.New("no HOME")
	if s := open(t, o); !strings.Contains(s.frame(120, 24), "no HOME") {
		t.Error("not said")
	}
}

func TestDeletingADraftAsksTwice(t *testing.T) {
	o := options("en")
	o.Store = store(t)
	d := forms.NewDraft("kept", morning)
	if err := o.Store.Release(d, morning); err != nil {
		t.Fatal(err)
	}
	s := open(t, o)
	s.press("ctrl+x", "down", "up", "ctrl+x")
	if kept, _, _ := o.Store.List(morning); len(kept) != 1 {
		t.Fatal("deleted at once")
	}
	s.press("ctrl+x")
	if kept, _, _ := o.Store.List(morning); len(kept) != 0 || s.m.dialog != nil {
		t.Error("not deleted")
	}
}

func TestACopyHasANameOfItsOwn(t *testing.T) {
	o := options("en")
	spec := job.Default()
	spec.Name, spec.DisplayName, spec.Image = "bert-1", "BERT", "x:1"
	o.Spec, o.From = &spec, "bert-1"
	if s := open(t, o); s.m.form.Verdict.Spec.Name == "bert-1" || s.m.draft.Get("displayName") != "BERT" {
		t.Errorf("%+v", s.m.form.Verdict.Spec)
	}
	o.From = ""
	if s := open(t, o); s.m.form.Verdict.Spec.Name != "bert-1" {
		t.Error("a file's name is lost")
	}
}

func TestExternalEditor(t *testing.T) {
	s := open(t, options("en"))
	s.focus("args")
	s.typed("a")
	s.message(editor.ExternalMsg{ID: s.m.draft.ID + " args", Text: "from\n\tvim", Cmd: "vim"})
	if s.m.draft.Get("args") != "from\n\tvim" {
		t.Errorf("%q", s.m.draft.Get("args"))
	}
	s.message(editor.ExternalMsg{ID: s.m.draft.ID + " args", Err: editor.ErrTooLong})
	s.message(editor.ExternalMsg{ID: "another args", Text: "of another form"})
	if s.m.draft.Get("args") != "from\n\tvim" || s.m.flash.text == "" {
		t.Errorf("%q %q", s.m.draft.Get("args"), s.m.flash.text)
	}
	s.press("alt+z")
	if s.m.draft.Get("args") != "a" {
		t.Errorf("undone to %q", s.m.draft.Get("args"))
	}
}
