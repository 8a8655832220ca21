// Package stream carries values from a goroutine that runs for long (a watch, a log) into a tea program, in batches:
// a slow screen never makes a queue grow, and a fast source never floods the screen.
package stream

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Run is the source: it calls emit until it is done or ctx ends. emit blocks while the stream is full.
type Run[T any] func(ctx context.Context, emit func(T)) error

// Options say how values become messages.
type Options[T any] struct {
	// Merge puts a new value onto those that wait; nil: the newest replaces them.
	Merge func(waiting, next T) T
	// Full tells whether what waits is so much that the source must wait; nil: never.
	Full func(waiting T) bool
	// Interval is the least time between two messages.
	Interval time.Duration
}

// Msg brings what came since the last one. ID names the stream. When Done is true it is the last one, and Err is
// what the source returned (nil after [Stream.Stop]).
type Msg[T any] struct {
	ID    *int
	Value T
	Has   bool // false: Value is nothing
	Done  bool
	Err   error
}

// Stream is one running source.
type Stream[T any] struct {
	id      *int
	options Options[T]
	cancel  context.CancelFunc
	ctx     context.Context

	mu      sync.Mutex
	waiting T
	has     bool
	done    bool
	err     error
	last    time.Time
	changed chan struct{} // has one element when there is something to take
	taken   chan struct{} // has one element when the source may go on
}

// Start runs source in a goroutine, which ends with ctx, with Stop, or by itself.
func Start[T any](ctx context.Context, source Run[T], options Options[T]) *Stream[T] {
	ctx, cancel := context.WithCancel(ctx)
	s := &Stream[T]{
		id: new(int), options: options, ctx: ctx, cancel: cancel,
		changed: make(chan struct{}, 1), taken: make(chan struct{}, 1),
	}
	go func() {
		err := source(ctx, s.put)
		s.mu.Lock()
		s.done = true
		if ctx.Err() == nil {
			s.err = err
		}
		s.mu.Unlock()
		signal(s.changed)
	}()
	return s
}

// ID tells messages of this stream from those of another: compare it with Msg.ID.
func (s *Stream[T]) ID() *int { return s.id }

// Stop ends the source. Messages already on their way may still arrive.
func (s *Stream[T]) Stop() { s.cancel() }

// Next is the command that waits for the next batch: give it again after every message that is not Done.
func (s *Stream[T]) Next() tea.Cmd {
	return func() tea.Msg {
		if wait := s.pause(); wait > 0 {
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-s.ctx.Done():
				timer.Stop()
			}
		}
		for {
			if msg, ok := s.take(); ok {
				return msg
			}
			select {
			case <-s.changed:
			case <-s.ctx.Done():
				return Msg[T]{ID: s.id, Done: true}
			}
		}
	}
}

func (s *Stream[T]) pause() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.IsZero() {
		return 0
	}
	return s.options.Interval - time.Since(s.last)
}

func (s *Stream[T]) take() (Msg[T], bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.has && !s.done {
		return Msg[T]{}, false
	}
	msg := Msg[T]{ID: s.id, Value: s.waiting, Has: s.has, Done: s.done, Err: s.err}
	var nothing T
	s.waiting, s.has = nothing, false
	s.last = time.Now()
	signal(s.taken)
	return msg, true
}

func (s *Stream[T]) put(value T) {
	for {
		s.mu.Lock()
		if s.ctx.Err() != nil {
			s.mu.Unlock()
			return
		}
		if !s.has || s.options.Full == nil || !s.options.Full(s.waiting) {
			if s.has && s.options.Merge != nil {
				value = s.options.Merge(s.waiting, value)
			}
			s.waiting, s.has = value, true
			s.mu.Unlock()
			signal(s.changed)
			return
		}
		s.mu.Unlock()
		select {
		case <-s.taken:
		case <-s.ctx.Done():
			return
		}
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
