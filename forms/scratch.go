package forms

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// scratchPrefix begins the names of folders in which a text of a draft is edited by another program.
const scratchPrefix = "edit-"

// Scratch makes a folder, which only the user can read, for files of other programs that concern a draft. It counts as
// in use as long as the draft is open; [Store.List] tells those that were left with something in them.
func (s *Store) Scratch(id string) (string, error) {
	if err := s.ready(id); err != nil {
		return "", err
	}
	s.hold(id)
	return os.MkdirTemp(s.dir, scratchPrefix+id+"-") // 0700
}

// Close gives up a draft that was opened and never saved.
func (s *Store) Close(id string) error { return s.free(id) }

// leftScratch tells whether a folder was left by a form that is gone. An empty one is removed.
func (s *Store) leftScratch(name string) bool {
	rest, ok := strings.CutPrefix(name, scratchPrefix)
	end := strings.LastIndexByte(rest, '-')
	if !ok || end < 0 || !goodID.MatchString(rest[:end]) {
		return false
	}
	s.mu.Lock()
	mine := s.held[rest[:end]] != nil
	s.mu.Unlock()
	if mine || s.locked(rest[:end]) {
		return false
	}
	err := os.Remove(filepath.Join(s.dir, name))
	return err != nil && !errors.Is(err, os.ErrNotExist)
}
