package wizard

import (
	"os"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/forms"
	"muster.dev/muster/ui/safetext"
)

// saveDelay is how long after the first of some changes they are written: what a crash can cost.
const saveDelay = 300 * time.Millisecond

// saver keeps the draft on disk.
type saver struct {
	store   *forms.Store
	broken  error // why drafts can't be kept, or why the last save failed
	pending bool  // a save is due
	running bool
	saved   time.Time
	edited  []string // folders of editor programs whose text the draft has; they go when it is saved
	file    *file
}

// file is the draft's file, as the screen and the saves that run share it.
type file struct {
	sync.Mutex
	closed bool // the last word was written, or the draft is gone: no save that is late may write
}

func newSaver(o Options) saver { return saver{store: o.Store, broken: o.StoreError, file: &file{}} }

// Messages carry the file that they concern: there may be several forms on the stack of screens.
type saveMsg struct{ of *file }

type savedMsg struct {
	of     *file
	at     time.Time
	edited []string // folders that are no longer needed, and gone
	err    error
}

// soon asks for a save after a moment.
func (s *saver) soon() tea.Cmd {
	if s.store == nil || s.pending {
		return nil
	}
	s.pending = true
	f := s.file
	return tea.Tick(saveDelay, func(time.Time) tea.Msg { return saveMsg{f} })
}

func (s *saver) update(m *Model, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case saveMsg:
		if msg.of != s.file || s.running { // the one that runs asks again
			return nil
		}
		return s.start(m)
	case savedMsg:
		if msg.of != s.file {
			return nil
		}
		s.running = false
		s.broken = msg.err
		if msg.err == nil {
			s.saved = msg.at
			s.edited = slices.DeleteFunc(s.edited, func(folder string) bool { return slices.Contains(msg.edited, folder) })
		}
		if s.pending {
			return s.start(m)
		}
	}
	return nil
}

func (s *saver) start(m *Model) tea.Cmd {
	s.pending = false
	if s.store == nil {
		s.dropEdited() // the form is all there is to keep a text
		return nil
	}
	if s.running {
		s.pending = true
		return nil
	}
	s.running = true
	draft, now, store, f, edited := m.draft.Clone(), m.env.Now(), s.store, s.file, slices.Clone(s.edited)
	return func() tea.Msg {
		f.Lock()
		defer f.Unlock()
		if f.closed {
			return nil
		}
		err := store.Save(draft, now)
		if err == nil {
			remove(edited)
		}
		return savedMsg{of: f, at: now, edited: edited, err: err}
	}
}

// dropEdited removes what editor programs wrote, which is safe by now.
func (s *saver) dropEdited() {
	remove(s.edited)
	s.edited = nil
}

func remove(folders []string) {
	for _, folder := range folders {
		_ = os.RemoveAll(folder) // else it is told as one that was left
	}
}

// flush writes the draft at once and leaves it to others.
func (s *saver) flush(m *Model) {
	s.file.Lock()
	defer s.file.Unlock()
	if s.store == nil || s.file.closed {
		return
	}
	if m.pristine {
		_ = s.store.Close(m.draft.ID) // nothing of it is kept
		return
	}
	s.file.closed = true
	now := m.env.Now()
	if s.broken = s.store.Release(m.draft, now); s.broken == nil {
		s.saved = now
		s.dropEdited()
	}
}

// forget removes the draft: it became a job, or is not wanted.
func (s *saver) forget(m *Model) error {
	s.file.Lock()
	defer s.file.Unlock()
	s.file.closed = true
	s.dropEdited()
	if s.store == nil {
		return nil
	}
	return s.store.Delete(m.draft.ID)
}

// state says whether what was typed is safe.
func (s *saver) state(m *Model) said {
	switch {
	case s.broken != nil:
		return said{m.env.T("form.draft.broken", "error", safetext.Clean(s.broken.Error())), forms.Doubtful}
	case s.saved.IsZero():
		return said{}
	}
	return said{m.env.T("form.draft.saved", "time", s.saved.Format("15:04:05")), forms.Info}
}
