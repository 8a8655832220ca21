package jobview

import (
	"strconv"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/words"
)

// podRow is one pod with its role.
type podRow struct {
	role string
	pod  job.PodStatus
}

func (r podRow) label() string { return safetext.Clean(r.role) + "-" + strconv.Itoa(r.pod.Index) }

func (m *Model) podColumns() []widget.Column {
	t := m.env.Texts
	return []widget.Column{
		{Title: t.T("col.pod"), Min: 10, Max: 40},
		{Title: t.T("col.node"), Min: 8, Max: 40, Priority: 2},
		{Title: t.T("col.phase"), Max: 12},
		{Title: t.T("col.exit"), Min: 8, Max: 50, Priority: 1},
		{Title: t.T("col.restarts"), Right: true, Priority: 4},
		{Title: t.T("col.run"), Right: true, Priority: 3},
		{Title: t.T("col.reason"), Min: 10, Max: 100, Priority: 5},
	}
}

func (m *Model) fillPods() {
	m.rows = nil
	for _, role := range m.status.Roles {
		for _, pod := range role.Pods {
			m.rows = append(m.rows, podRow{role: role.Name, pod: pod})
		}
	}
	rows := m.rows
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.role + "/" + strconv.Itoa(row.pod.Index) // a pod made anew stays selected
	}
	m.pods.SetRows(ids, func(i int) []widget.Cell { return m.podCells(rows[i]) })
}

func (m *Model) podCells(row podRow) []widget.Cell {
	t, styles, pod := m.env.Texts, m.env.Styles, row.pod
	exit := widget.Cell{Text: words.None, Style: styles.Dim}
	if pod.ExitCode != nil {
		exit.Text = strconv.Itoa(*pod.ExitCode)
		if *pod.ExitCode != 0 {
			meaning := words.ExitMeaning(t, *pod.ExitCode)
			if pod.Reason == "OOMKilled" {
				meaning = words.Code(t, pod.Reason)
			}
			exit = widget.Cell{Text: words.ExitWith(t, *pod.ExitCode, meaning), Style: styles.Error}
		}
	}
	run := words.None
	if pod.Started != nil {
		run = words.Running(t, *pod.Started, m.env.Now())
		if pod.Finished != nil {
			run = words.Duration(t, pod.Finished.Sub(*pod.Started))
		}
	}
	node := widget.Cell{Text: safetext.Clean(pod.Node)}
	if pod.Node == "" {
		node = widget.Cell{Text: words.None, Style: styles.Dim}
	}
	why := ""
	switch pod.Reason {
	case "", "Error", "ExitCode", "Completed": // the exit code says it
	default:
		why = words.Code(t, pod.Reason)
	}
	if message := words.PodMessage(pod); message != "" {
		if why == "" {
			why = message
		} else {
			why = t.T("reason.detail", "reason", why, "message", message)
		}
	}
	label := widget.Cell{Text: row.label()}
	if pod.Name != "" && pod.Name == m.status.FailedPod {
		label.Style = styles.Error
	}
	return []widget.Cell{
		label,
		node,
		{Text: words.PodPhase(t, pod.Phase), Style: styles.Phase(podStyle(pod.Phase))},
		exit,
		{Text: strconv.Itoa(pod.Restarts), Style: styles.Dim},
		{Text: run},
		{Text: why, Style: styles.Dim},
	}
}

// podStyle lends a pod the colour of the phase that its own is most like.
func podStyle(phase string) job.Phase {
	switch phase {
	case "Running":
		return job.Running
	case "Succeeded":
		return job.Succeeded
	case "Failed":
		return job.Failed
	case "Pending":
		return job.Starting
	case "Terminating":
		return job.Stopping
	}
	return job.Unknown
}

func (m *Model) selectedPod() (podRow, bool) {
	if i := m.pods.Index(); i >= 0 && i < len(m.rows) {
		return m.rows[i], true
	}
	return podRow{}, false
}
