package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// How long things may take on a busy machine. Nothing waits as long when it goes well.
const (
	podTime = 90 * time.Second // until pods run, end or are gone
	soon    = 20 * time.Second // until a screen shows what is there
)

// status is a job as the commands' JSON has it.
type status struct {
	Name, DisplayName, Workspace, Engine, Framework, Phase, Reason, Queue string

	Restarts      int
	ExitCode      *int
	QueuePosition *int
	FailedPod     string
	Roles         []struct {
		Name            string
		Replicas, Ready int
		Pods            []struct {
			Name, Node, Phase string
			Index             int
			ExitCode          *int
		}
	}
}

// script is what the ranks run: what a shell expands must be right, and what it must not must stay.
const script = `echo "rank=$RANK world=$WORLD_SIZE master=$MASTER_ADDR pid=$$"
echo "year=$(date +%Y) and all of $(date)"
echo 'typed: $RANK $$ $(date) $(RANK) $$(RANK)'
echo "$RANK" > "/workspace/$MUSTER_JOB_NAME-$RANK"
`

// spec is a spec file of alice's with the script.
func spec(name, script string, more ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: muster.dev/v1\nkind: TrainingJob\nname: %s\nworkspace: research\ncluster: h100-ib\nframework: PyTorch\n", name)
	b.WriteString("image: registry.local/ai/pytorch:25.06-py3\ncommand: [bash]\nargs: |\n")
	for line := range strings.Lines(script) {
		b.WriteString("  " + line)
	}
	for _, m := range more {
		b.WriteString(m + "\n")
	}
	return b.String()
}

// threeNodes are the roles of one master and two workers; volume mounts the workspace's code.
const (
	threeNodes = "roles: [{name: master, gpus: 1}, {name: worker, replicas: 2, gpus: 1}]"
	volume     = "storage: [{volume: nas-code, mountPath: /workspace}]"
)

// job reads one job.
func job(t testing.TB, env []string, name string) status {
	t.Helper()
	var s status
	muster(t, env, "get", name, "-o", "json").must(t, 0).json(t, &s)
	return s
}

// remove deletes a job when the test ends, and waits until it is gone, so that its cards are free for the next test.
func remove(t testing.TB, env []string, names ...string) {
	t.Helper()
	t.Cleanup(func() {
		for _, name := range names {
			if r := muster(t, env, "delete", name); r.status == 0 {
				muster(t, env, "wait", name, "--for", "delete", "--timeout", "60s")
			}
		}
	})
}

// checkRanks fails unless the log has what every rank of three must have printed.
func checkRanks(t *testing.T, log string) {
	t.Helper()
	year := time.Now().Format("2006")
	masters := map[string]bool{}
	for rank, pod := range []string{"master-0", "worker-0", "worker-1"} {
		var mine []string
		for line := range strings.Lines(log) {
			if text, ok := strings.CutPrefix(line, pod+" "); ok {
				mine = append(mine, strings.TrimSuffix(text, "\n"))
			}
		}
		if len(mine) != 3 {
			t.Errorf("%s wrote %d lines, want 3: %q", pod, len(mine), mine)
			continue
		}
		var master string
		var pid int
		if n, err := fmt.Sscanf(mine[0], fmt.Sprintf("rank=%d world=3 master=%%s pid=%%d", rank), &master, &pid); n != 2 || pid < 1 {
			t.Errorf("%s: %q: %v", pod, mine[0], err)
		}
		masters[master] = true
		if !strings.HasPrefix(mine[1], "year="+year+" and all of ") || strings.Contains(mine[1], "$(") {
			t.Errorf("%s: %q", pod, mine[1])
		}
		if want := "typed: $RANK $$ $(date) $(RANK) $$(RANK)"; mine[2] != want {
			t.Errorf("%s: the script was altered: %q, want %q", pod, mine[2], want)
		}
	}
	if len(masters) != 1 {
		t.Errorf("the ranks know different masters: %v", masters)
	}
}
