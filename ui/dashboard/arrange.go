package dashboard

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/words"
)

// sortKey is what the jobs are sorted by.
type sortKey int

const (
	byCreated sortKey = iota // newest first, as they come
	byPhase
	byName
	byQueue
	byRun
	byRestarts
	sortKeys
)

// column says which column carries the mark.
func (k sortKey) column() (int, bool) {
	switch k {
	case byPhase:
		return columnPhase, true
	case byName:
		return columnName, true
	case byQueue:
		return columnQueue, true
	case byRun:
		return columnRun, true
	case byRestarts:
		return columnRestarts, true
	}
	return 0, false
}

// name is the catalogue key of what is sorted by.
func (k sortKey) name() string {
	switch k {
	case byPhase:
		return "sort.phase"
	case byName:
		return "sort.name"
	case byQueue:
		return "sort.queue"
	case byRun:
		return "sort.run"
	case byRestarts:
		return "sort.restarts"
	}
	return "sort.created"
}

// urgency puts what needs a look first.
func urgency(p job.Phase) int {
	switch p {
	case job.Restarting:
		return 0
	case job.Running:
		return 1
	case job.Starting, job.Stopping:
		return 2
	case job.Queued:
		return 3
	case job.Unknown:
		return 4
	case job.Failed, job.TimedOut:
		return 5
	}
	return 6
}

// order sorts what is shown; equals stay newest first.
func (j *jobs) order() {
	now := j.env.Now()
	var compare func(a, b *job.Status) int
	switch j.sort {
	case byPhase:
		compare = func(a, b *job.Status) int { return cmp.Compare(urgency(a.Phase), urgency(b.Phase)) }
	case byName:
		compare = func(a, b *job.Status) int { return cmp.Compare(a.Name, b.Name) }
	case byQueue:
		compare = func(a, b *job.Status) int {
			return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(position(a), position(b)))
		}
	case byRun:
		compare = func(a, b *job.Status) int { return cmp.Compare(ran(*a, now), ran(*b, now)) }
	case byRestarts:
		compare = func(a, b *job.Status) int { return cmp.Compare(b.Restarts, a.Restarts) }
	}
	if compare != nil {
		slices.SortStableFunc(j.shown, func(a, b int) int { return compare(&j.all[a], &j.all[b]) })
	}
	if j.reverse {
		slices.Reverse(j.shown)
	}
}

func position(s *job.Status) int {
	if s.QueuePosition == nil {
		return 1 << 30
	}
	return *s.QueuePosition
}

func filterWords(text string) []string { return strings.Fields(strings.ToLower(text)) }

// matches tells whether every word is found: letters in order within the name, or as they are in another column.
func matches(t *i18n.Texts, s *job.Status, filter []string) bool {
	for _, word := range filter {
		if !matchesWord(t, s, word) {
			return false
		}
	}
	return true
}

func matchesWord(t *i18n.Texts, s *job.Status, word string) bool {
	if len(fuzzy.Find(word, []string{s.Name, s.DisplayName})) > 0 {
		return true
	}
	for _, text := range []string{
		string(s.Phase), words.Phase(t, s.Phase), string(s.Framework), s.Queue, s.User, s.Workspace, s.CardType, s.Cluster, s.Reason,
	} {
		if strings.Contains(strings.ToLower(text), word) {
			return true
		}
	}
	return false
}
