package editor

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/google/shlex"
)

// What can go wrong with an editor program. [ExternalMsg] wraps one of them.
var (
	ErrNoEditor = errors.New("no editor program found")
	ErrRun      = errors.New("the editor program failed")
	ErrFile     = errors.New("the temporary file cannot be used")
	ErrTooLong  = errors.New("the text is too long")
	ErrNotText  = errors.New("the file is not UTF-8 text or holds NUL")
)

// ExternalMsg is what came back from the user's editor program. With Err the text is to be kept as it was.
type ExternalMsg struct {
	ID   string // as given to [External]
	Text string
	Err  error
	Cmd  string // the program
}

// Program finds the editor program: VISUAL, EDITOR (words as a shell splits them), else the first of vi, vim, nano
// that there is.
func Program(getenv func(string) string, look func(string) (string, error)) ([]string, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		value := strings.TrimSpace(getenv(name))
		if value == "" {
			continue
		}
		words, err := shlex.Split(value)
		if err != nil || len(words) == 0 {
			return nil, fmt.Errorf("%w: %s=%q", ErrNoEditor, name, value)
		}
		if _, err := look(words[0]); err != nil {
			return nil, fmt.Errorf("%w: %s=%q", ErrNoEditor, name, value)
		}
		return words, nil
	}
	for _, name := range []string{"vi", "vim", "nano"} {
		if _, err := look(name); err == nil {
			return []string{name}, nil
		}
	}
	return nil, fmt.Errorf("%w: VISUAL, EDITOR", ErrNoEditor)
}

// External opens text in the user's editor program, in a temporary file that only the user can read, and brings the
// result as an [ExternalMsg]. The file is removed in any case. suffix, such as ".sh", tells the program the kind.
func External(id, text, suffix string) tea.Cmd {
	fail := func(err error) tea.Cmd {
		return func() tea.Msg { return ExternalMsg{ID: id, Err: err} }
	}
	words, err := Program(os.Getenv, exec.LookPath)
	if err != nil {
		return fail(err)
	}
	dir, err := os.MkdirTemp("", "muster-") // 0700: also the program's own backup files are nobody else's
	if err != nil {
		return fail(fmt.Errorf("%w: %w", ErrFile, err))
	}
	path := filepath.Join(dir, "args"+suffix)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return fail(errors.Join(fmt.Errorf("%w: %w", ErrFile, err), os.RemoveAll(dir)))
	}
	command := exec.Command(words[0], append(words[1:], path)...) //nolint:gosec // the user's own choice of editor
	return tea.ExecProcess(command, func(err error) tea.Msg {
		defer func() { _ = os.RemoveAll(dir) }() // nothing of it is needed; /tmp is cleaned by the system
		msg := ExternalMsg{ID: id, Cmd: words[0]}
		if err != nil {
			msg.Err = fmt.Errorf("%w: %w", ErrRun, err)
			return msg
		}
		msg.Text, msg.Err = ReadBack(path, text)
		return msg
	})
}

// ReadBack reads what an editor program wrote. Most end every file with a line break: if the text had none before,
// one is taken off again.
func ReadBack(path, before string) (string, error) {
	data, err := os.ReadFile(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrFile, err)
	case len(data) > MaxBytes:
		return "", fmt.Errorf("%w: %d bytes", ErrTooLong, len(data))
	case !utf8.Valid(data), bytes.IndexByte(data, 0) >= 0:
		return "", ErrNotText
	}
	text := string(data)
	if !strings.HasSuffix(before, "\n") && strings.HasSuffix(text, "\n") {
		text = strings.TrimSuffix(text, "\n")
	}
	return text, nil
}
