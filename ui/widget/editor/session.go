package editor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// grace is how long an editor program has to end when muster is asked to end.
const grace = 2 * time.Second

// session is one run of an editor program, as bubbletea executes it. bubbletea does nothing else meanwhile: signals
// that ask muster to end must end the program first, or they would have no effect.
type session struct {
	id        string
	words     []string
	text      string
	suffix    string
	newFolder func() (string, error)
	grace     time.Duration

	in       io.Reader
	out, err io.Writer
	folder   string // made by Run; "" when that failed
	path     string
}

func (s *session) SetStdin(r io.Reader)  { s.in = r }
func (s *session) SetStdout(w io.Writer) { s.out = w }
func (s *session) SetStderr(w io.Writer) { s.err = w }

// Run writes the file and runs the program until it ends.
func (s *session) Run() error {
	folder, err := s.newFolder()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFile, err)
	}
	s.folder, s.path = folder, filepath.Join(folder, "args"+s.suffix)
	if err := os.WriteFile(s.path, []byte(s.text), 0o600); err != nil {
		return fmt.Errorf("%w: %w", ErrFile, err)
	}
	command := exec.Command(s.words[0], append(s.words[1:len(s.words):len(s.words)], s.path)...) //nolint:gosec // the user's own choice of editor
	command.Stdin, command.Stdout, command.Stderr = s.in, s.out, s.err

	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := command.Start(); err != nil {
		return fmt.Errorf("%w: %w", ErrRun, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	var late <-chan time.Time
	for {
		select {
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("%w: %w", ErrRun, err)
			}
			return nil
		case s1 := <-signals:
			if late != nil { // the second time
				_ = command.Process.Kill() // it may have ended by now
				continue
			}
			_ = command.Process.Signal(s1)
			late = time.After(s.grace)
		case <-late:
			_ = command.Process.Kill()
		}
	}
}

// result is what the run came to. What was written stays on disk until it is safe elsewhere; the rest is removed.
func (s *session) result(err error) tea.Msg {
	msg := ExternalMsg{ID: s.id, Cmd: s.words[0], Err: err}
	if err != nil && !errors.Is(err, ErrRun) && !errors.Is(err, ErrFile) {
		msg.Err = fmt.Errorf("%w: %w", ErrRun, err) // of the terminal
	}
	if s.folder == "" {
		return msg
	}
	text, unread := ReadBack(s.path, s.text)
	switch {
	case unread != nil:
		msg.Err = errors.Join(msg.Err, unread)
		if _, gone := os.Lstat(s.path); gone == nil || s.others() {
			msg.Folder, msg.Path = s.folder, s.path
		}
	case text != s.text:
		msg.Text, msg.Saved = text, msg.Err != nil
		msg.Folder, msg.Path = s.folder, s.path
	case msg.Err != nil && s.others(): // such as the swap file of an editor that was hung up on
		msg.Folder, msg.Path = s.folder, s.path
	case msg.Err == nil:
		msg.Text = text
	}
	if msg.Folder == "" {
		_ = os.RemoveAll(s.folder) // nothing of it is needed; it is met again as one that was left
	}
	return msg
}

// others tells whether the program left more than the file.
func (s *session) others() bool {
	entries, err := os.ReadDir(s.folder)
	for _, e := range entries {
		if e.Name() != filepath.Base(s.path) {
			return true
		}
	}
	return err != nil
}
