package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestJobFromAFile(t *testing.T) {
	alice := as(t, "alice")
	remove(t, alice, "from-file")
	path := file(t, "job.yaml", spec("from-file", script, threeNodes, volume))

	r := muster(t, alice, "submit", "-f", path, "--wait").must(t, 0)
	if r.out != "from-file\n" {
		t.Errorf("stdout is %q, want the job's name", r.out)
	}
	r.says(t, "Succeeded")

	log := muster(t, alice, "logs", "from-file").must(t, 0)
	checkRanks(t, log.out)
	for _, rank := range []string{"0", "1", "2"} {
		text, err := os.ReadFile(filepath.Join(volumeFolder(t, "research", "nas-code"), "from-file-"+rank))
		if err != nil || string(text) != rank+"\n" {
			t.Errorf("what rank %s wrote into the volume: %q, %v", rank, text, err)
		}
	}

	s := job(t, alice, "from-file")
	if s.Phase != "Succeeded" || s.Workspace != "research" || s.Framework != "PyTorch" || s.Engine != "jobset" || s.DisplayName != "from-file" {
		t.Errorf("get: %+v", s)
	}
	if len(s.Roles) != 2 || len(s.Roles[0].Pods) != 1 || len(s.Roles[1].Pods) != 2 {
		t.Errorf("roles and pods: %+v", s.Roles)
	}
	var all struct{ Items []status }
	muster(t, alice, "list", "-o", "json").must(t, 0).json(t, &all)
	if !slices.ContainsFunc(all.Items, func(j status) bool { return j.Name == "from-file" && j.Phase == "Succeeded" }) {
		t.Errorf("list: %+v", all.Items)
	}
	table := muster(t, alice, "list").must(t, 0).out
	if !strings.Contains(table, "from-file\t") || !strings.HasPrefix(table, "NAME\t") {
		t.Errorf("the table for pipes:\n%s", table)
	}

	// The same file again is the same job: nothing is made twice.
	again := muster(t, alice, "submit", "-f", path).must(t, 0).says(t, "was there already")
	if again.out != "from-file\n" {
		t.Errorf("again: %q", again.out)
	}
	// With a change it is another job under a taken name.
	other := file(t, "other.yaml", spec("from-file", "exit 1\n", threeNodes))
	muster(t, alice, "submit", "-f", other).must(t, 1).says(t, "from-file")
}

func TestParts(t *testing.T) {
	alice := as(t, "alice")
	remove(t, alice, "parts")
	muster(t, alice, "submit", "-f", file(t, "job.yaml", spec("parts", script, threeNodes, volume)), "--wait").must(t, 0)
	whole := muster(t, alice, "logs", "parts").must(t, 0).out
	for _, c := range []struct {
		args  []string
		lines int
		pods  string
	}{
		{[]string{"--role", "worker"}, 6, "worker-"},
		{[]string{"--role", "worker", "--index", "1"}, 3, "worker-1 "},
		{[]string{"--role", "master", "--tail", "1"}, 1, "master-0 typed: "},
		{[]string{"--since", "1h"}, 9, ""},
		{[]string{"--timestamps", "--role", "master"}, 3, "master-0 20"},
	} {
		out := muster(t, alice, append([]string{"logs", "parts"}, c.args...)...).must(t, 0).out
		n := 0
		for line := range strings.Lines(out) {
			n++
			if !strings.HasPrefix(line, c.pods) {
				t.Errorf("%q: line %q", c.args, line)
			}
		}
		if n != c.lines {
			t.Errorf("%q: %d lines, want %d of\n%s", c.args, n, c.lines, whole)
		}
	}
	muster(t, alice, "logs", "parts", "--role", "chief").must(t, 2).says(t, "master, worker")
	muster(t, alice, "logs", "parts", "--index", "9").must(t, 2).says(t, "index 9")
	muster(t, alice, "logs", "part").must(t, 1).says(t, "parts")
}

func TestExitCode(t *testing.T) {
	alice := as(t, "alice")
	remove(t, alice, "exits")
	text := spec("exits", "echo going\n[ \"$RANK\" = 1 ] && { echo last words; exit 3; }\nsleep 600\n", threeNodes)
	muster(t, alice, "submit", "-f", file(t, "job.yaml", text), "--wait").must(t, 1).says(t, "exit 3", "worker-0")
	s := job(t, alice, "exits")
	if s.Phase != "Failed" || s.ExitCode == nil || *s.ExitCode != 3 || !strings.Contains(s.FailedPod, "worker") {
		t.Errorf("get: %+v", s)
	}
	if log := muster(t, alice, "logs", "exits", "--role", "worker", "--index", "0").out; !strings.Contains(log, "worker-0 last words\n") {
		t.Errorf("the log of the pod that failed:\n%s", log)
	}
	muster(t, alice, "wait", "exits").must(t, 1)
	muster(t, alice, "wait", "exits", "--for", "failed").must(t, 0)
}

func TestQueueTooSmall(t *testing.T) {
	alice := as(t, "alice")
	remove(t, alice, "first", "second")
	roles := "roles: [{name: master, gpus: 8}, {name: worker, gpus: 8}]\nsubmission: {mode: Queue, queue: research}"
	long := "until [ -e /workspace/let-first-end ]; do sleep 0.2; done\n"
	mark := filepath.Join(volumeFolder(t, "research", "nas-code"), "let-first-end")
	t.Cleanup(func() { _ = os.Remove(mark) })

	muster(t, alice, "submit", "-f", file(t, "a.yaml", spec("first", long, roles, volume))).must(t, 0)
	muster(t, alice, "wait", "first", "--for", "Running", "--timeout", podTime.String()).must(t, 0)
	muster(t, alice, "submit", "-f", file(t, "b.yaml", spec("second", "echo ran\n", roles))).must(t, 0)
	muster(t, alice, "wait", "second", "--for", "Queued", "--timeout", podTime.String()).must(t, 0)

	s := job(t, alice, "second")
	if s.Phase != "Queued" || s.Queue != "research" || s.QueuePosition == nil || *s.QueuePosition != 1 {
		t.Errorf("the second job: %+v", s)
	}
	var queues struct {
		Items []struct {
			Name    string
			Pending int
			Waiting []struct {
				Job      string
				Position int
			}
		}
	}
	muster(t, alice, "queue", "research", "-o", "json").must(t, 0).json(t, &queues)
	if len(queues.Items) != 1 || len(queues.Items[0].Waiting) != 1 || queues.Items[0].Waiting[0].Job != "second" {
		t.Errorf("the queue: %+v", queues)
	}

	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	muster(t, alice, "wait", "first", "--timeout", podTime.String()).must(t, 0)
	muster(t, alice, "wait", "second", "--timeout", podTime.String()).must(t, 0)
}

func TestStopResumeDelete(t *testing.T) {
	alice := as(t, "alice")
	remove(t, alice, "stops")
	text := spec("stops", "trap 'exit 0' TERM\nwhile :; do sleep 0.2; done\n", threeNodes)
	muster(t, alice, "submit", "-f", file(t, "job.yaml", text)).must(t, 0)
	muster(t, alice, "wait", "stops", "--for", "Running", "--timeout", podTime.String()).must(t, 0)
	muster(t, alice, "stop", "stops").must(t, 0)
	muster(t, alice, "wait", "stops", "--for", "Stopped", "--timeout", podTime.String()).must(t, 0)
	muster(t, alice, "resume", "stops").must(t, 0)
	muster(t, alice, "wait", "stops", "--for", "Running", "--timeout", podTime.String()).must(t, 0)
	muster(t, alice, "delete", "stops", "no-such-job").must(t, 1).says(t, "no-such-job")
	muster(t, alice, "wait", "stops", "--for", "delete", "--timeout", podTime.String()).must(t, 0)
	muster(t, alice, "get", "stops").must(t, 1).says(t, "research")
}

func TestCloneIsTheSameSpec(t *testing.T) {
	alice := as(t, "alice")
	remove(t, alice, "original")
	muster(t, alice, "submit", "-f", file(t, "job.yaml", spec("original", script, threeNodes, volume, "secretEnv: [TOKEN]")), "--secret-env-file", file(t, "env", "TOKEN=hush-hush\n")).must(t, 0)
	copied := muster(t, alice, "clone", "original", "-o", "yaml").must(t, 0).out
	if strings.Contains(copied, "hush-hush") || strings.Contains(copied, "\nname: original\n") {
		t.Errorf("the copy:\n%s", copied)
	}
	muster(t, alice, "validate", "-f", file(t, "copy.yaml", copied)).must(t, 0)
	for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
		if !strings.Contains(copied, line) {
			t.Errorf("the copy lacks %q:\n%s", line, copied)
		}
	}
	details := muster(t, alice, "get", "original", "-o", "yaml").out + muster(t, alice, "render", "-f", file(t, "again.yaml", copied)).out
	if strings.Contains(details, "hush-hush") {
		t.Error("the secret is shown")
	}
}

func TestDryRuns(t *testing.T) {
	alice := as(t, "alice")
	path := file(t, "job.yaml", spec("dry", script, threeNodes, volume))
	for _, how := range []string{"client", "server"} {
		var s status
		r := muster(t, alice, "submit", "-f", path, "--dry-run="+how, "-o", "json").must(t, 0)
		r.json(t, &s)
		if s.Name != "dry" || s.Phase != "Draft" {
			t.Errorf("%s: %+v", how, s)
		}
	}
	muster(t, alice, "get", "dry").must(t, 1)
}

func TestListFollows(t *testing.T) {
	alice := as(t, "alice")
	remove(t, alice, "followed")
	term := open(t, 160, 24, alice, "list", "-w")
	term.shows(soon, "NAME")
	muster(t, alice, "submit", "-f", file(t, "job.yaml", spec("followed", "exit 0\n", threeNodes))).must(t, 0)
	term.line(podTime, "followed", "Succeeded")
	term.press(ctrlC)
	if got := term.ends(soon); got != 130 {
		t.Errorf("ctrl+c: exit %d, want 130", got)
	}
}

func TestFollowedLogEnds(t *testing.T) {
	alice := as(t, "alice")
	remove(t, alice, "tailed")
	muster(t, alice, "submit", "-f", file(t, "job.yaml", spec("tailed", "for i in 1 2 3; do echo $i; sleep 0.3; done\n", threeNodes))).must(t, 0)
	muster(t, alice, "wait", "tailed", "--for", "Running", "--timeout", podTime.String()).must(t, 0)
	out := muster(t, alice, "logs", "-f", "tailed").must(t, 0).out
	for _, pod := range []string{"master-0", "worker-0", "worker-1"} {
		if !strings.Contains(out, pod+" 1\n") || !strings.Contains(out, pod+" 3\n") {
			t.Errorf("%s is not whole:\n%s", pod, out)
		}
	}
}

func TestPlaces(t *testing.T) {
	alice := as(t, "alice")
	for _, command := range []string{"queue", "stock", "volumes", "images", "doctor"} {
		r := muster(t, alice, command, "-o", "json")
		var all map[string][]map[string]any
		if err := json.Unmarshal([]byte(r.out), &all); err != nil || len(all) != 1 || len(all["items"]) == 0 {
			t.Errorf("%s: not a list with items (%v):\n%s%s", command, err, r.out, r.err)
		}
		muster(t, alice, command).must(t, r.status)
	}
	muster(t, alice, "doctor").must(t, 0)
	if out := muster(t, alice, "volumes", "-o", "name").must(t, 0).out; out != "nas-code\nnas-data\n" {
		t.Errorf("volumes: %q", out)
	}
	if out := muster(t, alice, "images", "-o", "name").must(t, 0).out; !strings.Contains(out, "registry.local/ai/pytorch:25.06-py3\n") {
		t.Errorf("images: %q", out)
	}
}
