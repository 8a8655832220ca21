package train

import (
	"strconv"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/queue"
	"muster.dev/muster/forms"
)

func (f *Form) submission() []forms.Field {
	return []forms.Field{
		{
			ID: "submission.mode", Kind: forms.Select, Label: "form.mode", Hint: "form.mode.hint",
			Options: options("form.mode.", string(job.Standalone), string(job.Queue)),
			Notes: func(d *forms.Draft) []forms.Note {
				if queued(d) && f.context.reached() && !f.context.Snapshot.Facts.Kueue {
					return []forms.Note{note(forms.Doubtful, "form.mode.noKueue")}
				}
				return nil
			},
		},
		{
			ID: "submission.queue", Kind: forms.Suggest, Label: "form.queue", Hint: "form.queue.hint", Visible: queued,
			Options: func(d *forms.Draft) []forms.Option {
				var out []forms.Option
				for _, q := range f.queues(d) {
					out = append(out, forms.Option{Value: q.Name, Detail: queueSaid(q)})
				}
				return out
			},
			Notes: f.queueNotes,
		},
		{ID: "submission.total", Kind: forms.Number, Label: "form.total", Hint: "form.total.hint", Visible: queued, Default: fixed("1")},
		{ID: "submission.concurrency", Kind: forms.Number, Label: "form.concurrency", Hint: "form.concurrency.hint", Visible: queued, Default: fixed("1")},
		{
			ID: "priority", Kind: forms.Select, Label: "form.priority", Hint: "form.priority.hint",
			Options: options("form.priority.", string(job.Normal), string(job.High), string(job.Highest)),
			Notes: func(d *forms.Draft) []forms.Note {
				if !queued(d) && d.Get("priority") != string(job.Normal) {
					return []forms.Note{note(forms.Info, "form.priority.standalone")}
				}
				return nil
			},
		},
	}
}

func (f *Form) queues(d *forms.Draft) []queue.Queue {
	workspace := f.context.workspace(d)
	var out []queue.Queue
	for _, q := range f.context.Snapshot.Queues {
		if q.Workspace == workspace || q.Workspace == "" {
			out = append(out, q)
		}
	}
	return out
}

func queueSaid(q queue.Queue) forms.Said {
	return forms.Say("form.queue.detail", "waiting", strconv.Itoa(q.Pending), "running", strconv.Itoa(q.Admitted))
}

func (f *Form) queueNotes(d *forms.Draft) []forms.Note {
	queues := f.queues(d)
	name := d.Get("submission.queue")
	for _, q := range queues {
		switch {
		case q.Name != name:
		case !q.Active:
			return []forms.Note{note(forms.Doubtful, "form.queue.inactive", "reason", q.Reason)}
		default:
			return []forms.Note{{Said: queueSaid(q), Level: forms.Info}}
		}
	}
	if !f.context.reached() {
		return nil
	}
	if len(queues) == 0 {
		return []forms.Note{note(forms.Doubtful, "form.queue.none", "workspace", f.context.workspace(d))}
	}
	if name != "" {
		return []forms.Note{note(forms.Doubtful, "form.queue.unknown", "name", name, "workspace", f.context.workspace(d))}
	}
	return nil
}

func (f *Form) fault() []forms.Field {
	return []forms.Field{
		{ID: "faultTolerance.maxRestarts", Kind: forms.Number, Label: "form.maxRestarts", Hint: "form.maxRestarts.hint", Default: fixed("0")},
		{
			ID: tableRules, Kind: forms.Table, Label: "form.rules", Hint: "form.rules.hint",
			AddLabel: "form.rules.add",
			NewRow: func(*forms.Draft) forms.Row {
				return forms.Row{"action": string(job.RestartJob), "placement": string(job.PlaceAny)}
			},
			Columns: []forms.Column{
				{ID: "exitCodes", Label: "form.rules.exitCodes", Hint: "form.rules.exitCodes.hint", Min: 14, Grow: true},
				{ID: "action", Kind: forms.Select, Label: "form.rules.action", Hint: "form.rules.action.hint", Min: 14, Options: columnOptions("form.action.",
					string(job.RestartJob), string(job.RestartPod), string(job.Fail))},
				{ID: "placement", Kind: forms.Select, Label: "form.rules.placement", Hint: "form.rules.placement.hint", Min: 14,
					Locked: func(d *forms.Draft, row int) bool { return d.Get(at(tableRules, row, "action")) == string(job.Fail) },
					Options: columnOptions("form.placement.",
						string(job.PlaceAny), string(job.PlaceAvoid), string(job.PlaceSame))},
			},
		},
	}
}

func columnOptions(prefix string, values ...string) func(*forms.Draft, int) []forms.Option {
	all := options(prefix, values...)
	return func(d *forms.Draft, _ int) []forms.Option { return all(d) }
}

func (f *Form) advanced() []forms.Field {
	return []forms.Field{
		{ID: "timeoutMinutes", Kind: forms.Number, Label: "form.timeout", Hint: "form.timeout.hint", Default: fixed(strconv.Itoa(defaults().TimeoutMinutes))},
		{ID: "gracePeriodSeconds", Kind: forms.Number, Label: "form.grace", Hint: "form.grace.hint", Default: fixed(strconv.Itoa(defaults().GracePeriodSeconds))},
		{ID: "sharedMemory", Short: true, Label: "form.sharedMemory", Hint: "form.sharedMemory.hint", Default: func(*forms.Draft) string { return f.Verdict.Resolved.SharedMemory }},
		{ID: "cpuExclusive", Kind: forms.Toggle, Label: "form.cpuExclusive", Hint: "form.cpuExclusive.hint"},
		{
			ID: "ssh", Kind: forms.Toggle, Label: "form.ssh", Hint: "form.ssh.hint",
			Notes: func(d *forms.Draft) []forms.Note {
				if is(d, job.MPI) {
					return []forms.Note{note(forms.Info, "form.ssh.mpi")}
				}
				return nil
			},
		},
		{ID: "tensorBoard.logDir", Label: "form.logDir", Hint: "form.logDir.hint", Aliases: []string{"tensorBoard"}},
	}
}
