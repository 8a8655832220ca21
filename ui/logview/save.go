package logview

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/logs"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/nav"
)

// saveDir is where logs are saved: the user's state directory, else the working directory.
func saveDir() (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		home, err := os.UserHomeDir()
		if err != nil {
			return os.Getwd()
		}
		base = filepath.Join(home, ".local", "state")
	}
	dir := filepath.Join(base, "muster", "logs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return os.Getwd()
	}
	return dir, nil
}

type savedMsg struct {
	owner   *Model
	path    string
	count   int
	missing int
	err     error
}

// save writes what is held (with a filter, what is seen) to a file, every line whole.
func (m *Model) save() tea.Cmd {
	if m.saving {
		return nil
	}
	if m.filter.written(&m.store) == 0 && !m.filter.behind(&m.store) {
		text := m.env.T("log.nothingToSave")
		if m.filter.pattern != nil && len(m.store.lines) > len(m.store.marks) {
			text = m.env.T("log.allHidden", "filter", m.filter.text)
		}
		return m.Send(nav.Notify{Level: nav.Warned, Text: text})
	}
	m.saving = true
	lines, pattern := m.store.lines, m.filter.pattern
	missing, dir, job, now, texts := m.store.first, m.saveDir, m.request.Job, m.env.Now(), m.env.Texts
	return func() tea.Msg {
		msg := savedMsg{owner: m, missing: missing}
		folder, err := dir()
		if err != nil {
			msg.err = err
			return msg
		}
		msg.path, msg.err = write(folder, fileName(job)+"-"+now.Format("20060102-150405"), func(w io.Writer) error {
			var err error
			msg.count, err = writeLines(w, texts, lines, pattern)
			return err
		})
		return msg
	}
}

// fileName is a job's name as part of a file's.
func fileName(job string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, job)
}

// writeLines writes every line whole that the pattern (nil: every one) lets be seen, and marks. It returns how many
// lines those were without the marks.
func writeLines(w io.Writer, texts *i18n.Texts, lines []logs.Line, pattern *regexp.Regexp) (count int, err error) {
	for i := range lines {
		line := &lines[i]
		text := fmt.Sprintf("%s-%d %s", line.Role, line.Index, line.Text)
		switch {
		case line.Mark != logs.NoMark:
			text = "── " + markText(texts, line, fmt.Sprintf("%s-%d", line.Role, line.Index)) + " ──"
		case pattern != nil && !pattern.MatchString(visible(line)):
			continue
		default:
			count++
		}
		if _, err := fmt.Fprintf(w, "%s %s\n", line.Time.UTC().Format(time.RFC3339Nano), text); err != nil {
			return count, err
		}
	}
	return count, nil
}

// write makes a file in folder and has it filled. It has its name only when it is whole: until then its name ends in
// .partial, and when something goes wrong it is removed.
func write(folder, name string, fill func(io.Writer) error) (path string, err error) {
	file, err := os.CreateTemp(folder, name+".*.partial") // 0600
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	w := bufio.NewWriter(file)
	if err = fill(w); err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = file.Sync() // over a network, only this tells that there was room
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ { // nothing that was saved before is overwritten
		path = filepath.Join(folder, name+".log")
		if n > 1 {
			path = filepath.Join(folder, name+"-"+strconv.Itoa(n)+".log")
		}
		if _, err := os.Lstat(path); err != nil {
			break // there is none, or the rename says what is wrong
		}
	}
	return path, os.Rename(file.Name(), path)
}

func (m *Model) saved(msg savedMsg) tea.Cmd {
	if msg.owner != m {
		return nil
	}
	m.saving = false
	t, path := m.env.Texts, fromHome(msg.path)
	switch {
	case msg.err != nil:
		return m.Send(nav.Notify{Level: nav.Failed, Text: t.T("log.saveFailed", "error", msg.err.Error())})
	case msg.missing > 0:
		return m.Send(nav.Notify{Level: nav.Warned, Text: t.T("log.savedPart", "count", msg.count, "path", path, "missing", msg.missing)})
	}
	return m.Send(nav.Notify{Level: nav.Kept, Text: t.T("log.saved", "count", msg.count, "path", path)})
}

// fromHome is a path as a shell takes it too, shorter where it is in the user's home.
func fromHome(path string) string {
	if home, err := os.UserHomeDir(); err == nil {
		if rest, ok := strings.CutPrefix(path, filepath.Clean(home)+string(filepath.Separator)); ok {
			return "~/" + rest
		}
	}
	return path
}
