package forms

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
	"time"
)

// draftVersion is the form of the files that this build writes and reads.
const draftVersion = 1

const (
	suffix = ".draft.json"
	// maxFile is more than any draft needs: a greater file is none.
	maxFile = 16 << 20
	// abandoned is how long a temporary file of a save that never ended is left alone.
	abandoned = time.Hour
)

// StateDir is where drafts are kept: $XDG_STATE_HOME/muster/drafts, by default below ~/.local/state.
func StateDir(getenv func(string) string) (string, error) {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) { // the standard says: a relative one is to be ignored
		return filepath.Join(dir, "muster", "drafts"), nil
	}
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		return "", errors.New("drafts can't be kept: neither XDG_STATE_HOME nor HOME is an absolute path; set one of them")
	}
	return filepath.Join(home, ".local", "state", "muster", "drafts"), nil
}

// Store keeps drafts as files in one directory, which only the user can read.
type Store struct {
	dir   string
	flock flock

	mu   sync.Mutex
	held map[string]*os.File // locks of the drafts that are open here, by ID
}

// NewStore returns the store in a directory. It is made when something is saved.
func NewStore(dir string) *Store {
	return &Store{dir: dir, flock: systemLock, held: map[string]*os.File{}}
}

// file is what stands on disk. Secret values have no place in it.
type file struct {
	Version int               `json:"version"`
	ID      string            `json:"id"`
	Title   string            `json:"title,omitempty"`
	Place   Place             `json:"place,omitzero"`
	Created time.Time         `json:"created"`
	Saved   time.Time         `json:"saved"`
	Host    string            `json:"host,omitempty"` // who has it open, where there are no locks
	PID     int               `json:"pid,omitempty"`
	Started string            `json:"started,omitempty"` // of that process: see startOf
	Values  map[string]string `json:"values"`
	Tables  map[string][]Row  `json:"tables"`
}

var goodID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,63}$`)

// Save writes a draft: to a file of its own beside it, then over it, so that there is always a whole one. now is
// recorded as the time of saving. While the process lives, or until Release or Delete, the draft counts as open in it.
func (s *Store) Save(d *Draft, now time.Time) error {
	if err := s.ready(d.ID); err != nil {
		return err
	}
	f := content(d, now)
	if !s.hold(d.ID) {
		f.Host, _ = os.Hostname() // without a name, drafts of all hosts count as one's own
		f.PID = os.Getpid()
		f.Started = startOf(f.PID)
	}
	return s.write(f)
}

// Release is Save for a draft that is left: another muster may take it up.
func (s *Store) Release(d *Draft, now time.Time) error {
	if err := s.ready(d.ID); err != nil {
		return err
	}
	return errors.Join(s.write(content(d, now)), s.free(d.ID))
}

func content(d *Draft, now time.Time) file {
	return file{Version: draftVersion, ID: d.ID, Title: d.Title, Place: d.Place, Created: d.Created, Saved: now, Values: d.Values, Tables: d.Tables}
}

// ready makes the directory for a draft.
func (s *Store) ready(id string) error {
	if !goodID.MatchString(id) {
		return fmt.Errorf("saving a draft: %q can't be a file name", id)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("saving a draft: %w", err)
	}
	if err := os.Chmod(s.dir, 0o700); err != nil { //nolint:gosec // a directory needs x
		return fmt.Errorf("saving a draft: %w", err)
	}
	return nil
}

func (s *Store) write(f file) (err error) {
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("saving a draft: %w", err)
	}
	tmp, err := os.CreateTemp(s.dir, f.ID+".*.tmp") // 0600
	if err != nil {
		return fmt.Errorf("saving a draft: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("saving a draft: %w", err), os.Remove(tmp.Name()))
		}
	}()
	if _, err = tmp.Write(data); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err = tmp.Sync(); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), s.path(f.ID))
}

func (s *Store) path(id string) string { return filepath.Join(s.dir, id+suffix) }

// Delete removes a draft; one that is not there is no error.
func (s *Store) Delete(id string) error {
	if !goodID.MatchString(id) {
		return fmt.Errorf("deleting a draft: %q is not the name of one", id)
	}
	if err := os.Remove(s.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("deleting a draft: %w", err)
	}
	if err := s.free(id); err != nil {
		return fmt.Errorf("deleting a draft: %w", err)
	}
	return nil
}

// Kept is one draft on disk.
type Kept struct {
	Draft *Draft
	Open  bool // another form has it open, of another muster or of this one
}

// Aside is what else stands there: a file that could not be read as a draft, mostly.
type Aside struct {
	Path  string // where it is now
	Newer bool   // written by a newer muster; it was left as it is
	Edits bool   // no draft, but a folder with what another program wrote of one: see [Store.Scratch]
	Err   error
}

// List reads all drafts, the newest first. What is broken is renamed to *.broken, so that it is met only once;
// what a newer muster wrote is left alone. Both are told, and neither is an error of the rest.
func (s *Store) List(now time.Time) ([]Kept, []Aside, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading drafts: %w", err)
	}
	var kept []Kept
	var aside []Aside
	for _, e := range entries {
		path := filepath.Join(s.dir, e.Name())
		if strings.HasSuffix(e.Name(), ".tmp") {
			if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > abandoned {
				_ = os.Remove(path) // tried again next time
			}
			continue
		}
		if e.IsDir() && s.leftScratch(e.Name()) {
			aside = append(aside, Aside{Path: path, Edits: true})
		}
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		k, err := s.read(path, strings.TrimSuffix(e.Name(), suffix))
		var newer *newerError
		switch {
		case errors.As(err, &newer):
			aside = append(aside, Aside{Path: path, Newer: true, Err: err})
		case errors.Is(err, errBroken):
			broken := path + ".broken"
			if renamed := os.Rename(path, broken); renamed != nil {
				broken, err = path, errors.Join(err, renamed)
			}
			aside = append(aside, Aside{Path: broken, Err: err})
		case err != nil: // not ours to judge: rights, a file that went away
			aside = append(aside, Aside{Path: path, Err: err})
		default:
			kept = append(kept, k)
		}
	}
	sort.Slice(kept, func(i, j int) bool { return kept[i].Draft.Saved.After(kept[j].Draft.Saved) })
	return kept, aside, nil
}

var errBroken = errors.New("not a draft")

type newerError struct{ version int }

func (e *newerError) Error() string {
	return fmt.Sprintf("written by a newer muster (version %d, this one reads %d)", e.version, draftVersion)
}

func (s *Store) read(path, id string) (Kept, error) {
	if info, err := os.Stat(path); err != nil {
		return Kept{}, err
	} else if info.Size() > maxFile {
		return Kept{}, fmt.Errorf("%w: %d bytes", errBroken, info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Kept{}, err
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Kept{}, fmt.Errorf("%w: %w", errBroken, err)
	}
	if head.Version > draftVersion {
		return Kept{}, &newerError{head.Version}
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return Kept{}, fmt.Errorf("%w: %w", errBroken, err)
	}
	if f.Version != draftVersion || f.ID != id || !goodID.MatchString(id) {
		return Kept{}, fmt.Errorf("%w: version %d, id %q in the file of %q", errBroken, f.Version, f.ID, id)
	}
	d := NewDraft(f.ID, f.Created)
	d.Title, d.Saved, d.Place = f.Title, f.Saved, f.Place
	for k, v := range f.Values {
		d.Values[k] = v
	}
	for name, rows := range f.Tables {
		for i := range rows {
			if rows[i] == nil {
				rows[i] = Row{}
			}
		}
		d.Tables[name] = rows
	}
	return Kept{Draft: d, Open: s.open(f)}, nil
}
