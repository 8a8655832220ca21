package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/backend/queue"
	"muster.dev/muster/backend/snapshot"
)

// terminalApp is an app on a terminal of some width.
func terminalApp(lang string, width int) (a *app, out, stderr *bytes.Buffer) {
	a = pipedApp(lang)
	a.outTTY, a.width = true, func() int { return width }
	return a, a.out.(*bytes.Buffer), a.err.(*bytes.Buffer)
}

// pipedApp is an app with its flags.
func pipedApp(lang string) *app {
	a := testApp(lang)
	a.flags.add(a, &cobra.Command{})
	return a
}

func failedJob() job.Status {
	five := 5
	return job.Status{
		UID: "1", Name: "bert-pretrain-20261201-x7k2p", DisplayName: "bert \x1b[31mred\x1b]0;T\a \u202efdp\u202c", Workspace: "research", Framework: "PyTorch",
		Phase: job.Failed, Reason: "ExitCode", ExitCode: &five, FailedPod: "bert-pretrain-20261201-x7k2p-worker-0-0-n7hnt", Queue: "research-queue",
		Image: "registry.local/team/a-rather-long-name-of-an-image:2026.12.01", Engine: "jobset", User: "alice", Created: time.Now(),
		Roles: []job.RoleStatus{{Name: "worker", Replicas: 4, GPUs: 8, Pods: []job.PodStatus{{Name: "bert-pretrain-20261201-x7k2p-worker-0-0-n7hnt", Phase: "Failed", Reason: "ExitCode"}}}},
	}
}

func TestAListHasOneLineAJobOnANarrowTerminal(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		for _, format := range []string{asTable, asWide} {
			a, out, stderr := terminalApp(lang, 80)
			j := failedJob()
			if err := (&lister{format: format}).write(a, snapshot.Snapshot{Jobs: []job.Status{j, j}}); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if len(lines) != 3 || strings.Count(out.String(), j.Name) != 2 {
				t.Errorf("%s %q:\n%s", lang, format, out)
			}
			checkWidth(t, out.String(), 80)
			if told := strings.Contains(stderr.String(), "-o json"); told != (format == asWide) {
				t.Errorf("%s %q: stderr %q", lang, format, stderr)
			}
		}
	}
}

func TestReasonsAreWords(t *testing.T) {
	a, out, _ := terminalApp("zh", 200)
	if err := a.writeJob(asTable, failedJob()); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "ExitCode") || !strings.Contains(text, "worker-0") || strings.Contains(text, ",bert") {
		t.Errorf("codes are no words:\n%s", text)
	}
	a = pipedApp("en") // a pipe
	if err := a.writeJob(asTable, failedJob()); err != nil {
		t.Fatal(err)
	}
	if text := a.out.(*bytes.Buffer).String(); !strings.Contains(text, "exit 5 (error of the program), worker-0") {
		t.Errorf("%s", text)
	}
}

func TestOneJobIsShownWholeOnANarrowTerminal(t *testing.T) {
	a, out, _ := terminalApp("en", 80)
	j := failedJob()
	if err := a.writeJob(asWide, j); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{j.Name, j.Image, "research-queue", "alice", "bert red fdp"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks in\n%s", want, text)
		}
	}
	checkWidth(t, text, 80)
	if strings.ContainsAny(text, "\x1b\u202e\u202c\a") || strings.Contains(text, "]0;") {
		t.Errorf("a sequence of the cluster: %q", text)
	}
	piped := pipedApp("en")
	if err := piped.writeJob(asWide, j); err != nil {
		t.Fatal(err)
	}
	if text := piped.out.(*bytes.Buffer).String(); strings.ContainsAny(text, "\x1b\u202e\u202c\a") || !strings.Contains(text, "\tbert red fdp\t") {
		t.Errorf("%q", text)
	}
}

func TestFindingsAndQueuesFitTheTerminal(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		a, out, _ := terminalApp(lang, 80)
		if err := a.writeChecks([]kube.Check{
			{Area: "site", Name: "default", Grade: kube.Warn, Mender: kube.Administrator},
			{Area: "queue", Name: "order", Grade: kube.Warn, Mender: kube.WorkspaceHead, Args: map[string]string{"message": "no"}},
		}, asTable); err != nil {
			t.Fatal(err)
		}
		checkWidth(t, out.String(), 80)
		if lang == "zh" && (strings.Contains(out.String(), "administrator") || strings.Contains(out.String(), "workspace")) {
			t.Errorf("English words:\n%s", out)
		}
		out.Reset()
		four := "32"
		q := queue.Queue{Name: "research-queue", ClusterQueue: "research-cluster-queue", Reason: "the cluster queue has been stopped by its administrator",
			Usage: []queue.Usage{{Flavor: "h100", Resource: "nvidia.com/gpu", Used: "8", Nominal: &four}, {Flavor: "a100", Resource: "nvidia.com/gpu", Used: "8", Nominal: &four}}}
		if err := a.writeQueues(snapshot.Snapshot{}, []queue.Queue{q}, false, asTable); err != nil {
			t.Fatal(err)
		}
		checkWidth(t, out.String(), 80)
	}
	piped := pipedApp("zh")
	if err := piped.writeChecks([]kube.Check{{Area: "site", Name: "default", Grade: kube.Warn, Mender: kube.Administrator}}, asTable); err != nil {
		t.Fatal(err)
	}
	if text := piped.out.(*bytes.Buffer).String(); strings.Contains(text, "administrator") || !strings.Contains(text, "site\twarn\t") {
		t.Errorf("%q", text)
	}
}

func checkWidth(t *testing.T, text string, width int) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		if w := displaywidth.String(line); w > width {
			t.Errorf("%d cells of %d: %s", w, width, line)
		}
	}
}
