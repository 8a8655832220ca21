package themes

import (
	"image/color"

	"charm.land/lipgloss/v2"

	"muster.dev/muster/backend/job"
)

// palette is the few colours that a theme is made of.
type palette struct {
	dim, title, accent, heading, border, selected, marked, key, tab, tabOpen look
	bad, doubtful, good, info                                                look
	waiting, ended                                                           look // phases that are neither good nor bad
	field, fieldFocus, placeholder                                           look
	series                                                                   []look
}

func (p palette) styles(name Name) *Styles {
	s := &Styles{
		Name:     name,
		Dim:      p.dim.style(),
		Title:    p.title.style(),
		Accent:   p.accent.style(),
		Heading:  p.heading.style(),
		Border:   p.border.style(),
		Selected: p.selected.style(),
		Marked:   p.marked.style(),
		Key:      p.key.style(),
		Tab:      p.tab.style(),
		TabOpen:  p.tabOpen.style(),
		Error:    p.bad.style(),
		Warning:  p.doubtful.style(),
		Success:  p.good.style(),
		Info:     p.info.style(),

		Field:       p.field.style(),
		FieldFocus:  p.fieldFocus.style(),
		Placeholder: p.placeholder.style(),
		Hint:        p.dim.style(),
	}
	for _, l := range p.series {
		s.Series = append(s.Series, l.style())
	}
	s.phases = map[job.Phase]Style{
		job.Draft:      p.ended.style(),
		job.Queued:     p.waiting.style(),
		job.Starting:   p.info.style(),
		job.Running:    p.good.style(),
		job.Restarting: p.doubtful.style(),
		job.Stopping:   p.doubtful.style(),
		job.Succeeded:  p.ended.style(),
		job.Failed:     p.bad.style(),
		job.TimedOut:   p.bad.style(),
		job.Stopped:    p.ended.style(),
		job.Unknown:    p.doubtful.style(),
	}
	return s
}

func hex(s string) color.Color { return lipgloss.Color(s) }

func dark() palette {
	return palette{
		dim:         look{fg: hex("#8A909C")},
		title:       look{fg: hex("#7FD1E8"), bold: true},
		accent:      look{fg: hex("#7FD1E8")},
		heading:     look{fg: hex("#A9B4C8"), bold: true},
		border:      look{fg: hex("#4A5160")},
		selected:    look{bg: hex("#3A3A3A"), bold: true},
		marked:      look{fg: hex("#101418"), bg: hex("#E8C46A")},
		key:         look{fg: hex("#E8C46A"), bold: true},
		tab:         look{fg: hex("#8A909C")},
		tabOpen:     look{fg: hex("#F2F4F8"), bold: true, underline: true},
		bad:         look{fg: hex("#FF7B72"), bold: true},
		doubtful:    look{fg: hex("#E8C46A")},
		good:        look{fg: hex("#7EE0A0")},
		info:        look{fg: hex("#8AB8FF")},
		waiting:     look{fg: hex("#C9A6FF")},
		ended:       look{fg: hex("#9AA3B2")},
		field:       look{fg: hex("#D8DEE9")},
		fieldFocus:  look{fg: hex("#F2F4F8"), bg: hex("#3A3A3A")},
		placeholder: look{fg: hex("#6C7482")},
		series: []look{
			{fg: hex("#7FD1E8")}, {fg: hex("#7EE0A0")}, {fg: hex("#E8C46A")}, {fg: hex("#C9A6FF")},
			{fg: hex("#FFA07A")}, {fg: hex("#8AB8FF")}, {fg: hex("#E89AC7")}, {fg: hex("#B5CF7A")},
		},
	}
}

func light() palette {
	return palette{
		dim:         look{fg: hex("#5E6673")},
		title:       look{fg: hex("#006B8F"), bold: true},
		accent:      look{fg: hex("#006B8F")},
		heading:     look{fg: hex("#3B4454"), bold: true},
		border:      look{fg: hex("#B4BBC7")},
		selected:    look{bg: hex("#D5E3F5"), bold: true},
		marked:      look{fg: hex("#1A1A1A"), bg: hex("#FFD866")},
		key:         look{fg: hex("#8A4B00"), bold: true},
		tab:         look{fg: hex("#5E6673")},
		tabOpen:     look{fg: hex("#14181F"), bold: true, underline: true},
		bad:         look{fg: hex("#B3261E"), bold: true},
		doubtful:    look{fg: hex("#8A5A00")},
		good:        look{fg: hex("#1B7A3D")},
		info:        look{fg: hex("#1F55B5")},
		waiting:     look{fg: hex("#6A3DB8")},
		ended:       look{fg: hex("#5E6673")},
		field:       look{fg: hex("#14181F")},
		fieldFocus:  look{fg: hex("#14181F"), bg: hex("#D5E3F5")},
		placeholder: look{fg: hex("#7C8593")},
		series: []look{
			{fg: hex("#006B8F")}, {fg: hex("#1B7A3D")}, {fg: hex("#8A5A00")}, {fg: hex("#6A3DB8")},
			{fg: hex("#A8431F")}, {fg: hex("#1F55B5")}, {fg: hex("#A0316F")}, {fg: hex("#55701A")},
		},
	}
}

// sixteen takes only colours that a terminal's own scheme keeps readable on its background.
func sixteen() palette {
	c := func(n int) color.Color { return lipgloss.ANSIColor(n) }
	return palette{
		dim:         look{faint: true},
		title:       look{fg: c(6), bold: true},
		accent:      look{fg: c(6)},
		heading:     look{bold: true},
		border:      look{faint: true},
		selected:    look{reverse: true},
		marked:      look{fg: c(0), bg: c(3)},
		key:         look{fg: c(3), bold: true},
		tab:         look{faint: true},
		tabOpen:     look{bold: true, underline: true},
		bad:         look{fg: c(1), bold: true},
		doubtful:    look{fg: c(3)},
		good:        look{fg: c(2)},
		info:        look{fg: c(4)},
		waiting:     look{fg: c(5)},
		ended:       look{faint: true},
		fieldFocus:  look{reverse: true},
		placeholder: look{faint: true},
		series:      []look{{fg: c(6)}, {fg: c(2)}, {fg: c(3)}, {fg: c(5)}, {fg: c(4)}, {fg: c(1)}},
	}
}

func none() palette {
	return palette{
		title:      look{bold: true},
		heading:    look{bold: true},
		selected:   look{reverse: true},
		marked:     look{reverse: true},
		key:        look{bold: true},
		tabOpen:    look{bold: true, underline: true},
		bad:        look{bold: true},
		fieldFocus: look{reverse: true},
		series:     []look{{}},
	}
}
