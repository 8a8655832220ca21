package cell

// Middle cuts s to at most width cells by taking out its middle, so that both its beginning and its end stay: names
// that were made for one thing differ at their ends. s has no escape sequences.
func Middle(s string, width int) string {
	total := Width(s)
	if width < 3 || total <= width {
		return Truncate(s, width)
	}
	tail := (width - 1) / 2
	// Of a wide character across an edge Cut leaves a space on the left, or nothing on the right: never too much.
	return Cut(s, 0, width-1-tail) + Ellipsis + Cut(s, total-tail, total)
}
