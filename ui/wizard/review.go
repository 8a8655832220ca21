package wizard

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/forms"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/keys"
)

// findings are what the review lists: answers of the cluster and errors, then warnings, each in the form's order.
func (m *Model) findings() []job.Problem {
	order := func(a, b job.Problem) int { return m.sectionOf(a) - m.sectionOf(b) }
	errors := append(append([]job.Problem(nil), m.refusal.problems...), m.form.Verdict.Errors...)
	slices.SortStableFunc(errors, order)
	warnings := append([]job.Problem(nil), m.form.Verdict.Warnings...)
	slices.SortStableFunc(warnings, order)
	return append(errors, warnings...)
}

func (m *Model) sectionOf(p job.Problem) int {
	if stop, ok := m.form.Schema.Find(m.draft, p.Path); ok {
		return stop.Section
	}
	return len(m.form.Schema.Sections)
}

// problemLine is a problem with the section and the field it stands at.
func (m *Model) problemLine(p job.Problem) string {
	where := ""
	if stop, ok := m.form.Schema.Find(m.draft, p.Path); ok {
		f, _ := m.form.Schema.Field(stop.Field)
		where = m.env.T(m.form.Schema.Sections[stop.Section].Label) + " ▸ " + m.env.T(f.Label)
		if c := f.Column(stop.Column); c != nil {
			where += " ▸ " + m.env.T(c.Label)
		}
		where = m.env.T("form.at", "column", where)
	} else if p.Path != "" {
		where = m.env.T("form.review.path", "path", p.Path)
	}
	return where + m.problemText(p)
}

// reviewKey goes through the findings and to the field of one. Behind the last is the summary: on a small terminal it is
// below the edge.
func (m *Model) reviewKey(k tea.KeyPressMsg) bool {
	all := m.findings()
	summary := max(len(all), 1)
	m.reviewAt = min(m.reviewAt, summary)
	switch {
	case keys.Matches(k, m.keys.Up) && m.reviewAt > 0:
		m.reviewAt--
	case keys.Matches(k, m.keys.Down) && m.reviewAt < summary:
		m.reviewAt++
	case keys.Matches(k, m.keys.Open) && m.reviewAt < len(all):
		if to, ok := m.form.Schema.FirstOf(m.draft, all[m.reviewAt:m.reviewAt+1]); ok {
			m.enter(to)
		}
	default:
		return keys.Matches(k, m.keys.Down, m.keys.Open)
	}
	return true
}

// review draws the last section: what is wrong, what the cluster is told, and how to go on.
func (p *painter) review() {
	m, styles := p.m, p.m.env.Styles
	all := m.findings()
	v := m.form.Verdict
	switch {
	case len(v.Errors)+len(m.refusal.problems) > 0:
		p.wrapped(m.env.T("form.review.errors", "count", len(v.Errors)+len(m.refusal.problems)), styles.Error, indent)
	case len(all) > 0:
		p.wrapped(m.env.T("form.review.warnings", "count", len(all)), styles.Warning, indent)
	default:
		p.wrapped(m.env.T("form.review.fine"), styles.Success, indent)
	}
	if !v.Reached {
		p.wrapped(m.env.T("form.summary.unreached"), styles.Warning, indent)
	}
	failed := len(v.Errors) + len(m.refusal.problems)
	for i, problem := range all {
		if i == failed && failed > 0 {
			p.wrapped(m.env.T("form.confirm.warnings", "count", len(all)-failed), styles.Warning, indent)
		}
		focused := i == m.reviewAt
		if focused {
			p.from = len(p.lines)
			p.to = p.from + 1
		}
		style := styles.Warning
		if m.isError(problem) {
			style = styles.Error
		}
		for n, line := range cell.Wrap(m.problemLine(problem), max(p.width-indent-2, 1)) {
			mark := p.mark(focused && n == 0)
			if to, ok := m.form.Schema.FirstOf(m.draft, all[i:i+1]); ok {
				p.hits = append(p.hits, hit{len(p.lines), 0, p.width, to})
			}
			bullet := "  "
			if n == 0 {
				bullet = m.bullet(problem)
			}
			p.add(mark + style.Render(bullet+line))
			if focused {
				p.to = len(p.lines)
			}
		}
	}
	p.add("")
	summary := len(p.lines)
	for _, line := range m.summaryLines(max(p.width-indent, 1)) {
		p.add(strings.Repeat(" ", indent) + line)
	}
	p.add("")
	p.wrapped(m.env.T("form.review.next"), m.level(forms.Info), indent)
	if m.reviewAt >= max(len(all), 1) {
		p.from, p.to = max(summary, len(p.lines)-p.room), len(p.lines)
	}
}
