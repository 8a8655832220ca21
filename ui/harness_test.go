package ui

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/internal/fixture"
	"muster.dev/muster/ui/nav"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // clocks on golden frames
	os.Exit(m.Run())
}

// harness drives the root by messages, without a terminal and without waiting for time.
type harness struct {
	t       *testing.T
	m       *Model
	backend *fixture.Backend
	quit    bool

	// delay is after how many more keys a command is run: keys that are typed at once are all handled before what the
	// first of them began. 0: before the next key.
	delay   int
	keys    int
	waiting []late
}

// late is a command that waits until so many keys were pressed.
type late struct {
	cmd  tea.Cmd
	keys int
}

func newHarness(t *testing.T, lang string, width, height int, snap snapshot.Snapshot) *harness {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	h := &harness{t: t, backend: &fixture.Backend{Snap: &snap}}
	h.m = New(ctx, Config{
		Backend: h.backend, Texts: i18n.New(lang), Theme: themes.Dark, Now: fixture.Now, Width: width, Height: height,
	})
	t.Cleanup(func() { h.m.closeAll(); cancel() })
	h.snapshot(snap)
	return h
}

// snapshot brings a state of the cluster as the watch would.
func (h *harness) snapshot(snap snapshot.Snapshot) {
	h.m.snap = snap
	h.settle(h.m.broadcast(nav.SnapshotMsg{Snapshot: snap}))
}

// send gives the root one message and everything that comes of it.
func (h *harness) send(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case tea.BatchMsg:
		for _, cmd := range msg {
			h.settle(cmd)
		}
		return
	case tea.QuitMsg:
		h.quit = true
		return
	}
	_, cmd := h.m.Update(msg)
	// what waits for time or for more of a stream is left alone
	if strings.HasPrefix(typeName(msg), "stream.Msg") {
		return
	}
	if _, tick := msg.(nav.TickMsg); tick {
		return
	}
	h.settle(cmd)
}

// ask is as if the screen on top asked.
func (h *harness) ask(intent nav.Intent) { h.settle(h.m.apply(h.m.top(), []nav.Intent{intent})) }

func (h *harness) settle(cmd tea.Cmd) {
	switch {
	case cmd == nil:
	case h.delay > 0:
		h.waiting = append(h.waiting, late{cmd, h.keys + h.delay})
	default:
		h.send(cmd())
	}
}

// release runs the commands that have waited long enough.
func (h *harness) release() {
	waiting := h.waiting
	h.waiting = nil
	for _, l := range waiting {
		if l.keys <= h.keys {
			h.send(l.cmd())
		} else {
			h.waiting = append(h.waiting, l)
		}
	}
}

// catchUp runs everything that waits, and what comes of it.
func (h *harness) catchUp() {
	delay := h.delay
	h.delay = 0
	for len(h.waiting) > 0 {
		waiting := h.waiting
		h.waiting = nil
		for _, l := range waiting {
			h.send(l.cmd())
		}
	}
	h.delay = delay
}

// press sends keys: one for each word; a word of one letter is that letter.
func (h *harness) press(keys string) {
	for _, k := range strings.Fields(keys) {
		h.keys++
		h.release()
		h.send(keyPress(k))
	}
}

func keyPress(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft,
		"right": tea.KeyRight, "backspace": tea.KeyBackspace, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome,
		"end": tea.KeyEnd, "space": tea.KeySpace, "f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "delete": tea.KeyDelete,
	}
	if name == "space" {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	if code, ok := special[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: []rune(rest)[0], Mod: tea.ModCtrl}
	}
	if rest, ok := strings.CutPrefix(name, "shift+"); ok {
		return tea.KeyPressMsg{Code: special[rest], Mod: tea.ModShift}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// frame is the screen as plain text.
func (h *harness) frame() string {
	lines := strings.Split(ansi.Strip(h.m.View().Content), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// shows fails unless every text is on the screen.
func (h *harness) shows(texts ...string) {
	h.t.Helper()
	frame := h.frame()
	for _, text := range texts {
		if !strings.Contains(frame, text) {
			h.t.Errorf("%q is not on the screen:\n%s", text, frame)
		}
	}
}

// hides fails when one of the texts is on the screen.
func (h *harness) hides(texts ...string) {
	h.t.Helper()
	frame := h.frame()
	for _, text := range texts {
		if strings.Contains(frame, text) {
			h.t.Errorf("%q is on the screen:\n%s", text, frame)
		}
	}
}
