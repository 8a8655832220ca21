// Package ui is the terminal program: the root model and what starts it. Screens stand in packages of their own.
package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"muster.dev/muster/backend/logs"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/nav"
)

// Backend is what the screens need of a cluster. No method but those of one request may wait for the network before
// it returns or emits.
type Backend interface {
	// Watch emits the state at once and on every change, until ctx ends.
	Watch(ctx context.Context, emit func(snapshot.Snapshot)) error
	Logs(ctx context.Context, request logs.Request, emit func([]logs.Line)) error
	Tail(ctx context.Context, workspace, pod string, lines int) ([]string, error)
	Details(ctx context.Context, workspace, name string) (snapshot.Details, error)
	Do(ctx context.Context, verb snapshot.Verb, workspace, name, uid string) error
	SetWorkspace(name string)
}

// Config is all that the program needs.
type Config struct {
	Backend Backend
	Texts   *i18n.Texts
	Theme   themes.Name
	// Wizard makes the form's screen. The request has a spec to begin with, or none.
	Wizard func(ctx context.Context, env nav.Env, snap snapshot.Snapshot, request nav.NewJob) nav.Screen
	// Start is what opens a screen over the dashboard at once, such as nav.NewJob; nil: nothing.
	Start nav.Intent

	Now           func() time.Time // nil: time.Now
	Width, Height int              // cells of the first frame; Run asks the terminal
	Input         io.Reader        // nil: standard input
	Output        *os.File         // nil: standard output
}

// Run shows the UI until the user leaves it, a signal ends it (SIGHUP, SIGTERM, SIGINT: cleanly, with a nil error; the
// second one without drawing anything more), or ctx ends. Screens are closed before it returns. An editor program that
// runs in the UI's place ends by itself at SIGHUP and SIGTERM: see package editor.
func Run(ctx context.Context, config Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if config.Output == nil {
		config.Output = os.Stdout
	}
	if config.Width == 0 {
		// the first frame must not wait for the message that tells the size
		if w, h, err := term.GetSize(int(config.Output.Fd())); err == nil {
			config.Width, config.Height = w, h
		}
	}
	if config.Width <= 0 || config.Height <= 0 {
		config.Width, config.Height = 80, 24
	}
	model := New(ctx, config)
	defer model.closeAll()
	options := []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithOutput(config.Output)}
	if config.Input != nil {
		options = append(options, tea.WithInput(config.Input))
	}
	program := tea.NewProgram(model, options...)

	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	over := make(chan struct{})
	asked := make(chan ending, 1)
	go func() { asked <- wait(ctx, signals, over, program) }()

	_, err := program.Run()
	if term.IsTerminal(int(config.Output.Fd())) {
		// After another program had the terminal, bubbletea shows the cursor on the alternate screen before it leaves that:
		// terminals that remember it for each screen would hide it at the shell. An error is none: nobody is there to see.
		_, _ = config.Output.WriteString(ansi.ShowCursor)
	}
	close(over)
	if end := <-asked; end.hungUp || end.killed {
		return nil // the terminal is gone, or left in haste: what went wrong with it does not matter
	}
	if err != nil && !errors.Is(err, tea.ErrInterrupted) {
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

// ending is how the UI was asked to end.
type ending struct {
	hungUp bool // the terminal is gone
	killed bool // it was asked twice
}

// stopper is the program as signals see it.
type stopper interface {
	Quit() // in order; it may wait for what the program does
	Kill() // at once
}

// wait hands on what asks the program to end, until it is over: signals as they come, and the end of ctx.
func wait(ctx context.Context, signals <-chan os.Signal, over <-chan struct{}, program stopper) (end ending) {
	ended := ctx.Done()
	quitting, times := false, 0
	for {
		select {
		case <-over:
			return end
		case s := <-signals:
			end.hungUp = end.hungUp || s == syscall.SIGHUP
			if times++; times > 1 {
				end.killed = true
				program.Kill()
				continue
			}
		case <-ended:
			ended = nil
		}
		if !quitting {
			quitting = true
			go program.Quit() // it waits while an editor program has the terminal: signals are heard meanwhile
		}
	}
}
