package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/backend/snapshot"
)

func TestNoWorkspaceOfThatName(t *testing.T) {
	for _, name := range []string{"a/b", "BAD", "Bad NS", "-a", strings.Repeat("a", 64)} {
		for _, command := range [][]string{{"get", "x"}, {"list"}, {"validate", "-f", "-"}, nil} {
			status, _, stderr := call(t, valid, append(command, "-n="+name)...)
			if status != exitWrong || !strings.Contains(stderr, "is not the name of a workspace") {
				t.Errorf("%q -n %q: exit %d, %q", command, name, status, stderr)
			}
		}
	}
}

func TestKubeconfigOfNoWorkspace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	text := "apiVersion: v1\nkind: Config\ncurrent-context: one\nclusters: [{name: c, cluster: {server: 'https://localhost:1'}}]\n" +
		"users: [{name: u, user: {}}]\ncontexts: [{name: one, context: {cluster: c, user: u, namespace: a/b}}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := call(t, "", "get", "x", "--kubeconfig", file)
	if status != exitFailed || !strings.Contains(stderr, file) || !strings.Contains(stderr, `"a/b"`) {
		t.Errorf("exit %d, %q", status, stderr)
	}
}

func TestAListOfAllSaysWhatItCovers(t *testing.T) {
	everywhere := []string{"list jobs.batch", "list pods"}
	for _, c := range []struct {
		name   string
		user   string
		denied []string
		fails  string // what the error says; "" = none
		note   string
	}{
		{"the administrator", "root", nil, "", ""},
		{"one workspace's", "bob", append([]string{"list jobs.batch in namespace research"}, everywhere...), "", "listed: vision. There may be more"},
		{"nobody's", "carol", append([]string{"list jobs.batch in namespace research", "list jobs.batch in namespace vision"}, everywhere...), "(research, vision)", ""},
		{"nobody's, without a name", "", append([]string{"list jobs.batch in namespace research", "list jobs.batch in namespace vision"}, everywhere...), "error: no right", ""},
	} {
		a := testApp("en")
		view := snapshot.Snapshot{Workspaces: []string{"research", "vision"}, Facts: snapshot.Facts{User: c.user, Denied: c.denied}}
		err := a.deniedJobs(view)
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil {
			if strings.Contains(err.Error(), "workspace  ") || !strings.Contains(err.Error(), c.user) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		a.notWhole(view)
		if note := a.err.(*bytes.Buffer).String(); !strings.Contains(note, c.note) || (note == "") != (c.note == "") {
			t.Errorf("%s: %q", c.name, note)
		}
	}
}

func TestWhatMayNotBeListedIsNotEmpty(t *testing.T) {
	a := testApp("en")
	view := snapshot.Snapshot{Facts: snapshot.Facts{Workspace: "vision", Denied: []string{"list persistentvolumeclaims in namespace vision"}}}
	err := a.deniedList(view, "persistentvolumeclaims")
	if err == nil || !strings.Contains(err.Error(), "you may not list persistentvolumeclaims in vision (403)") {
		t.Errorf("%v", err)
	}
	if err := a.deniedList(view, "localqueues.kueue.x-k8s.io"); err != nil {
		t.Errorf("what is allowed: %v", err)
	}
	for _, code := range []string{kube.CodeNamespaceNotFound, kube.CodeImpersonation} {
		view.Facts.Problems = []job.Problem{{Code: code, Args: map[string]string{"workspace": "vision"}}}
		if err := a.deniedList(view, "localqueues.kueue.x-k8s.io"); err == nil {
			t.Errorf("%s is passed over", code)
		}
	}
}

func TestNoQueuesIsNoError(t *testing.T) {
	a := testApp("en")
	view := snapshot.Snapshot{Facts: snapshot.Facts{Workspace: "vision", Kueue: true}}
	if err := a.writeQueues(view, nil, false, asTable); err != nil {
		t.Fatal(err)
	}
	if note := a.err.(*bytes.Buffer).String(); !strings.HasPrefix(note, "workspace vision has no queue") || a.out.(*bytes.Buffer).Len() > 0 {
		t.Errorf("%q", note)
	}
	if _, err := a.queueNamed(view, "x"); err == nil || !strings.HasPrefix(err.Error(), "error: ") {
		t.Errorf("%v", err)
	}
}

// corrupt is a cluster whose job has a record that is none.
type corrupt struct{ *fakeCluster }

func (corrupt) Details(context.Context, string, string) (snapshot.Details, error) {
	_, report := job.Decode([]byte("image: [broken"))
	return snapshot.Details{Unreadable: report.Errors}, nil
}

func TestACorruptRecordIsNotForeign(t *testing.T) {
	a, cluster, _ := submitting(t, valid)
	cluster.jobs = []job.Status{{Name: "hello", Workspace: "home", UID: "1"}}
	_, err := a.cloned(t.Context(), corrupt{cluster}, "hello")
	if err == nil || !strings.Contains(err.Error(), "cannot be read") || strings.Contains(err.Error(), "not made by muster") {
		t.Errorf("%v", err)
	}
}
