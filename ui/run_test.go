package ui

import (
	"context"
	"os"
	"syscall"
	"testing"
)

// busy is a program that does not quit, as while an editor program has the terminal.
type busy struct{ quit, killed chan struct{} }

func (b busy) Quit() { b.quit <- struct{}{}; select {} }
func (b busy) Kill() { b.killed <- struct{}{} }

func TestEverySignalIsHeard(t *testing.T) {
	for _, c := range []struct {
		first, second syscall.Signal
		hungUp        bool
	}{{syscall.SIGTERM, syscall.SIGTERM, false}, {syscall.SIGTERM, syscall.SIGHUP, true}, {syscall.SIGHUP, syscall.SIGINT, true}} {
		signals, over, asked := make(chan os.Signal), make(chan struct{}), make(chan ending, 1)
		program := busy{make(chan struct{}), make(chan struct{})}
		ctx, cancel := context.WithCancel(context.Background())
		go func() { asked <- wait(ctx, signals, over, program) }()
		signals <- c.first
		<-program.quit
		cancel() // as the program's own handler of signals does
		signals <- c.second
		<-program.killed
		close(over)
		if end := <-asked; end.hungUp != c.hungUp || !end.killed {
			t.Errorf("%v, %v: %+v", c.first, c.second, end)
		}
	}
}

func TestTheEndOfTheContextEndsTheProgram(t *testing.T) {
	over, asked := make(chan struct{}), make(chan ending, 1)
	program := busy{make(chan struct{}), make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { asked <- wait(ctx, nil, over, program) }()
	cancel()
	<-program.quit
	close(over)
	if end := <-asked; end.hungUp || end.killed {
		t.Errorf("%+v", end)
	}
}
