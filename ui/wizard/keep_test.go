package wizard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"muster.dev/muster/forms"
	"muster.dev/muster/ui/widget/editor"
)

// edited is a folder as an editor program leaves it.
func edited(t *testing.T, dir, text string) (folder, path string) {
	t.Helper()
	folder = filepath.Join(dir, "edit")
	path = filepath.Join(folder, "args.sh")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder, path
}

func gone(path string) bool {
	_, err := os.Stat(path)
	return os.IsNotExist(err)
}

func TestWhatAnEditorWroteStaysUntilTheDraftIsSaved(t *testing.T) {
	o := options("en")
	o.Store = store(t)
	s := open(t, o)
	s.focus("args")
	folder, path := edited(t, t.TempDir(), "new")
	msg := editor.ExternalMsg{ID: s.m.draft.ID + " args", Text: "new", Err: editor.ErrRun, Saved: true, Cmd: "vim", Path: path, Folder: folder}
	_, cmd := s.m.Update(msg)
	if s.m.draft.Get("args") != "new" || !strings.Contains(s.m.flash.text, "vim failed, but had saved") {
		t.Fatalf("%q, %q", s.m.draft.Get("args"), s.m.flash.text)
	}
	if gone(folder) {
		t.Fatal("the file is gone before the draft is saved")
	}
	s.run(cmd)
	kept, _, err := o.Store.List(morning)
	if err != nil || len(kept) != 1 || kept[0].Draft.Get("args") != "new" {
		t.Fatalf("%+v, %v", kept, err)
	}
	if !gone(folder) || len(s.m.saver.edited) != 0 {
		t.Error("the file is left after the draft is saved")
	}

	// muster ends before the save ran.
	folder, path = edited(t, t.TempDir(), "newer")
	s.m.Update(editor.ExternalMsg{ID: s.m.draft.ID + " args", Text: "newer", Cmd: "vim", Path: path, Folder: folder})
	s.m.Close()
	if kept, _, _ := o.Store.List(morning); len(kept) != 1 || kept[0].Draft.Get("args") != "newer" || !gone(folder) {
		t.Errorf("%+v; the file is gone: %v", kept, gone(folder))
	}
}

func TestWhatAnEditorWroteStaysWhenTheDraftCannotBeSaved(t *testing.T) {
	o := options("en")
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o.Store = forms.NewStore(filepath.Join(blocked, "drafts"))
	s := open(t, o)
	s.focus("args")
	folder, path := edited(t, t.TempDir(), "new")
	s.message(editor.ExternalMsg{ID: s.m.draft.ID + " args", Text: "new", Cmd: "vim", Path: path, Folder: folder})
	s.m.Close()
	if gone(path) {
		t.Error("the only file with the text is gone")
	}
}

func TestWhereAnEditorsTextIsKeptIsSaid(t *testing.T) {
	s := open(t, options("en"))
	s.focus("args")
	folder, path := edited(t, t.TempDir(), "\xff")
	s.message(editor.ExternalMsg{ID: s.m.draft.ID + " args", Err: editor.ErrNotText, Cmd: "vim", Path: path, Folder: folder})
	frame := strings.Join(strings.Fields(s.frame(120, 30)), "")
	if !strings.Contains(frame, "notUTF-8") || !strings.Contains(frame, filepath.Base(path)) {
		t.Errorf("not said:\n%s", s.frame(120, 30))
	}
	s.press("esc")
	if s.m.dialog != nil || gone(path) {
		t.Error("the dialog does not close, or the file is gone")
	}
}

func TestADraftThatIsOpenElsewhereCanBeCopiedAndDeleted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "drafts")
	form := func() *screen {
		o := options("en")
		o.Store = forms.NewStore(dir)
		return open(t, o)
	}
	first := form()
	first.focus("displayName")
	first.typed("bert")

	second := form()
	second.press("enter")
	if second.m.dialog == nil || !strings.Contains(second.frame(100, 30), "open a copy") {
		t.Fatalf("not asked:\n%s", second.frame(100, 30))
	}
	second.press("enter")
	if second.m.dialog != nil || second.m.draft.Get("displayName") != "bert" || second.m.draft.ID == first.m.draft.ID {
		t.Fatalf("%v, %s", second.m.dialog, second.m.draft.ID)
	}
	second.m.Close()

	third := form()
	d, ok := third.m.dialog.(*drafts)
	if !ok || len(d.kept) != 2 {
		t.Fatalf("%+v", third.m.dialog)
	}
	if !d.kept[d.at].Open {
		third.press("down")
	}
	id := d.kept[d.at].Draft.ID
	third.press("ctrl+x")
	if len(d.kept) != 2 || !strings.Contains(third.frame(100, 30), "Press ctrl+x again to delete it all") {
		t.Fatalf("not asked:\n%s", third.frame(100, 30))
	}
	third.press("ctrl+x")
	if len(d.kept) != 1 || !gone(filepath.Join(dir, id+".draft.json")) || id != first.m.draft.ID {
		t.Errorf("%d drafts are left", len(d.kept))
	}
}

// blocked is a store that nothing can be written to.
func blocked(t *testing.T) *forms.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return forms.NewStore(filepath.Join(path, "drafts"))
}

func TestWhatCannotBeSavedIsNotLeftWithoutAWord(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"the folder can't be made": func(o *Options) { o.Store = blocked(t) },
		"there is no folder":       func(o *Options) { o.StoreError = errors.New("neither XDG_STATE_HOME nor HOME is set") },
	} {
		t.Run(name, func(t *testing.T) {
			o := options("en")
			change(&o)
			s := open(t, o)
			s.press("esc")
			if len(s.sent) != 1 {
				t.Fatalf("a form with nothing typed asks before it is left: %v", s.sent)
			}
			s = open(t, o)
			s.focus("displayName")
			s.typed("bert")
			if strings.Contains(s.frame(80, 24), "draft kept") {
				t.Errorf("promises to keep it:\n%s", s.frame(80, 24))
			}
			s.press("esc")
			if frame := s.frame(80, 24); len(s.sent) != 0 || !strings.Contains(frame, "leave, lose it") || !strings.Contains(frame, "is lost when you leave") {
				t.Fatalf("not asked: %v\n%s", s.sent, frame)
			}
			if frame := ansi.Strip(s.frame(20, 5)); !strings.Contains(frame, "y leave, lose") {
				t.Errorf("20×5 shows no answer:\n%s", frame)
			}
			s.press("esc")
			if s.m.dialog != nil || len(s.sent) != 0 || s.m.draft.Get("displayName") != "bert" {
				t.Fatal("esc does not stay")
			}
			s.press("esc", "y")
			if len(s.sent) != 1 {
				t.Fatalf("y does not leave: %v", s.sent)
			}
		})
	}
}

// ctrl+c ends muster: once the form asks, the second time it is meant.
func TestHoldAsksOnce(t *testing.T) {
	o := options("en")
	o.Store = blocked(t)
	s := open(t, o)
	if s.m.Hold() {
		t.Fatal("an empty form holds muster")
	}
	s.focus("displayName")
	s.typed("bert")
	if !s.m.Hold() || s.m.dialog == nil {
		t.Fatal("does not ask")
	}
	if s.m.Hold() {
		t.Fatal("asks twice")
	}

	o = options("en")
	o.Store = store(t)
	s = open(t, o)
	s.focus("displayName")
	s.typed("bert")
	if s.m.Hold() {
		t.Fatal("asks although the draft is saved")
	}
}
