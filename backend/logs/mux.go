package logs

import (
	"context"
	"sync"
	"time"
)

// Limits of one source of a [Mux]: what it may have waiting before [Source.Send] blocks, so that a slow reader
// slows the containers' streams down and nothing is dropped.
const (
	maxWaitingLines = 4096
	maxWaitingBytes = 1 << 20
)

// maxBatch is the most lines that one emit gets.
const maxBatch = 4096

// Mux runs a [Merger] for sources that live in goroutines of their own. One that blocks in emit blocks them all.
type Mux struct {
	mu      sync.Mutex
	merger  *Merger
	changed chan struct{} // holds one token when something was pushed, opened or closed
	popped  sync.Cond     // a source may have room again
	stopped bool
	live    int // open sources
	sealed  bool
}

// NewMux makes a mux that holds lines back as [Merger] describes.
func NewMux(holdBack time.Duration) *Mux {
	m := &Mux{merger: NewMerger(holdBack), changed: make(chan struct{}, 1)}
	m.popped.L = &m.mu
	return m
}

// Source is one container's stream.
type Source struct {
	mux *Mux
	id  int
}

// Source opens a source. It must be closed.
func (m *Mux) Source() *Source {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live++
	return &Source{mux: m, id: m.merger.Open(time.Now())}
}

// Hold lets nothing pass for d, unless every source open has shown a line: see [Merger.HoldUntil].
func (m *Mux) Hold(d time.Duration) {
	m.mu.Lock()
	m.merger.HoldUntil(time.Now().Add(d))
	m.mu.Unlock()
}

// Seal says that no more sources will be opened: Run returns when those that are open are closed and empty.
func (m *Mux) Seal() {
	m.mu.Lock()
	m.sealed = true
	m.mu.Unlock()
	m.wake()
}

// Send hands lines on, and blocks while the source has too much waiting. It returns false when the mux stopped:
// then the lines are gone, and so is their reader.
func (s *Source) Send(lines []Line) bool {
	m := s.mux
	m.mu.Lock()
	for !m.stopped {
		waiting, bytes := m.merger.Buffered(s.id)
		if waiting < maxWaitingLines && bytes < maxWaitingBytes {
			break
		}
		m.popped.Wait()
	}
	if m.stopped {
		m.mu.Unlock()
		return false
	}
	m.merger.Push(s.id, lines, time.Now())
	m.mu.Unlock()
	m.wake()
	return true
}

// Close ends the source.
func (s *Source) Close() {
	m := s.mux
	m.mu.Lock()
	m.merger.Close(s.id)
	m.live--
	m.mu.Unlock()
	m.wake()
}

func (m *Mux) wake() {
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// Run hands merged lines to emit until ctx ends or the mux is sealed and empty. A batch is emit's to keep.
func (m *Mux) Run(ctx context.Context, emit func([]Line)) {
	defer func() {
		m.mu.Lock()
		m.stopped = true
		m.popped.Broadcast()
		m.mu.Unlock()
	}()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for ctx.Err() == nil {
		m.mu.Lock()
		now := time.Now()
		batch := m.merger.Pop(nil, maxBatch, now)
		next, waits := m.merger.Next()
		done := m.sealed && m.live == 0 && m.merger.Empty()
		if len(batch) > 0 {
			m.popped.Broadcast()
		}
		m.mu.Unlock()
		if len(batch) > 0 {
			emit(batch)
			continue
		}
		if done {
			return
		}
		wait := time.Hour
		if waits {
			wait = max(time.Until(next), time.Millisecond)
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
		case <-m.changed:
		case <-timer.C:
		}
	}
}
