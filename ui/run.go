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

// Run shows the UI until the user leaves it, a signal ends it (SIGHUP, SIGTERM, SIGINT: cleanly, with a nil error),
// or ctx ends. Screens are closed before it returns.
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
	hungUp := make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			if s == syscall.SIGHUP {
				close(hungUp)
			}
			program.Quit()
		case <-ctx.Done():
			program.Quit()
		}
	}()

	_, err := program.Run()
	select {
	case <-hungUp:
		return nil // the terminal is gone: what went wrong with it does not matter
	default:
	}
	if err != nil && !errors.Is(err, tea.ErrInterrupted) {
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}
