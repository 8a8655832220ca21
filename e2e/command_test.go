package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// result is what a command did.
type result struct {
	args     []string
	status   int
	out, err string
}

// commandTime is the longest that any command of these tests takes.
const commandTime = 3 * time.Minute

// muster runs the program as a command.
func muster(t testing.TB, env []string, args ...string) result {
	t.Helper()
	return musterWith(t, "", env, args...)
}

// musterWith gives it standard input too.
func musterWith(t testing.TB, input string, env []string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	c := exec.CommandContext(ctx, binary, args...)
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	c.Stdin = strings.NewReader(input)
	var out, stderr bytes.Buffer
	c.Stdout, c.Stderr = &out, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("muster %q: %v %v\n%s%s", args, err, ctx.Err(), out.String(), stderr.String())
	}
	return result{args, c.ProcessState.ExitCode(), out.String(), stderr.String()}
}

// must fails the test unless the status is the one given.
func (r result) must(t testing.TB, status int) result {
	t.Helper()
	if r.status != status {
		t.Fatalf("muster %q: exit %d, want %d\nstdout:\n%s\nstderr:\n%s", r.args, r.status, status, r.out, r.err)
	}
	return r
}

// says fails the test unless stderr has the texts in it.
func (r result) says(t testing.TB, texts ...string) result {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.err, text) {
			t.Errorf("muster %q: stderr lacks %q:\n%s", r.args, text, r.err)
		}
	}
	return r
}

// json reads stdout into a value.
func (r result) json(t testing.TB, value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.out), value); err != nil {
		t.Fatalf("muster %q: not JSON: %v\n%s", r.args, err, r.out)
	}
}

// file writes a file into the test's folder and returns its name.
func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// process is a command that goes on while the test does other things.
type process struct {
	t        testing.TB
	cmd      *exec.Cmd
	out, err output
	ended    chan struct{}
}

// output is what a process wrote so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	news chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.news <- struct{}{}:
	default:
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start runs the program in the background and ends it with the test.
func start(t testing.TB, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(binary, args...), ended: make(chan struct{})}
	p.out.news, p.err.news = make(chan struct{}, 1), make(chan struct{}, 1)
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
	})
	return p
}

// wrote waits until the output has the text in it.
func (p *process) wrote(limit time.Duration, o *output, text string) {
	p.t.Helper()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for !strings.Contains(o.String(), text) {
		select {
		case <-o.news:
		case <-p.ended:
			if !strings.Contains(o.String(), text) {
				p.t.Fatalf("the command ended without %q:\n%s%s", text, p.out.String(), p.err.String())
			}
		case <-deadline.C:
			p.t.Fatalf("no %q within %s:\n%s%s", text, limit, p.out.String(), p.err.String())
		}
	}
}

// ends waits for the end and returns the exit status.
func (p *process) ends(limit time.Duration) int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(limit):
		p.t.Fatalf("the command does not end within %s:\n%s%s", limit, p.out.String(), p.err.String())
	}
	return p.cmd.ProcessState.ExitCode()
}
