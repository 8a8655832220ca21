package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A signal that comes while the user's editor runs ends both, leaves the terminal as it was, and loses nothing that
// the editor had saved.
func TestSignalsEndTheEditorToo(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			home := t.TempDir()
			pid := filepath.Join(home, "pid")
			script := filepath.Join(home, "editor")
			text := "#!/bin/sh\nprintf 'typed for an hour' > \"$1\"\necho $$ > " + pid + ".tmp\nmv " + pid + ".tmp " + pid + "\nexec sleep 1000\n"
			if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
			term := open(t, 100, 30, []string{"KUBECONFIG=" + home + "/none", "HOME=" + home, "EDITOR=" + script})
			term.shows(soon, "muster", "quit")
			term.press("n")
			term.shows(soon, "New job", "Display name")
			term.press(pageDown) // to the section of the command
			toEditor(t, term, pid)
			data, err := os.ReadFile(pid)
			if err != nil {
				t.Fatal(err)
			}
			editor, err := strconv.Atoi(strings.TrimSpace(string(data)))
			if err != nil {
				t.Fatal(err)
			}
			if err := term.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if got, want := term.ends(soon), 128+int(signal); got != want {
				t.Errorf("exit %d, want %d", got, want)
			}
			if term.screen.IsAltScreen() || term.screen.CursorHidden() {
				t.Errorf("the terminal was not put in order: alternate screen %v, cursor hidden %v", term.screen.IsAltScreen(), term.screen.CursorHidden())
			}
			if err := syscall.Kill(editor, 0); err == nil {
				t.Error("the editor still runs")
			}
			found := false
			err = filepath.WalkDir(filepath.Join(home, ".local", "state", "muster"), func(path string, e os.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				data, err := os.ReadFile(path)
				found = found || strings.Contains(string(data), "typed for an hour")
				return err
			})
			if err != nil || !found {
				t.Errorf("what was typed is nowhere: %v", err)
			}
		})
	}
}

// toEditor presses keys until the editor runs: the field of the arguments is one of those below.
func toEditor(t *testing.T, term *terminal, started string) {
	t.Helper()
	deadline := time.Now().Add(soon)
	for time.Now().Before(deadline) {
		term.press(tab)
		term.press("\x05") // ctrl+e
		time.Sleep(100 * time.Millisecond)
		if _, err := os.Stat(started); err == nil {
			return
		}
	}
	t.Fatalf("the editor was not started:\n%s", term.screen.Render())
}
