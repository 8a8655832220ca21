package supervise

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
)

// TestMain doubles as the child: the tests start their own binary again.
func TestMain(m *testing.M) {
	switch os.Getenv("SUPERVISE_TEST") {
	case "child":
		r, err := Attach()
		if err != nil {
			panic(err)
		}
		r.Send(Report{Ready: true})
		select {}
	case "parent":
		c := New(Config{Name: "c", Path: os.Args[0], LogFile: os.Args[1], Log: slog.New(slog.DiscardHandler)})
		os.Setenv("SUPERVISE_TEST", "child")
		if err := c.Start(); err != nil {
			panic(err)
		}
		os.Stdout.WriteString(strconv.Itoa(c.Status().PID) + "\n")
		select {}
	}
	os.Exit(m.Run())
}

// fakeClock calls back in a goroutine of its own, as the real one does; FakeClock itself would do so holding its lock.
type fakeClock struct{ *clocktesting.FakeClock }

func (c fakeClock) AfterFunc(d time.Duration, f func()) clock.Timer {
	return c.FakeClock.AfterFunc(d, func() { go f() })
}

func newChild(t *testing.T) (*Child, chan Report, fakeClock) {
	t.Setenv("SUPERVISE_TEST", "child")
	reports := make(chan Report, 10)
	now := fakeClock{clocktesting.NewFakeClock(time.Now())}
	c := New(Config{Name: "c", Path: os.Args[0], LogFile: filepath.Join(t.TempDir(), "log"),
		Log: slog.New(slog.DiscardHandler), OnReport: func(r Report) { reports <- r },
		Clock: now, Backoff: Backoff{Min: time.Second, Max: 2 * time.Second, Reset: time.Minute}})
	t.Cleanup(func() {
		if err := c.Stop(0); err != nil {
			t.Error(err)
		}
	})
	return c, reports, now
}

func waitReady(t *testing.T, reports chan Report) {
	t.Helper()
	select {
	case r := <-reports:
		if !r.Ready {
			t.Fatalf("report %+v", r)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the child does not report")
	}
}

// waitArmed waits until a child that has ended is to be started again.
func waitArmed(t *testing.T, c *Child) Status {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if s := c.Status(); !s.Next.IsZero() {
			return s
		} else if time.Now().After(deadline) {
			t.Fatalf("it is not to be started again: %+v", s)
		}
	}
}

func TestKilledChildComesBack(t *testing.T) {
	c, reports, now := newChild(t)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitReady(t, reports)
	// The last life was long enough for the delay to be the first again.
	for i, life := range []time.Duration{0, 0, 0, 2 * time.Minute} {
		delay := []time.Duration{time.Second, 2 * time.Second, 2 * time.Second, time.Second}[i]
		before := c.Status()
		now.Step(life)
		if err := syscall.Kill(before.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if s := waitArmed(t, c); s.PID != 0 || !s.Next.Equal(now.Now().Add(delay)) || !strings.Contains(s.LastEnd, "killed") {
			t.Fatalf("end %d: %+v, want it to be away for %s", i, s, delay)
		}
		now.Step(delay)
		waitReady(t, reports)
		if s := c.Status(); s.PID == before.PID || s.Restarts != i+1 || !s.Next.IsZero() || now.HasWaiters() {
			t.Fatalf("end %d: %+v", i, s)
		}
	}
}

func TestStoppedChildStaysAway(t *testing.T) {
	for _, grace := range []time.Duration{0, 10 * time.Second} {
		c, reports, now := newChild(t)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		waitReady(t, reports)
		pid := c.Status().PID
		if err := c.Stop(grace); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Fatalf("stopped, but process %d is there: %v", pid, err)
		}
		// Status has waited for what is done at the child's end: whatever was to start it again would be armed by now.
		if s := c.Status(); s.PID != 0 || !s.Stopped || !s.Next.IsZero() || now.HasWaiters() {
			t.Fatalf("a stopped child is to come back: %+v", s)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		waitReady(t, reports)
	}
}

func TestStoppedWhileItIsAway(t *testing.T) {
	c, reports, now := newChild(t)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitReady(t, reports)
	if err := syscall.Kill(c.Status().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitArmed(t, c)
	if err := c.Stop(0); err != nil {
		t.Fatal(err)
	}
	if s := c.Status(); s.PID != 0 || !s.Stopped || !s.Next.IsZero() || now.HasWaiters() {
		t.Fatalf("a stopped child is to come back: %+v", s)
	}
}

func TestChildEndsWithItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0], filepath.Join(t.TempDir(), "log"))
	parent.Env = append(os.Environ(), "SUPERVISE_TEST=parent")
	parent.Stderr = os.Stderr
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // "signal: killed", as asked for
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for running(pid) {
		select {
		case <-ctx.Done():
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("child %d outlives its killed parent", pid)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// running says whether a process is there and more than a zombie that nobody collects.
func running(pid int) bool {
	f, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(rest, "Z")
}
