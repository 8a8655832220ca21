// Muster creates distributed training jobs on Kubernetes and watches them: as a terminal UI and as commands.
// It works as a kubectl plugin too, under the name kubectl-muster.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"muster.dev/muster/ui/i18n"
)

// version is set by the linker.
var version = "dev"

func main() {
	quiet()
	os.Exit(run(os.Args, streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		inTTY: term.IsTerminal(int(os.Stdin.Fd())), outTTY: term.IsTerminal(int(os.Stdout.Fd())),
		getenv: os.Getenv, width: width,
	}))
}

// streams is what a run has to do with the world outside.
type streams struct {
	in            io.Reader
	out, err      io.Writer
	inTTY, outTTY bool // whether in and out are terminals
	getenv        func(string) string
	width         func() int // of the terminal that out is, in cells, 0 = not known; nil: not known
}

// width is the width of the terminal on standard output.
func width() int {
	columns, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// run is the whole program: one command line to its exit status.
func run(argv []string, s streams) int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	a := &app{streams: s, text: i18n.New(language(argv[1:], s.getenv)), name: programName(argv[0])}
	root := newRoot(a)
	root.SetArgs(argv[1:])
	err := root.ExecuteContext(ctx)
	if cause, ok := context.Cause(ctx).(signalled); ok {
		return cause.status()
	}
	if err == nil {
		return 0
	}
	status, text := a.explain(err)
	if text != "" {
		fmt.Fprintln(s.err, text)
	}
	return status
}

// signalled is the cause of a context that a signal ended.
type signalled struct{ signal syscall.Signal }

func (s signalled) Error() string { return s.signal.String() }

// status is what a shell reports of a process that the signal ended.
func (s signalled) status() int { return 128 + int(s.signal) }

// untilSignal ends the context at the first SIGINT, SIGTERM or SIGHUP, so that what runs can put the terminal in order.
// A second SIGINT ends the process at once: nobody should have to wait for a clean end that does not come. (In the UI
// ctrl+c is a key, not a signal.)
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				number, _ := s.(syscall.Signal)
				if ctx.Err() != nil && number == syscall.SIGINT {
					os.Exit(signalled{number}.status())
				}
				cancel(signalled{number})
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}
