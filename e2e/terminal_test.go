package e2e

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Keys as a terminal sends them.
const (
	enter    = "\r"
	tab      = "\t"
	esc      = "\x1b"
	up       = "\x1b[A"
	down     = "\x1b[B"
	right    = "\x1b[C"
	left     = "\x1b[D"
	pageDown = "\x1b[6~"
	ctrlC    = "\x03"
	ctrlS    = "\x13"
	ctrlP    = "\x10"
)

// terminal is a program in a pseudo terminal with a screen.
type terminal struct {
	t      testing.TB
	pty    *os.File
	cmd    *exec.Cmd
	screen *vt.SafeEmulator
	cells  sync.Mutex    // held while cells are written and read: the emulator's own lock does not cover a cell it gave
	bytes  atomic.Int64  // written by the program
	drawn  chan struct{} // has a value when something was written since it was last empty
	ended  chan struct{}
	err    error // of the program, once ended is closed
}

// open starts the program in a terminal of cols × rows cells and ends it with the test.
func open(t testing.TB, cols, rows int, env []string, args ...string) *terminal {
	t.Helper()
	return openProgram(t, binary, cols, rows, env, args...)
}

func openProgram(t testing.TB, program string, cols, rows int, env []string, args ...string) *terminal {
	t.Helper()
	term := &terminal{t: t, screen: vt.NewSafeEmulator(cols, rows), drawn: make(chan struct{}, 1), ended: make(chan struct{})}
	term.cmd = exec.Command(program, args...)
	term.cmd.Env = append(append([]string{"TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}, env...), "COLORTERM=truecolor")
	file, err := pty.StartWithSize(term.cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	if err != nil {
		t.Fatal(err)
	}
	term.pty = file
	read := make(chan struct{})
	go func() { // what the program writes
		defer close(read)
		buffer := make([]byte, 1<<16)
		for {
			n, err := file.Read(buffer)
			term.bytes.Add(int64(n))
			term.cells.Lock()
			_, _ = term.screen.Write(buffer[:n])
			term.cells.Unlock()
			select {
			case term.drawn <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	go func() { // what a terminal answers when it is asked
		buffer := make([]byte, 1<<12)
		for {
			n, err := term.screen.Read(buffer)
			if err != nil {
				return
			}
			if _, err := file.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	go func() {
		term.err = term.cmd.Wait()
		<-read
		close(term.ended)
	}()
	t.Cleanup(func() {
		_ = term.cmd.Process.Kill()
		<-term.ended
		_ = file.Close()
		_ = term.screen.InputPipe().(io.Closer).Close()
	})
	return term
}

// text is the screen as lines without the blanks at their ends.
func (term *terminal) text() string {
	term.cells.Lock()
	defer term.cells.Unlock()
	var b strings.Builder
	for y := range term.screen.Height() {
		var line strings.Builder
		for x := 0; x < term.screen.Width(); x++ {
			cell := term.screen.CellAt(x, y)
			if cell == nil || cell.Content == "" {
				line.WriteByte(' ')
				continue
			}
			line.WriteString(cell.Content)
			x += max(cell.Width-1, 0)
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// until looks at the screen whenever something is written until it is as wanted, and fails the test after the time given with what the screen shows.
func (term *terminal) until(limit time.Duration, what string, wanted func(screen string) bool) string {
	term.t.Helper()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for {
		text := term.text()
		if wanted(text) {
			return text
		}
		select {
		case <-term.ended:
			if text = term.text(); wanted(text) {
				return text
			}
			term.t.Fatalf("%s: the program ended (%v) with the screen\n%s", what, term.err, text)
		case <-deadline.C:
			term.t.Fatalf("%s: not within %s; the screen is\n%s", what, limit, text)
		case <-term.drawn:
		}
	}
}

// shows waits until every text is on the screen.
func (term *terminal) shows(limit time.Duration, texts ...string) string {
	term.t.Helper()
	return term.until(limit, fmt.Sprintf("wait for %q", texts), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// line waits for a line that has all the texts in it.
func (term *terminal) line(limit time.Duration, texts ...string) string {
	term.t.Helper()
	var found string
	term.until(limit, fmt.Sprintf("wait for a line with %q", texts), func(screen string) bool {
	lines:
		for line := range strings.Lines(screen) {
			for _, text := range texts {
				if !strings.Contains(line, text) {
					continue lines
				}
			}
			found = line
			return true
		}
		return false
	})
	return found
}

// press sends keys.
func (term *terminal) press(keys ...string) {
	term.t.Helper()
	for _, key := range keys {
		if _, err := io.WriteString(term.pty, key); err != nil {
			term.t.Fatal(err)
		}
	}
}

// typed sends a text as a person types it: line breaks are the enter key.
func (term *terminal) typed(text string) {
	term.t.Helper()
	term.press(strings.ReplaceAll(text, "\n", enter))
}

// mostFields is more than any section of the form has.
const mostFields = 40

// settled waits until two looks in a row see the same screen: what changes by itself, as when the cluster's first answers
// come, is not taken for the answer to a key.
func (term *terminal) settled() string {
	term.t.Helper()
	for deadline := time.Now().Add(soon); time.Now().Before(deadline); {
		before := term.text()
		time.Sleep(settling)
		if after := term.text(); after == before {
			return after
		}
	}
	term.t.Fatalf("the screen does not come to rest:\n%s", term.text())
	return ""
}

// settling is the time between two looks at a screen that may still change.
const settling = 80 * time.Millisecond

// focus presses tab until the form shows the hint of the wanted field.
func (term *terminal) focus(hint string) {
	term.t.Helper()
	for range mostFields {
		before := term.settled()
		if strings.Contains(before, hint) {
			return
		}
		term.press(tab)
		term.until(soon, "press tab", func(screen string) bool { return screen != before })
	}
	term.t.Fatalf("no field has the hint %q; the screen is\n%s", hint, term.text())
}

// ends waits for the program's end and returns its exit status.
func (term *terminal) ends(limit time.Duration) int {
	term.t.Helper()
	select {
	case <-term.ended:
	case <-time.After(limit):
		term.t.Fatalf("the program does not end within %s; the screen is\n%s", limit, term.text())
	}
	return term.cmd.ProcessState.ExitCode()
}
