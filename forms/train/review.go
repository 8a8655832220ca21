package train

import (
	"strconv"
	"strings"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/forms"
)

// Line is one line of the summary: what, and what is chosen.
type Line struct {
	Label string // key of the catalogue; "" = none, it goes on from the line before
	Value forms.Said
	Plain string // the value where it needs no words
}

// Summary says in words what will be created.
func (f *Form) Summary(d *forms.Draft) []Line {
	s := f.Verdict.Resolved
	var out []Line
	plain := func(label, value string) {
		if value != "" {
			out = append(out, Line{Label: label, Plain: value})
		}
	}
	said := func(label, key string, pairs ...string) {
		out = append(out, Line{Label: label, Value: forms.Say(key, pairs...)})
	}
	plain("form.name", s.Name)
	if s.DisplayName != s.Name {
		plain("form.displayName", s.DisplayName)
	}
	plain("form.workspace", s.Workspace)
	plain("form.framework", string(s.Framework))
	plain("form.image", s.Image)
	command, args := s.Argv()
	plain("form.command", joinWords(command, " "))
	switch n := len(args); {
	case n == 0:
	case s.Args.List == nil && s.Shell(): // one text, whatever options the shell is given it with
		lines := strings.Count(strings.TrimRight(s.Args.Text, "\n"), "\n") + 1
		said("form.args", "form.review.script", "count", strconv.Itoa(lines))
	default:
		said("form.args", "form.review.args", "count", strconv.Itoa(n))
	}
	if n := len(s.Env) + len(s.SecretEnv); n > 0 {
		said("form.env", "form.review.env", "plain", strconv.Itoa(len(s.Env)), "secret", strconv.Itoa(len(s.SecretEnv)))
	}
	for i, m := range s.Storage {
		label := ""
		if i == 0 {
			label = "form.storage"
		}
		key := "form.review.readWrite"
		if m.ReadOnly {
			key = "form.review.readOnly"
		}
		said(label, key, "volume", orDash(m.Volume)+":/"+m.Path, "mountPath", m.MountPath)
	}
	plain("form.cluster", strings.TrimSpace(s.Cluster+" "+s.CardType))
	roles := false
	for _, r := range s.Roles {
		if r.Replicas <= 0 {
			continue
		}
		label := ""
		if !roles {
			label, roles = "form.roles", true
		}
		said(label, "form.review.role", "name", r.Name, "nodes", strconv.Itoa(r.Replicas), "cards", strconv.Itoa(r.GPUs), "cpu", orDash(r.CPU), "memory", orDash(r.Memory))
	}
	if s.Submission.Mode == job.Queue {
		said("form.mode", "form.review.queue", "queue", orDash(s.Submission.Queue), "count", strconv.Itoa(s.Submission.Total), "concurrency", strconv.Itoa(s.Submission.Concurrency))
	} else {
		said("form.mode", "form.mode."+string(job.Standalone))
	}
	said("form.priority", "form.priority."+string(s.Priority))
	said("form.review.limits", "form.review.limit", "minutes", strconv.Itoa(s.TimeoutMinutes), "restarts", strconv.Itoa(s.FaultTolerance.MaxRestarts))
	return out
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
