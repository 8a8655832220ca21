package logs

import (
	"hash/maphash"
	"slices"
	"time"
)

// Cursor knows where in a container's log a reader stands, so that after a cut the same log can be asked for again
// and goes on without a gap or a repeat.
//
// The API cannot be asked for "what comes after this line": sinceTime has whole seconds, many lines may share a
// stamp, and stamps of stdout and stderr may be out of order by a little. So the cursor asks again from a second
// before the newest stamp ([Cursor.Since]) and holds the replay against what it has handed on ([Cursor.Accept]).
// The zero value is ready.
type Cursor struct {
	seed   maphash.Seed
	seeded bool
	newest time.Time
	// seen is what was handed on and may be replayed, oldest first; at most window entries.
	seen []print
	// expect is the part of seen that a replay must still repeat; nil when not replaying.
	expect    []print
	replaying bool
	matched   bool // the replay repeated at least one known line
	gap       bool
}

type print struct {
	at   int64 // nanoseconds since the epoch
	hash uint64
}

// window bounds what a cursor remembers: 16 bytes an entry. A container that writes more than this within two
// seconds still resumes exactly, as lines older than the oldest entry are known to have been handed on.
const window = 8192

// overlap is how much before the newest stamp a replay begins: the most by which lines of one container may be out
// of order.
const overlap = time.Second

// Newest is the newest stamp handed on.
func (c *Cursor) Newest() time.Time { return c.newest }

// Since is the sinceTime with which the log must be asked for again; zero: from the start.
func (c *Cursor) Since() time.Time {
	if c.newest.IsZero() {
		return time.Time{}
	}
	return c.newest.Add(-overlap).Truncate(time.Second)
}

// Resume says that what is given to Accept from now on is a replay that begins at Since.
func (c *Cursor) Resume() {
	since := c.Since().UnixNano()
	from := 0
	for from < len(c.seen) && c.seen[from].at < since {
		from++
	}
	// Lines older than since that stand after newer ones in the file (out of order by less than the overlap) are
	// not replayed: leave them out of what is expected.
	c.expect = c.expect[:0]
	for _, p := range c.seen[from:] {
		if p.at >= since {
			c.expect = append(c.expect, p)
		}
	}
	c.replaying = len(c.expect) > 0
	c.matched, c.gap = false, false
}

// Accept tells whether a line is new, and remembers it. Lines of one container must be given in the order in which
// they come.
func (c *Cursor) Accept(stamp time.Time, text string) bool {
	if !c.seeded {
		c.seed, c.seeded = maphash.MakeSeed(), true
	}
	p := print{at: stamp.UnixNano(), hash: maphash.String(c.seed, text)}
	if c.replaying && c.repeat(p) {
		return false
	}
	if stamp.After(c.newest) {
		c.newest = stamp
	}
	if len(c.seen) >= 2*window {
		c.seen = append(c.seen[:0], c.seen[len(c.seen)-window:]...)
	}
	c.seen = append(c.seen, p)
	return true
}

// Has tells whether a line is among those remembered: a look at the log's end with it shows whether there is more.
func (c *Cursor) Has(stamp time.Time, text string) bool {
	if !c.seeded {
		return false
	}
	return slices.Contains(c.seen, print{at: stamp.UnixNano(), hash: maphash.String(c.seed, text)})
}

// TakeGap tells, once, that the replay showed that the log was rotated past the place where the reader stood: lines
// before the one accepted last may be lost.
func (c *Cursor) TakeGap() bool {
	gap := c.gap
	c.gap = false
	return gap
}

// repeat tells whether p is a line of the replay that was handed on before.
func (c *Cursor) repeat(p print) bool {
	for i, known := range c.expect {
		if known != p {
			continue
		}
		// In step this is the first entry at once. Else a rotated log began in the midst of what is known; what it
		// lacks was handed on before.
		c.matched = true
		c.expect = c.expect[i+1:]
		c.replaying = len(c.expect) > 0
		return true
	}
	if !c.matched && p.at <= c.expect[0].at {
		return true // older than all that is remembered, or before the tail that was asked for
	}
	// The first line that is not known: all from here on is new.
	c.replaying = false
	c.gap = !c.matched
	return false
}
