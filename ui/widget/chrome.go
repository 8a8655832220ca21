package widget

import (
	"strings"
	"unicode/utf8"

	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/keys"
)

// Header is a screen's first line: where one is on the left, the connection on the right. Both may be styled.
func Header(left, right string, width int) string {
	return cell.Spread(" "+left, right, width)
}

// narrow is the width below which a header has room for one name.
const narrow = 40

// PlaceHeader is a header that says where one is. Its left side is whole where there is room, else only the name that matters most. On a narrow screen the
// connection is told when there is something the matter with it.
func PlaceHeader(whole, name, connection string, live bool, width int) string {
	if width >= narrow {
		return Header(whole, connection+" ", width)
	}
	if live {
		return Header(name, "", width)
	}
	return Header(name, cell.Truncate(connection, width/2), width)
}

// Tab is one tab of a screen.
type Tab struct {
	Title string
	Count string // "" = none
}

// Tabs draws a line of tabs.
func Tabs(styles *themes.Styles, tabs []Tab, open int) string {
	var b strings.Builder
	for i, tab := range tabs {
		title, style := tab.Title, styles.Tab
		if i == open {
			style = styles.TabOpen
		}
		b.WriteString(" ")
		b.WriteString(style.Render(title))
		if tab.Count != "" {
			b.WriteString(styles.Dim.Render(" " + tab.Count))
		}
		b.WriteString("  ")
	}
	return b.String()
}

// TabAt is the tab that cell x of the line of tabs belongs to, -1 for none.
func TabAt(tabs []Tab, x int) int {
	at := 0
	for i, tab := range tabs {
		w := 1 + cell.Width(tab.Title) + 2
		if tab.Count != "" {
			w += 1 + cell.Width(tab.Count)
		}
		if x < at+w {
			return i
		}
		at += w
	}
	return -1
}

// Rule is a horizontal line.
func Rule(styles *themes.Styles, width int) string {
	if width <= 0 {
		return ""
	}
	return styles.Border.Render(strings.Repeat("─", width))
}

// Footer shows as many keys as fit, the first ones first; the help key always stands at its end.
func Footer(styles *themes.Styles, texts *i18n.Texts, bindings []keys.Binding, help keys.Binding, width int) string {
	end, endWidth := hint(styles, texts, help)
	var b strings.Builder
	used := 1
	b.WriteString(" ")
	for _, binding := range bindings {
		if !binding.Enabled() {
			continue
		}
		text, w := hint(styles, texts, binding)
		if used+w+3+endWidth > width {
			break
		}
		b.WriteString(text)
		b.WriteString("   ")
		used += w + 3
	}
	if used+endWidth > width {
		return cell.Truncate(" "+end, width)
	}
	return b.String() + end
}

func hint(styles *themes.Styles, texts *i18n.Texts, b keys.Binding) (string, int) {
	label, text := b.Help().Key, texts.T(b.Help().Desc)
	return styles.Key.Render(label) + " " + text, cell.Width(label) + 1 + cell.Width(text)
}

// Lines makes exactly height lines of at most width cells out of a block of text: longer lines are cut.
func Lines(block string, width, height int) string {
	lines := strings.Split(block, "\n")
	if len(lines) > height {
		lines = lines[:max(height, 0)]
	}
	for i, line := range lines {
		lines[i] = cell.Truncate(line, width)
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return strings.Join(lines, "\n")
}

// Paragraph is text in at most height lines of width cells, broken at spaces; where more is left the last one ends in an
// ellipsis. However long the text, only as much as can be shown is looked at.
func Paragraph(text string, width, height int) []string {
	if width <= 0 || height <= 0 {
		return nil
	}
	if limit := (height + 1) * width * utf8.UTFMax; len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	lines := cell.Wrap(text, width)
	if len(lines) > height {
		lines = lines[:height]
		lines[height-1] = cell.Cut(lines[height-1], 0, width-1) + cell.Ellipsis
	}
	return lines
}
