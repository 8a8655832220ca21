package stream

import (
	"context"
	"errors"
	"slices"
	"testing"
)

func join(a, b []int) []int { return append(slices.Clone(a), b...) }

func next[T any](t *testing.T, s *Stream[T]) Msg[T] {
	t.Helper()
	msg, ok := s.Next()().(Msg[T])
	if !ok || msg.ID != s.ID() {
		t.Fatalf("not a message of this stream: %+v", msg)
	}
	return msg
}

func TestNewestWins(t *testing.T) {
	emitted := make(chan struct{})
	s := Start(context.Background(), func(_ context.Context, emit func(int)) error {
		for i := range 100 {
			emit(i)
		}
		close(emitted)
		return nil
	}, Options[int]{})
	<-emitted
	for {
		msg := next(t, s)
		if msg.Has && msg.Value != 99 {
			t.Errorf("got %d: an old value was not replaced", msg.Value)
		}
		if msg.Done {
			break
		}
	}
}

func TestMergeLosesNothingAndWaitsWhenFull(t *testing.T) {
	const all = 1000
	most := 0
	s := Start(context.Background(), func(_ context.Context, emit func([]int)) error {
		for i := range all {
			emit([]int{i})
		}
		return errors.New("over")
	}, Options[[]int]{Merge: join, Full: func(w []int) bool { return len(w) >= 10 }})
	var got []int
	for {
		msg := next(t, s)
		most = max(most, len(msg.Value))
		got = append(got, msg.Value...)
		if msg.Done {
			if msg.Err == nil || msg.Err.Error() != "over" {
				t.Errorf("err = %v", msg.Err)
			}
			break
		}
	}
	if most > 10 {
		t.Errorf("%d values waited, 10 are full", most)
	}
	if len(got) != all || !slices.IsSorted(got) {
		t.Errorf("%d of %d values came, in order: %v", len(got), all, slices.IsSorted(got))
	}
}

func TestStopEndsSourceAndNext(t *testing.T) {
	ended := make(chan struct{})
	s := Start(context.Background(), func(ctx context.Context, emit func(int)) error {
		defer close(ended)
		<-ctx.Done()
		return ctx.Err()
	}, Options[int]{})
	done := make(chan Msg[int])
	go func() { done <- next(t, s) }()
	s.Stop()
	if msg := <-done; !msg.Done || msg.Err != nil || msg.Has {
		t.Errorf("after Stop: %+v", msg)
	}
	<-ended
}

func TestStopFreesASourceThatWaits(t *testing.T) {
	full, ended := make(chan struct{}), make(chan struct{})
	s := Start(context.Background(), func(_ context.Context, emit func([]int)) error {
		defer close(ended)
		emit([]int{1})
		close(full)
		emit([]int{2}) // waits: nobody takes
		return nil
	}, Options[[]int]{Merge: join, Full: func(w []int) bool { return len(w) > 0 }})
	<-full
	s.Stop()
	<-ended
}
