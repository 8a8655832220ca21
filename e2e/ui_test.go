package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// section goes to a section of the form: alt and its number.
func (term *terminal) section(number, title string) {
	term.t.Helper()
	term.press(esc + number)
	term.shows(soon, "▸ "+title)
}

// newJob opens the UI as alice and fills the form in by keyboard: PyTorch, one master, two workers, the script, and one
// volume at /workspace.
func newJob(t *testing.T, name, script string) *terminal {
	t.Helper()
	term := open(t, 120, 40, append(as(t, "alice"), "HOME="+t.TempDir()))
	term.shows(soon, "live", "research")
	term.press("n")
	term.shows(soon, "New job", "Basics")
	term.focus("Unique in the workspace")
	term.typed(name)
	term.section("2", "Image & command")
	term.focus("Pulled by every node")
	term.press(enter)
	term.shows(soon, "tensorflow")
	term.typed("25.06")
	term.until(soon, "wait for the filtered images", func(screen string) bool { return !strings.Contains(screen, "tensorflow") })
	term.press(enter)
	term.line(soon, "Image", "registry.local/ai/pytorch:25.06-py3")
	term.focus("The training command")
	term.typed(script)
	term.section("3", "Storage")
	term.shows(soon, "Mounts NAS volumes")
	term.focus("The volume: enter shows")
	term.press(enter)
	term.shows(soon, "nas-data")
	term.press(enter)
	term.line(soon, "nas-code", "/workspace")
	term.section("4", "Cluster & roles")
	term.focus("N nodes: one master")
	term.press("\x7f", "3")
	term.shows(soon, "3 nodes")
	return term
}

func TestNewJobByKeyboard(t *testing.T) {
	alice := as(t, "alice")
	remove(t, alice, "by-keyboard")
	// It runs until the test has seen it run.
	mark := filepath.Join(volumeFolder(t, "research", "nas-code"), "seen-running")
	t.Cleanup(func() { _ = os.Remove(mark) })
	term := newJob(t, "by-keyboard", script+"until [ -e /workspace/seen-running ]; do sleep 0.1; done\n")
	term.press(ctrlS)
	term.shows(soon, "Create this job?", "The server would take it")
	term.press(enter)
	term.shows(podTime, "by-keyboard", "Running")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	term.shows(podTime, "by-keyboard", "Succeeded")
	term.press("l")
	term.shows(soon, "rank=0 world=3", "rank=1 world=3", "rank=2 world=3", "typed: $RANK $$ $(date) $(RANK) $$(RANK)")

	checkRanks(t, muster(t, alice, "logs", "by-keyboard").must(t, 0).out)
	copied := muster(t, alice, "clone", "by-keyboard", "-o", "yaml").must(t, 0).out
	for line := range strings.Lines(script) {
		if !strings.Contains(copied, strings.TrimSuffix(line, "\n")) {
			t.Errorf("the script was altered: %q is not in\n%s", line, copied)
		}
	}
}

func TestFailureIsToldInTheJobView(t *testing.T) {
	alice := as(t, "alice")
	remove(t, alice, "ui-exits")
	text := spec("ui-exits", "echo going\n[ \"$RANK\" = 1 ] && { echo these are the last words; exit 3; }\nsleep 600\n", threeNodes)
	muster(t, alice, "submit", "-f", file(t, "job.yaml", text)).must(t, 0)
	term := open(t, 120, 40, append(alice, "HOME="+t.TempDir()))
	term.line(podTime, "ui-exits", "Failed")
	term.press(enter)
	term.shows(soon, "Failed", "exit 3", "worker-0", "these are the last words")
}

func TestQueuedInTheUI(t *testing.T) {
	alice := as(t, "alice")
	remove(t, alice, "ui-first", "ui-second")
	mark := filepath.Join(volumeFolder(t, "research", "nas-code"), "let-ui-first-end")
	t.Cleanup(func() { _ = os.Remove(mark) })
	roles := "roles: [{name: master, gpus: 8}, {name: worker, gpus: 8}]\nsubmission: {mode: Queue, queue: research}"
	muster(t, alice, "submit", "-f", file(t, "a.yaml", spec("ui-first", "until [ -e /workspace/let-ui-first-end ]; do sleep 0.1; done\n", roles, volume))).must(t, 0)
	muster(t, alice, "wait", "ui-first", "--for", "Running", "--timeout", podTime.String()).must(t, 0)

	term := open(t, 120, 40, append(alice, "HOME="+t.TempDir()))
	term.line(soon, "ui-first", "Running")
	muster(t, alice, "submit", "-f", file(t, "b.yaml", spec("ui-second", "echo ran\n", roles))).must(t, 0)
	term.line(podTime, "ui-second", "Queued", "research #1")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	term.line(podTime, "ui-first", "Succeeded")
	term.line(podTime, "ui-second", "Succeeded")
}

func TestTheAPIServerIsKilledUnderTheUI(t *testing.T) {
	alice := as(t, "alice")
	remove(t, alice, "survivor")
	counts := "i=0; while :; do i=$((i+1)); echo line-$i; [ -e /workspace/stop-counting ] && exit 0; sleep 0.1; done\n"
	mark := filepath.Join(volumeFolder(t, "research", "nas-code"), "stop-counting")
	t.Cleanup(func() { _ = os.Remove(mark) })
	muster(t, alice, "submit", "-f", file(t, "job.yaml", spec("survivor", counts, "roles: [{name: master, gpus: 1}]", volume))).must(t, 0)
	term := open(t, 120, 40, append(alice, "HOME="+t.TempDir()))
	term.line(podTime, "survivor", "Running")
	follower := start(t, alice, "logs", "-f", "survivor")
	follower.wrote(podTime, &follower.out, "line-")

	cluster := shared.Get(t)
	cluster.StopAPIServer(t)
	term.shows(podTime, "stale", "survivor") // data stay, and their age is told
	follower.wrote(podTime, &follower.err, "the log was cut")
	cluster.StartAPIServer(t)
	term.shows(podTime, "live", "survivor")
	follower.wrote(podTime, &follower.err, "nothing is lost")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	term.line(podTime, "survivor", "Succeeded")
	if got := follower.ends(podTime); got != 0 {
		t.Errorf("the followed log ends with exit %d", got)
	}
	n := 0
	for line := range strings.Lines(follower.out.String()) {
		n++
		if want := fmt.Sprintf("master-0 line-%d\n", n); line != want {
			t.Fatalf("a gap or a repeat: %q, want %q", line, want)
		}
	}
}
