// Package supervise runs parts of the cluster as child processes: started, watched, started again when they end unasked,
// and ended with their parent, however that one ends.
package supervise

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"k8s.io/utils/clock"
)

// Backoff is how long a child that ended unasked stays away. It doubles from Min to Max; a child that has lived for Reset
// begins at Min again.
type Backoff struct{ Min, Max, Reset time.Duration }

// defaultBackoff is what a Config without one gets.
func defaultBackoff() Backoff { return Backoff{time.Second, 30 * time.Second, time.Minute} }

// Config describes a child process.
type Config struct {
	Name     string
	Path     string   // the program
	Args     []string // without the program's name
	Dir      string   // working directory
	LogFile  string   // where its output is appended
	Inherit  *os.File // an open file that the child holds as long as it lives
	Log      *slog.Logger
	OnReport func(Report)               // called for each Report of the child, from one goroutine at a time
	Backoff  Backoff                    // the zero value is 1 s to 30 s, reset after a minute
	Clock    clock.WithDelayedExecution // nil is the real one
}

// Status is what a child does now.
type Status struct {
	Name     string    `json:"name"`
	PID      int       `json:"pid,omitempty"` // 0 when it does not run
	Since    time.Time `json:"since,omitzero"`
	Restarts int       `json:"restarts"` // after it ended unasked
	Stopped  bool      `json:"stopped"`  // on request: it stays away until it is started
	LastEnd  string    `json:"lastEnd,omitempty"`
	Next     time.Time `json:"next,omitzero"` // when it is started again, after it ended unasked
}

// Child is a supervised process. Its methods may be called at any time from any goroutine.
type Child struct {
	cfg Config

	mu     sync.Mutex
	status Status
	cmd    *exec.Cmd
	ended  chan struct{} // closed when cmd has been waited for
	retry  clock.Timer
	delay  time.Duration
}

// New prepares a child; Start starts it.
func New(cfg Config) *Child {
	if cfg.Clock == nil {
		cfg.Clock = clock.RealClock{}
	}
	if cfg.Backoff == (Backoff{}) {
		cfg.Backoff = defaultBackoff()
	}
	return &Child{cfg: cfg, status: Status{Name: cfg.Name, Stopped: true}, delay: cfg.Backoff.Min}
}

// Status returns what the child does now.
func (c *Child) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Start starts the child, unless it runs.
func (c *Child) Start() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status.Stopped = false
	c.delay = c.cfg.Backoff.Min
	return c.start()
}

// start is called with the lock held.
func (c *Child) start() error {
	if c.cmd != nil {
		return nil
	}
	c.disarm()
	logFile, err := os.OpenFile(c.cfg.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer logFile.Close()
	// The child holds the read end of one pipe as its stdin, and ends when that one says end of file, which it does when
	// this process is gone. On the other pipe it reports.
	life, alive, err := os.Pipe()
	if err != nil {
		return err
	}
	defer life.Close()
	reports, report, err := os.Pipe()
	if err != nil {
		alive.Close()
		return err
	}
	defer report.Close()
	cmd := exec.Command(c.cfg.Path, c.cfg.Args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = c.cfg.Dir, life, logFile, logFile, []*os.File{report}
	if c.cfg.Inherit != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, c.cfg.Inherit)
	}
	// A group of its own: Ctrl-C on a foreground cluster goes to the daemon alone, which ends its children in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		alive.Close()
		reports.Close()
		return fmt.Errorf("start %s: %w", c.cfg.Name, err)
	}
	c.cmd, c.ended = cmd, make(chan struct{})
	c.status.PID, c.status.Since = cmd.Process.Pid, c.cfg.Clock.Now()
	go c.wait(cmd, c.ended, alive, reports)
	return nil
}

func (c *Child) wait(cmd *exec.Cmd, ended chan struct{}, alive, reports *os.File) {
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read(reports)
	}()
	err := cmd.Wait()
	alive.Close()
	<-read // the child alone holds the other end, so that this ends with it
	reports.Close()

	c.mu.Lock()
	defer c.mu.Unlock()
	how := "exit status 0"
	if err != nil {
		how = err.Error()
	}
	lived := c.cfg.Clock.Since(c.status.Since)
	c.cmd, c.status.PID, c.status.LastEnd = nil, 0, how
	close(ended)
	if c.status.Stopped {
		return
	}
	if lived > c.cfg.Backoff.Reset {
		c.delay = c.cfg.Backoff.Min
	}
	c.cfg.Log.Warn("component ended unasked", "component", c.cfg.Name, "how", how, "lived", lived, "again in", c.delay)
	c.arm()
}

// arm has the child started again after the delay; the lock is held.
func (c *Child) arm() {
	c.status.Next = c.cfg.Clock.Now().Add(c.delay)
	c.retry = c.cfg.Clock.AfterFunc(c.delay, c.again)
	c.delay = min(2*c.delay, c.cfg.Backoff.Max)
}

// disarm is called with the lock held.
func (c *Child) disarm() {
	if c.retry != nil {
		c.retry.Stop()
		c.retry = nil
	}
	c.status.Next = time.Time{}
}

func (c *Child) again() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status.Stopped || c.cmd != nil {
		return
	}
	c.status.Restarts++
	if err := c.start(); err != nil {
		c.status.LastEnd = err.Error()
		c.arm()
	}
}

func (c *Child) read(r io.Reader) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var report Report
		if err := json.Unmarshal(lines.Bytes(), &report); err != nil {
			c.cfg.Log.Warn("component reports nonsense", "component", c.cfg.Name, "line", lines.Text())
			continue
		}
		if c.cfg.OnReport != nil {
			c.cfg.OnReport(report)
		}
	}
}

// Stop ends the child and returns when it is gone. It has grace to end by itself after a SIGTERM, none is SIGKILL at
// once.
func (c *Child) Stop(grace time.Duration) error {
	c.mu.Lock()
	c.status.Stopped = true
	c.disarm()
	cmd, ended := c.cmd, c.ended
	c.mu.Unlock()
	if cmd == nil {
		return nil
	}
	if grace > 0 {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
		}
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-ended
	return nil
}
