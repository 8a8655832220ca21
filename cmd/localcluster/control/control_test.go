package control

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

type fakeDaemon struct {
	grace    time.Duration
	shutdown chan struct{}
}

func (f *fakeDaemon) Status() Status { return Status{State: Ready, PID: 7} }
func (f *fakeDaemon) Events(_ context.Context, send func(Event) error) error {
	return errors.Join(send(Event{Step: "one"}), send(Event{Ready: true}))
}
func (f *fakeDaemon) Shutdown()             { close(f.shutdown) }
func (f *fakeDaemon) StartAPIServer() error { return errors.New("port in use") }
func (f *fakeDaemon) StopAPIServer(grace time.Duration) error {
	f.grace = grace
	return nil
}

func TestConversation(t *testing.T) {
	for name, dir := range map[string]string{
		"short path": t.TempDir(),
		"long path":  filepath.Join(t.TempDir(), strings.Repeat("long/", 30)),
	} {
		t.Run(name, func(t *testing.T) {
			mkdir(t, dir)
			client := NewClient(dir)
			if _, err := client.Status(t.Context()); !errors.Is(err, ErrNotRunning) {
				t.Fatalf("without a daemon: %v", err)
			}
			d := &fakeDaemon{shutdown: make(chan struct{})}
			stop, err := Serve(dir, d)
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
			if s, err := client.Status(t.Context()); err != nil || s.PID != 7 {
				t.Errorf("status %+v, %v", s, err)
			}
			var events []Event
			if err := client.Events(t.Context(), func(e Event) { events = append(events, e) }); err != nil || len(events) != 2 {
				t.Errorf("events %v, %v", events, err)
			}
			if err := client.StopAPIServer(t.Context(), 1500*time.Millisecond); err != nil || d.grace != 1500*time.Millisecond {
				t.Errorf("grace %v, %v", d.grace, err)
			}
			if err := client.StartAPIServer(t.Context()); err == nil || !strings.Contains(err.Error(), "port in use") {
				t.Errorf("a failed start: %v", err)
			}
			if err := client.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			<-d.shutdown
		})
	}
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}
