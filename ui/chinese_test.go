package ui

import (
	"regexp"
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/internal/fixture"
)

// latin is a word of a Latin language, or what looks like one.
var latin = regexp.MustCompile(`[A-Za-z][A-Za-z]+`)

// properNouns may stand in Chinese text: products, terms of Kubernetes, signals and keys; and what the fixtures say
// that is no text of a person.
const properNouns = `muster pod pytorch mpi tensorflow cpu kueue kubeconfig api server visibility localqueue gi vpn ssh
	esc enter tab shift ctrl pgup pgdn sigterm kube config file stock publish jobset job`

// inChinese replaces every letter of a text of the cluster, so that what is left of Latin is ours.
func inChinese(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return '字'
		}
		return r
	}, s)
}

func chineseSite(snap snapshot.Snapshot) snapshot.Snapshot {
	change := func(texts ...*string) {
		for _, text := range texts {
			*text = inChinese(*text)
		}
	}
	for i := range snap.Jobs {
		j := &snap.Jobs[i]
		change(&j.Name, &j.DisplayName, &j.Workspace, &j.Queue, &j.User, &j.Image, &j.Cluster, &j.CardType, &j.Message, &j.FailedPod)
		if j.Reason == "ImagePullBackOff" {
			j.Reason = ""
		}
		for r := range j.Roles {
			change(&j.Roles[r].Name)
			for p := range j.Roles[r].Pods {
				pod := &j.Roles[r].Pods[p]
				change(&pod.Name, &pod.Node, &pod.Message)
				pod.Reason = strings.ReplaceAll(pod.Reason, "ImagePullBackOff", "")
			}
		}
	}
	for i := range snap.Queues {
		q := &snap.Queues[i]
		change(&q.Name, &q.Workspace, &q.ClusterQueue, &q.Reason)
		for u := range q.Usage {
			change(&q.Usage[u].Flavor)
			q.Usage[u].Resource = "字/卡"
		}
		for w := range q.Waiting {
			change(&q.Waiting[w].Job, &q.Waiting[w].Workspace, &q.Waiting[w].Message)
		}
	}
	for i := range snap.Stock {
		s := &snap.Stock[i]
		change(&s.Cluster, &s.CardType, &s.Missing)
		for n := range s.Nodes {
			change(&s.Nodes[n].Name)
		}
	}
	change(&snap.Facts.Context, &snap.Facts.User, &snap.Facts.Workspace, &snap.Conn.Error)
	for i := range snap.Workspaces {
		change(&snap.Workspaces[i])
	}
	for i := range snap.Facts.Denied {
		change(&snap.Facts.Denied[i])
	}
	return snap
}

// Everything that is not from the cluster is Chinese: no text of a screen stands outside the catalogue.
func TestChineseScreensAreChinese(t *testing.T) {
	allowed := map[string]bool{}
	for _, w := range fields(properNouns) {
		allowed[w] = true
	}
	looked := 0
	for _, s := range scenes() {
		// what was typed, and texts that are the cluster's own whatever its language
		if strings.ContainsAny(s.keys, "/&") || s.name == "job-manifest" || s.name == "job-spec" || s.name == "job-events" || s.name == "workspace" {
			continue
		}
		snap := fixture.Snapshot()
		if s.snap != nil {
			snap = s.snap()
		}
		s.snap = func() snapshot.Snapshot { return chineseSite(snap) }
		for _, size := range [][2]int{{80, 24}, {200, 50}} {
			s.lines = fixture.Lines()
			for i := range s.lines {
				s.lines[i].Role, s.lines[i].Text = inChinese(s.lines[i].Role), inChinese(s.lines[i].Text)
			}
			h := s.open(t, "zh", size[0], size[1])
			for _, line := range strings.Split(h.frame(), "\n") {
				if strings.Contains(line, "最后几行") {
					break // the end of a log
				}
				for _, word := range latin.FindAllString(line, -1) {
					looked++
					if !allowed[strings.ToLower(word)] {
						t.Errorf("%s: %q in %q", s.name, word, strings.TrimSpace(line))
					}
				}
			}
		}
	}
	if looked < 100 {
		t.Errorf("only %d words were looked at: the test is broken", looked)
	}
}

func TestPhasesFrameworksAndPrioritiesHaveNames(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		h := newHarness(t, lang, 80, 24, fixture.Snapshot())
		texts := h.m.env.Texts
		var keys []string
		for _, p := range []job.Phase{
			job.Draft, job.Queued, job.Starting, job.Running, job.Restarting, job.Stopping, job.Succeeded, job.Failed, job.TimedOut, job.Stopped, job.Unknown,
		} {
			keys = append(keys, "phase."+string(p), "phaseMeaning."+string(p))
		}
		for _, p := range []job.Priority{job.Normal, job.High, job.Highest} {
			keys = append(keys, "priority."+string(p))
		}
		for _, v := range []snapshot.Verb{snapshot.Stop, snapshot.Resume, snapshot.Delete} {
			keys = append(keys, "verb."+string(v), "action.title."+string(v), "action.effect."+string(v), "action.done."+string(v))
		}
		for _, m := range []string{"Cut", "Resumed", "Gap", "Ended", "Restarted", "Refused", "Deleted", "Stopped"} {
			keys = append(keys, "mark."+m)
		}
		for _, p := range []string{"Pending", "Running", "Succeeded", "Failed", "Terminating", "Unknown"} {
			keys = append(keys, "podPhase."+p)
		}
		for _, w := range []string{"Cordoned", "Tainted", "NotReady"} {
			keys = append(keys, "node."+w)
		}
		for _, key := range keys {
			if !texts.Has(key) {
				t.Errorf("%s: %q is missing", lang, key)
			}
		}
	}
}
