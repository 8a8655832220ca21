package dashboard

import (
	"strconv"
	"strings"

	"muster.dev/muster/backend/queue"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/words"
)

// queues is the second tab: the queues, and what waits in the selected one.
type queues struct {
	env     nav.Env
	all     []queue.Queue
	snap    snapshot.Snapshot
	table   widget.Table
	waiting widget.Table
	shown   string // the queue whose waiting list was set
}

func (q *queues) setEnv(env nav.Env) {
	q.env = env
	t := env.Texts
	q.table.SetStyles(env.Styles)
	q.waiting.SetStyles(env.Styles)
	q.table.SetColumns([]widget.Column{
		{Title: t.T("col.queue"), Min: 8, Max: 40},
		{Title: t.T("col.workspace"), Min: 6, Max: 24, Priority: 3},
		{Title: t.T("col.clusterQueue"), Min: 8, Max: 30, Priority: 2},
		{Title: t.T("col.pending"), Right: true},
		{Title: t.T("col.admitted"), Right: true, Priority: 1},
		{Title: t.T("col.quota"), Min: 12, Max: 70},
	})
	q.waiting.SetColumns([]widget.Column{
		{Title: t.T("col.position"), Right: true},
		{Title: t.T("col.job"), Min: 10, Max: 50},
		{Title: t.T("col.workspace"), Min: 8, Max: 24, Priority: 3},
		{Title: t.T("col.priority"), Right: true, Priority: 2},
		{Title: t.T("col.waiting"), Right: true, Priority: 1},
		{Title: t.T("col.message"), Min: 12, Priority: 4},
	})
}

func (q *queues) set(snap snapshot.Snapshot) {
	q.all, q.snap = snap.Queues, snap
	all := q.all
	ids := make([]string, len(all))
	for i, one := range all {
		ids[i] = one.Workspace + "/" + one.Name
	}
	q.table.SetRows(ids, func(i int) []widget.Cell { return q.cells(all[i]) })
	q.shown = ""
}

func (q *queues) tick() { q.waiting.Refresh() }

func (q *queues) selected() (queue.Queue, bool) {
	if i := q.table.Index(); i >= 0 && i < len(q.all) {
		return q.all[i], true
	}
	return queue.Queue{}, false
}

func (q *queues) cells(one queue.Queue) []widget.Cell {
	styles := q.env.Styles
	name := widget.Cell{Text: safetext.Clean(one.Name)}
	if !one.Active {
		name.Text += " (" + q.env.T("queue.inactive") + ")"
		name.Style = styles.Warning
	}
	return []widget.Cell{
		name,
		{Text: safetext.Clean(one.Workspace), Style: styles.Dim},
		{Text: safetext.Clean(one.ClusterQueue), Style: styles.Dim},
		{Text: strconv.Itoa(one.Pending)},
		{Text: strconv.Itoa(one.Admitted)},
		{Text: q.usage(one)},
	}
}

// usage is used of nominal of the cards, flavor by flavor; of all resources where there are no cards.
func (q *queues) usage(one queue.Queue) string {
	var cards, rest []string
	for _, u := range one.Usage {
		text := safetext.Clean(u.Flavor) + " " + q.share(u)
		if words.IsCard(u.Resource) {
			cards = append(cards, text)
			continue
		}
		rest = append(rest, safetext.Clean(u.Flavor+" "+u.Resource)+" "+q.share(u))
	}
	if len(cards) == 0 {
		cards = rest
	}
	if len(cards) == 0 {
		return words.None
	}
	return strings.Join(cards, " · ")
}

func (q *queues) share(u queue.Usage) string {
	nominal := q.env.T("unknown")
	if u.Nominal != nil {
		nominal = safetext.Clean(*u.Nominal)
	}
	return q.env.T("queue.share", "used", u.Used, "nominal", nominal)
}

// fill sets the waiting list of the selected queue.
func (q *queues) fill(one queue.Queue) {
	id := one.Workspace + "/" + one.Name
	if q.shown == id {
		return
	}
	q.shown = id
	ids := make([]string, len(one.Waiting))
	for i, w := range one.Waiting {
		ids[i] = w.Workspace + "/" + w.Job
	}
	q.waiting.SetRows(ids, func(i int) []widget.Cell {
		w := one.Waiting[i]
		styles := q.env.Styles
		return []widget.Cell{
			{Text: strconv.Itoa(w.Position), Style: styles.Accent},
			{Text: safetext.Clean(w.Job)},
			{Text: safetext.Clean(w.Workspace), Style: styles.Dim},
			{Text: strconv.Itoa(int(w.Priority))},
			{Text: words.Running(q.env.Texts, w.Since, q.env.Now())},
			{Text: words.QueueMessage(q.env.Texts, w.Message), Style: styles.Dim},
		}
	})
}

func (q *queues) view(width, height int) string {
	t, styles := q.env.Texts, q.env.Styles
	if len(q.all) == 0 {
		text := t.T("queue.none")
		why := notSeen(q.env, q.snap, "queue.denied", "localqueues.kueue.x-k8s.io")
		switch {
		case q.snap.Conn.State == snapshot.Connecting:
			text = t.T("loading")
		case !q.snap.Facts.Kueue:
			text = t.T("queue.noKueue")
		case why != "":
			text = why
		case q.snap.Facts.Workspace == "":
			text = t.T("queue.noneAnywhere")
		}
		return empty(q.env, text, width, height)
	}
	one, _ := q.selected()
	tableHeight := min(len(q.all)+1, max(height/2, 2), height)
	block := q.table.View(width, tableHeight)
	left := height - tableHeight
	if left < 3 {
		return widget.Lines(block, width, height)
	}
	q.fill(one)
	title := t.T("queue.waiting", "queue", one.Name, "count", len(one.Waiting))
	var details []string
	if !one.Active && one.Reason != "" {
		details = append(details, " "+styles.Warning.Render(safetext.Clean(one.Reason)))
	}
	if !one.OrderKnown && one.Pending > 0 {
		details = append(details, " "+styles.Warning.Render(t.T("queue.orderUnknown")))
	}
	for _, u := range one.Usage {
		if left-len(details) > 8 {
			line := " " + cell.Pad(safetext.Clean(u.Flavor), 16) + " " + cell.Pad(safetext.Clean(u.Resource), 20) + " " + q.share(u)
			details = append(details, styles.Dim.Render(cell.Truncate(line, width)))
		}
	}
	block += "\n" + widget.Rule(styles, width) + "\n" + cell.Truncate(" "+styles.Heading.Render(title), width)
	for _, line := range details {
		block += "\n" + cell.Truncate(line, width)
	}
	left -= 2 + len(details)
	if len(one.Waiting) > 0 && left > 0 {
		block += "\n" + q.waiting.View(width, left)
	}
	return widget.Lines(block, width, height)
}
