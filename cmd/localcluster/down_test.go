package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"muster.dev/muster/cmd/localcluster/instance"
)

// TestDownKillsHoldersAlone: a component that hangs has outlived its daemon, whose pid is this test's by now.
func TestDownKillsHoldersAlone(t *testing.T) {
	dir, err := instance.Open(filepath.Join(t.TempDir(), "d"))
	if err != nil {
		t.Fatal(err)
	}
	lock, err := dir.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	component := exec.Command("sleep", "1000")
	component.ExtraFiles = []*os.File{lock.File()}
	if err := component.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan string, 1)
	go func() {
		_ = component.Wait() // its state says more
		ended <- component.ProcessState.String()
	}()
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := down(t.Context(), &out, dir, patience{end: time.Millisecond, kill: 20 * time.Second}); err != nil {
		_ = component.Process.Kill()
		t.Fatal(err)
	}
	if how := <-ended; how != "signal: killed" {
		t.Errorf("the component: %s", how)
	}
	if want := fmt.Sprintf("process %d (sleep 1000) does not end, it is killed.", component.Process.Pid); !strings.Contains(out.String(), want) {
		t.Errorf("%q, want %q", &out, want)
	}
}
