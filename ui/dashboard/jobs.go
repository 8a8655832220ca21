package dashboard

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/words"
)

// jobs is the first tab.
type jobs struct {
	env   nav.Env
	all   []job.Status
	facts snapshot.Facts
	shown []int // of all, filtered and sorted
	table widget.Table

	prompt  widget.Prompt
	typing  bool
	mine    bool
	preview bool
	sort    sortKey
	reverse bool

	wish string // workspace/name of a job to be selected as soon as it is there
}

func (j *jobs) setEnv(env nav.Env) {
	j.env = env
	j.table.SetStyles(env.Styles)
	j.columns()
}

func (j *jobs) set(snap snapshot.Snapshot) {
	wide := j.facts.Workspace == ""
	j.all, j.facts = snap.Jobs, snap.Facts
	if wide != (j.facts.Workspace == "") {
		j.columns()
	}
	j.arrange()
}

func (j *jobs) tick() { j.table.Refresh() }

func (j *jobs) edit(msg tea.Msg) {
	if j.prompt.Update(msg) {
		j.arrange()
	}
}

// arrange filters and sorts.
func (j *jobs) arrange() {
	words := filterWords(j.prompt.Text())
	j.shown = j.shown[:0:0]
	for i := range j.all {
		if j.mine && j.all[i].User != j.facts.User {
			continue
		}
		if matches(j.env.Texts, &j.all[i], words) {
			j.shown = append(j.shown, i)
		}
	}
	j.order()
	ids := make([]string, len(j.shown))
	for i, at := range j.shown {
		ids[i] = rowID(j.all[at])
	}
	shown := j.shown
	j.table.SetRows(ids, func(i int) []widget.Cell { return j.cells(j.all[shown[i]]) })
	j.grant()
}

// wishFor selects a job now, or when it comes.
func (j *jobs) wishFor(workspace, name string) {
	j.wish = workspace + "/" + name
	j.grant()
}

func (j *jobs) grant() {
	if j.wish == "" {
		return
	}
	for _, at := range j.shown {
		if j.all[at].Workspace+"/"+j.all[at].Name == j.wish {
			j.table.Select(rowID(j.all[at]))
			j.wish = ""
			return
		}
	}
}

// rowID names a job for good: a new job under an old name is another row.
func rowID(s job.Status) string {
	if s.UID != "" {
		return s.UID
	}
	return s.Workspace + "/" + s.Name
}

func (j *jobs) selected() (job.Status, bool) {
	if i := j.table.Index(); i >= 0 && i < len(j.shown) {
		return j.all[j.shown[i]], true
	}
	return job.Status{}, false
}

func (j *jobs) columns() {
	t := j.env.Texts
	columns := []widget.Column{
		{Title: t.T("col.phase"), Max: 12},
		{Title: t.T("col.name"), Min: 16, Max: 63, Middle: true},
		{Title: t.T("col.displayName"), Min: 12, Max: 28, Priority: 10},
		{Title: t.T("col.workspace"), Min: 8, Max: 24, Priority: 3},
		{Title: t.T("col.framework"), Max: 14, Priority: 9},
		{Title: t.T("col.size"), Max: 18, Priority: 7},
		{Title: t.T("col.queue"), Min: 11, Max: 24, Priority: 4},
		{Title: t.T("col.run"), Room: cell.Width(words.Duration(t, longRun)), Right: true, Priority: 5},
		{Title: t.T("col.restarts"), Right: true, Priority: 8},
		{Title: t.T("col.reason"), Min: 12, Max: 90, Priority: 6},
	}
	if at, ok := j.sort.column(); ok {
		columns[at].Sorted = 1
		if j.reverse {
			columns[at].Sorted = -1
		}
	}
	if j.facts.Workspace != "" {
		columns = append(columns[:columnWorkspace], columns[columnWorkspace+1:]...)
	}
	j.table.SetColumns(columns)
}

// longRun is as wide as a run time may become.
const longRun = 47*time.Hour + 59*time.Minute

// Places of columns, with the one for the workspace there.
const (
	columnPhase = iota
	columnName
	columnDisplayName
	columnWorkspace
	columnFramework
	columnSize
	columnQueue
	columnRun
	columnRestarts
)

func (j *jobs) cells(s job.Status) []widget.Cell {
	t, styles := j.env.Texts, j.env.Styles
	name, display := safetext.Clean(s.Name), safetext.Clean(s.DisplayName)
	if display == name {
		display = ""
	}
	framework := widget.Cell{Text: words.Framework(t, s.Framework)}
	if s.Foreign || s.Framework == "" {
		framework = widget.Cell{Text: t.T("job.foreign"), Style: styles.Dim}
	}
	queue := widget.Cell{Text: words.None, Style: styles.Dim}
	if s.Queue != "" {
		queue = widget.Cell{Text: safetext.Clean(s.Queue)}
		if s.QueuePosition != nil {
			queue.Tail = " #" + strconv.Itoa(*s.QueuePosition)
		}
	}
	restarts := widget.Cell{Text: strconv.Itoa(s.Restarts)}
	if s.Restarts == 0 {
		restarts.Style = styles.Dim
	}
	cells := []widget.Cell{
		{Text: words.Phase(t, s.Phase), Style: styles.Phase(s.Phase)},
		{Text: name},
		{Text: display, Style: styles.Dim},
	}
	if j.facts.Workspace == "" {
		cells = append(cells, widget.Cell{Text: safetext.Clean(s.Workspace)})
	}
	return append(cells,
		framework,
		widget.Cell{Text: words.Size(s)},
		queue,
		widget.Cell{Text: words.Ran(t, s, j.env.Now())},
		restarts,
		widget.Cell{Text: words.Brief(t, s), Style: reasonStyle(styles, s)},
	)
}

func reasonStyle(styles *themes.Styles, s job.Status) themes.Style {
	switch s.Phase {
	case job.Failed, job.TimedOut:
		return styles.Error
	}
	return styles.Dim
}

func ran(s job.Status, now time.Time) time.Duration {
	switch {
	case s.Started == nil && s.RunSeconds > 0:
		return time.Duration(s.RunSeconds) * time.Second
	case s.Started == nil:
		return -1
	case s.Finished != nil:
		return s.Finished.Sub(*s.Started)
	}
	return now.Sub(*s.Started)
}
