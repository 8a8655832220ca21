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
