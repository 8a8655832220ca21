package e2e

import (
	"syscall"
	"testing"
)

// A signal ends the UI with the terminal as it was, and with the status that a shell expects of it.
func TestSignalsEndTheUICleanly(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			term := open(t, 100, 30, []string{"KUBECONFIG=" + t.TempDir() + "/none", "HOME=" + t.TempDir()})
			term.shows(soon, "muster", "quit")
			if !term.screen.IsAltScreen() {
				t.Error("the UI is not on the alternate screen")
			}
			if err := term.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if got, want := term.ends(soon), 128+int(signal); got != want {
				t.Errorf("exit %d, want %d", got, want)
			}
			if term.screen.IsAltScreen() || term.screen.CursorHidden() {
				t.Error("the terminal was not put in order")
			}
		})
	}
}

func TestFollowingEndsByInterrupt(t *testing.T) {
	p := start(t, as(t, "alice"), "list", "-w", "-A")
	p.wrote(soon, &p.out, "WORKSPACE")
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if got := p.ends(soon); got != 130 {
		t.Errorf("exit %d, want 130", got)
	}
}
