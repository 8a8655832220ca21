package logview

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/logs"
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
	if m.filter.count(&m.store) == 0 {
		return m.Send(nav.Notify{Level: nav.Warned, Text: m.env.T("log.nothingToSave")})
	}
	m.saving = true
	lines := make([]logs.Line, 0, m.filter.count(&m.store))
	for i := range m.filter.count(&m.store) {
		n, _ := m.filter.at(&m.store, i)
		lines = append(lines, *m.store.at(n))
	}
	missing, dir, job, now := m.store.first, m.saveDir, m.request.Job, m.env.Now()
	return func() tea.Msg {
		path, err := write(dir, job, now, lines)
		return savedMsg{owner: m, path: path, count: len(lines), missing: missing, err: err}
	}
}

func write(dir func() (string, error), job string, now time.Time, lines []logs.Line) (string, error) {
	folder, err := dir()
	if err != nil {
		return "", err
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, job)
	path := filepath.Join(folder, name+"-"+now.Format("20060102-150405")+".log")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if os.IsExist(err) {
		path = strings.TrimSuffix(path, ".log") + now.Format(".000000000") + ".log"
		file, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return "", err
	}
	w := bufio.NewWriter(file)
	for i := range lines {
		line := &lines[i]
		mark := ""
		if line.Mark != logs.NoMark {
			mark = "[" + string(line.Mark) + "] "
		}
		fmt.Fprintf(w, "%s %s-%d %s%s\n", line.Time.UTC().Format(time.RFC3339Nano), line.Role, line.Index, mark, line.Text)
	}
	err = w.Flush()
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return path, err
}

func (m *Model) saved(msg savedMsg) tea.Cmd {
	if msg.owner != m {
		return nil
	}
	m.saving = false
	t := m.env.Texts
	switch {
	case msg.err != nil:
		return m.Send(nav.Notify{Level: nav.Failed, Text: t.T("log.saveFailed", "error", msg.err.Error())})
	case msg.missing > 0:
		return m.Send(nav.Notify{Level: nav.Warned, Text: t.T("log.savedPart", "count", msg.count, "path", msg.path, "missing", msg.missing)})
	}
	return m.Send(nav.Notify{Level: nav.Kept, Text: t.T("log.saved", "count", msg.count, "path", msg.path)})
}
