package editor

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
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

// ExternalMsg is what came back from the user's editor program. With Err the text is to be kept as it was, unless the
// program had Saved before it failed.
type ExternalMsg struct {
	ID    string // as given to [External]
	Text  string
	Err   error
	Saved bool   // with Err: Text is what the program had written before it failed, and is to be taken
	Cmd   string // the program
	// Path is the file, which is still there: what the program wrote stands in it and nowhere else. "" when there is
	// nothing in it that the text before had not. Folder is to be removed with all in it once Text is safe; without
	// a Text to be taken, it is the user's.
	Path   string
	Folder string
}

// Taken tells whether Text is to be taken.
func (m ExternalMsg) Taken() bool { return m.Err == nil || m.Saved }

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

// External opens text in the user's editor program, in a file of a folder that newFolder makes for it alone (mode 0700:
// the program's own backup files are nobody else's either), and brings the result as an [ExternalMsg]. Whatever the
// program wrote and nobody has yet stays there. suffix, such as ".sh", tells the program the kind.
func External(id, text, suffix string, newFolder func() (string, error)) tea.Cmd {
	words, err := Program(os.Getenv, exec.LookPath)
	if err != nil {
		return func() tea.Msg { return ExternalMsg{ID: id, Err: err} }
	}
	s := &session{id: id, words: words, text: text, suffix: suffix, newFolder: newFolder, grace: grace}
	return tea.Exec(s, s.result)
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
