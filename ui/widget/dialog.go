package widget

import (
	"strings"

	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
)

// Box draws lines in a frame with a title, at most width × height cells with its border. Lines may be styled.
func Box(styles *themes.Styles, title string, lines []string, width, height int) string {
	inner := cell.Width(title) + 2
	for _, line := range lines {
		inner = max(inner, cell.Width(line))
	}
	inner = min(inner, width-4)
	if inner < 1 || height < 3 {
		return Lines(strings.Join(lines, "\n"), width, min(height, len(lines)))
	}
	lines = lines[:min(len(lines), height-2)]
	title = cell.Truncate(title, inner-2)
	var b strings.Builder
	b.WriteString(styles.Border.Render("┌─"))
	rest := inner
	if title != "" {
		b.WriteString(" " + styles.Title.Render(title) + " ")
		rest -= cell.Width(title) + 2
	}
	b.WriteString(styles.Border.Render(strings.Repeat("─", max(rest, 0)) + "─┐"))
	side := styles.Border.Render("│")
	for _, line := range lines {
		b.WriteString("\n" + side + " " + cell.Pad(line, inner) + " " + side)
	}
	b.WriteString("\n" + styles.Border.Render("└"+strings.Repeat("─", inner+2)+"┘"))
	return b.String()
}

// Over draws a block in the middle of a screen of width × height cells.
func Over(screen, block string, width, height int) string {
	over := strings.Split(block, "\n")
	w := 0
	for _, line := range over {
		w = max(w, cell.Width(line))
	}
	return Place(screen, block, max((width-w)/2, 0), max((height-len(over))/2, 0), width, height)
}

// Place draws a block over a screen of width × height cells, its upper left corner at column x and line y.
func Place(screen, block string, x, y, width, height int) string {
	lines := strings.Split(screen, "\n")
	for len(lines) < height {
		lines = append(lines, "")
	}
	for i, line := range strings.Split(block, "\n") {
		at := y + i
		if at >= height {
			break
		}
		line = cell.Truncate(line, width-x)
		end := x + cell.Width(line)
		left := cell.Pad(cell.Cut(lines[at], 0, x), x)
		right := ""
		if w := cell.Width(lines[at]); w > end {
			right = cell.Cut(lines[at], end, w)
			// a wide character across the edge is cut out whole: keep the rest in its columns
			right = cell.Spaces(w-end-cell.Width(right)) + right
		}
		lines[at] = left + "\x1b[m" + line + "\x1b[m" + right
	}
	return strings.Join(lines, "\n")
}
