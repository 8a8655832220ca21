package kubetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

func TestSweepEndsWhatIsLeftAlone(t *testing.T) {
	temporary := t.TempDir()
	program := filepath.Join(temporary, "localcluster")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\" >> "+temporary+"/called\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	for name, owner := range map[string]string{"left": strconv.Itoa(gone.Process.Pid), "running": strconv.Itoa(os.Getpid()), "odd": "x"} {
		folder := filepath.Join(temporary, folderPattern+name)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, ownerFile), []byte(owner), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := sweep(temporary, program); err != nil {
		t.Fatal(err)
	}
	called, err := os.ReadFile(filepath.Join(temporary, "called"))
	want := "down --purge --data " + filepath.Join(temporary, folderPattern+"left", "data") + "\n"
	if err != nil || string(called) != want {
		t.Errorf("called %q, %v, want %q", called, err, want)
	}
	for name, stays := range map[string]bool{"left": false, "running": true, "odd": true} {
		if _, err := os.Stat(filepath.Join(temporary, folderPattern+name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}
