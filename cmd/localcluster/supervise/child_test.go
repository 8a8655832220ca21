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

func newChild(t *testing.T) (*Child, chan Report) {
	t.Setenv("SUPERVISE_TEST", "child")
	reports := make(chan Report, 10)
	c := New(Config{Name: "c", Path: os.Args[0], LogFile: filepath.Join(t.TempDir(), "log"),
		Log: slog.New(slog.DiscardHandler), OnReport: func(r Report) { reports <- r }})
	t.Cleanup(func() {
		if err := c.Stop(0); err != nil {
			t.Error(err)
		}
	})
	return c, reports
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

func TestKilledChildComesBack(t *testing.T) {
	c, reports := newChild(t)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitReady(t, reports)
	first := c.Status()
	if err := syscall.Kill(first.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitReady(t, reports)
	if now := c.Status(); now.PID == first.PID || now.Restarts != 1 || !strings.Contains(now.LastEnd, "killed") {
		t.Errorf("after a kill: %+v", now)
	}
}

func TestStoppedChildStaysAway(t *testing.T) {
	for _, grace := range []time.Duration{0, 10 * time.Second} {
		c, reports := newChild(t)
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
		time.Sleep(backoffMin + 200*time.Millisecond)
		if s := c.Status(); s.PID != 0 || !s.Stopped {
			t.Fatalf("a stopped child came back: %+v", s)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		waitReady(t, reports)
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
