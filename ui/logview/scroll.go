package logview

// place is a row on the screen: the line's number and, of a wrapped line, which of its rows.
type place struct {
	line, row int
}

// setFollow goes on at the end, or stays where it is.
func (m *Model) setFollow(on bool) {
	if m.follow == on {
		return
	}
	if !on {
		m.top = m.last()
	}
	m.follow = on
}

// first is the place of the first row of all.
func (m *Model) first() place {
	n, ok := m.filter.at(&m.store, 0)
	if !ok {
		return place{line: m.store.next()}
	}
	return place{line: n}
}

// last is the place of the first row on the screen when the end is at its bottom.
func (m *Model) last() place {
	at := place{line: m.store.next()}
	full := true
	for range m.height {
		before, ok := m.before(at)
		if !ok {
			full = false
			break
		}
		at = before
	}
	if full && at == m.first() && m.noted() { // the note of what stands before takes a row
		at, _ = m.after(at)
	}
	return at
}

// after is the row below.
func (m *Model) after(p place) (place, bool) {
	if p.line >= m.store.next() {
		return p, false
	}
	if p.line >= m.store.first && p.row+1 < len(m.rows(p.line)) {
		return place{p.line, p.row + 1}, true
	}
	n, ok := m.filter.after(&m.store, p.line)
	return place{line: n}, ok
}

// before is the row above.
func (m *Model) before(p place) (place, bool) {
	if p.row > 0 {
		return place{p.line, p.row - 1}, true
	}
	n, ok := m.filter.before(&m.store, p.line)
	if !ok {
		return p, false
	}
	return place{n, len(m.rows(n)) - 1}, true
}

// Move scrolls n rows down (up when negative). Up stops following; down over the end stays at the end.
func (m *Model) Move(n int) {
	m.filter.anchor = -1
	if m.follow {
		if n > 0 {
			return
		}
		m.setFollow(false)
	}
	for ; n < 0; n++ {
		before, ok := m.before(m.top)
		if !ok {
			return
		}
		m.top = before
	}
	end := m.last()
	for ; n > 0 && less(m.top, end); n-- {
		after, ok := m.after(m.top)
		if !ok {
			return
		}
		m.top = after
	}
}

func less(a, b place) bool { return a.line < b.line || a.line == b.line && a.row < b.row }

// Top goes to the first line that is held.
func (m *Model) Top() {
	m.filter.anchor = -1
	m.follow = false
	m.top = m.first()
}

// Bottom goes to the end and follows.
func (m *Model) Bottom() { m.follow = true }

// Page is how many rows are on the screen.
func (m *Model) Page() int { return max(m.height, 1) }
