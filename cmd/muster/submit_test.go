package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/stock"
	"muster.dev/muster/backend/submit"
)

// fakeCluster is a cluster whose kubeconfig names workspace home: what it shows is of the workspace that it is set to.
type fakeCluster struct {
	t         *testing.T
	workspace string
	jobs      []job.Status
	denied    []string // resources that may not be listed
	stock     []stock.Stock
	place     site.Site
	submitted int
	same      bool            // what is submitted is what is there
	bounded   map[string]bool // whether the call had a deadline
}

func (c *fakeCluster) view() snapshot.Snapshot {
	view := snapshot.Snapshot{
		Conn: snapshot.Connection{State: snapshot.Live}, Facts: snapshot.Facts{Workspace: c.workspace, User: "u"}, Stock: c.stock, Site: c.place,
	}
	for _, resource := range c.denied {
		view.Facts.Denied = append(view.Facts.Denied, "list "+resource+" in namespace "+c.workspace)
	}
	for _, j := range c.jobs {
		if j.Workspace == c.workspace && len(c.denied) == 0 {
			view.Jobs = append(view.Jobs, j)
		}
	}
	return view
}

func (c *fakeCluster) note(ctx context.Context, call string) {
	_, bounded := ctx.Deadline()
	c.bounded[call] = bounded
}

func (c *fakeCluster) SetWorkspace(name string) { c.workspace = name }

func (c *fakeCluster) Snapshot(ctx context.Context) (snapshot.Snapshot, error) {
	c.note(ctx, "snapshot")
	return c.view(), nil
}

// Watch shows the jobs as they are, then as having succeeded; of views that say nothing new there are no more.
func (c *fakeCluster) Watch(ctx context.Context, emit func(snapshot.Snapshot)) error {
	for _, phase := range []job.Phase{job.Running, job.Succeeded} {
		for i := range c.jobs {
			c.jobs[i].Phase = phase
		}
		if emit(c.view()); ctx.Err() != nil {
			return nil
		}
	}
	return errors.New("nothing ends this watch: it would hang")
}

func (c *fakeCluster) Submit(ctx context.Context, r submit.Request) (submit.Result, error) {
	c.note(ctx, "submit")
	c.submitted++
	if j, there := jobNamed(c.jobs, r.Spec.Workspace, r.Spec.Name); there && c.same {
		return submit.Result{Name: j.Name, Workspace: j.Workspace, Engine: "jobset", Existed: true}, nil
	}
	c.jobs = append(c.jobs, job.Status{Name: r.Spec.Name, Workspace: r.Spec.Workspace, UID: "1", Phase: job.Running})
	return submit.Result{Name: r.Spec.Name, Workspace: r.Spec.Workspace, Engine: "jobset"}, nil
}

func (c *fakeCluster) Do(ctx context.Context, verb snapshot.Verb, _, _, uid string) error {
	c.note(ctx, "do")
	if uid == "" {
		c.t.Error("not the job that was shown")
	}
	return nil
}

func (c *fakeCluster) Details(ctx context.Context, _, _ string) (snapshot.Details, error) {
	c.note(ctx, "details")
	return snapshot.Details{Spec: &job.Spec{Name: "hello"}}, nil
}

// submitting is an app, a cluster and the spec of a file, as submit has them.
func submitting(t *testing.T, text string) (*app, *fakeCluster, *specFile) {
	t.Helper()
	a := testApp("en")
	a.kube = genericclioptions.NewConfigFlags(false)
	spec, report := job.Load([]byte(text))
	if !report.OK() {
		t.Fatal(report.Errors)
	}
	return a, &fakeCluster{t: t, workspace: "home", bounded: map[string]bool{}}, &specFile{file: "job.yaml", spec: spec, report: report}
}

func output(a *app) (out, err string) {
	return a.out.(*bytes.Buffer).String(), a.err.(*bytes.Buffer).String()
}

func TestSubmitLooksWhereTheJobGoes(t *testing.T) {
	for _, s := range []submission{{wait: true, format: asJSON}, {format: asJSON}} {
		a, cluster, f := submitting(t, valid)
		err := s.create(context.Background(), a, cluster, f, nil, false)
		out, stderr := output(a)
		var got job.Status
		if jsonErr := json.Unmarshal([]byte(out), &got); err != nil || jsonErr != nil {
			t.Fatalf("%+v: %v, %v\n%s%s", s, err, jsonErr, out, stderr)
		}
		want := job.Running
		if s.wait {
			want = job.Succeeded
		}
		if got.Phase != want || got.Workspace != "research" || got.UID != "1" {
			t.Errorf("%+v: %s %s, want the job of workspace research, %s", s, got.Workspace, got.Phase, want)
		}
	}
}

func TestWhoMayNotSeeTheJobIsTold(t *testing.T) {
	a, cluster, f := submitting(t, valid)
	cluster.denied = []string{"jobsets.jobset.x-k8s.io"}
	err := (&submission{wait: true}).create(context.Background(), a, cluster, f, nil, false)
	var e *exit
	if !errors.As(err, &e) || e.status != exitFailed || !strings.Contains(e.text, "list jobsets.jobset.x-k8s.io in namespace research") {
		t.Errorf("--wait: %v", err)
	}

	a, cluster, f = submitting(t, valid)
	cluster.denied = []string{"jobsets.jobset.x-k8s.io"}
	err = (&submission{format: asJSON}).create(context.Background(), a, cluster, f, nil, false)
	out, stderr := output(a)
	if err != nil || !strings.Contains(out, `"phase": "Unknown"`) || !strings.Contains(stderr, "list jobsets.jobset.x-k8s.io in namespace research") {
		t.Errorf("-o json: %v\n%s%s", err, out, stderr)
	}
}

func TestSubmitLooksAtTheStock(t *testing.T) {
	const cards = `image: busybox
name: hello
args: x
workspace: research
`
	queued := cards + "submission: {mode: Queue, queue: q}\n"
	lacking := []stock.Stock{{Cluster: "a", CardType: "H100", Known: true, Nodes: []stock.Node{{Total: 1, Free: 0, Schedulable: true}}}}
	never := []stock.Stock{{Cluster: "a", CardType: "H100", Known: true}}
	unknown := []stock.Stock{{Missing: "list nodes"}}
	there := []job.Status{{Name: "hello", Workspace: "research", UID: "0"}}
	for name, c := range map[string]struct {
		text    string
		stock   []stock.Stock
		jobs    []job.Status
		refused string
		warned  string
	}{
		"lacks":                {cards, lacking, nil, "roles[0].gpus: the job asks for 1 nodes with 1 cards, and 0 find room now", ""},
		"waits":                {queued, lacking, nil, "", "roles[0].gpus: the job asks for 1 nodes with 1 cards, and 0 find room now: it will wait"},
		"never, though queued": {queued, never, nil, "roles[0].gpus: could never fit", ""},
		"not known":            {cards, unknown, nil, "", ""},
		"CPU alone":            {cards + "roles: [{name: master}]\n", lacking, nil, "", ""},
		"there already":        {cards, lacking, there, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, cluster, f := submitting(t, c.text)
			cluster.stock, cluster.jobs = c.stock, c.jobs
			cluster.place = site.Site{Clusters: []site.Cluster{{Name: "a", CardTypes: []site.CardType{{Name: "H100"}}}}}
			err := (&submission{}).create(context.Background(), a, cluster, f, nil, false)
			out, stderr := output(a)
			if c.refused == "" {
				if err != nil || cluster.submitted != 1 || !strings.Contains(stderr, c.warned) || c.warned == "" && strings.Contains(stderr, "roles[0]") {
					t.Errorf("%v, submitted %d times, %s", err, cluster.submitted, stderr)
				}
				return
			}
			var e *exit
			if !errors.As(err, &e) || e.status != exitFailed || !strings.Contains(e.text, c.refused) || cluster.submitted != 0 || out != "" {
				t.Errorf("%v, submitted %d times, stdout %q; want exit 1 and %q", err, cluster.submitted, out, c.refused)
			}
		})
	}
}

func TestRequestTimeoutBoundsEveryCall(t *testing.T) {
	for _, limit := range []string{"", "30s"} {
		a, cluster, f := submitting(t, strings.Replace(valid, "gpus: 0", "gpus: 1", 1))
		*a.kube.Timeout = limit
		ctx := context.Background()
		if err := (&submission{format: asJSON}).create(ctx, a, cluster, f, nil, false); err != nil {
			t.Fatal(err)
		}
		if err := (deed{verb: snapshot.Stop, format: asName}).one(ctx, a, cluster, cluster.view(), "hello"); err != nil {
			t.Fatal(err)
		}
		if _, err := a.cloned(ctx, cluster, "hello"); err != nil {
			t.Fatal(err)
		}
		for _, call := range []string{"snapshot", "submit", "do", "details"} {
			if bounded, made := cluster.bounded[call]; !made || bounded != (limit != "") {
				t.Errorf("--request-timeout %q: %s made %v, bounded %v", limit, call, made, bounded)
			}
		}
	}
}

// slow is a cluster that never answers a submission.
type slow struct{}

func (slow) Submit(ctx context.Context, _ submit.Request) (submit.Result, error) {
	<-ctx.Done()
	return submit.Result{}, ctx.Err()
}

func TestASubmissionWithoutAnswerSaysWhatToDo(t *testing.T) {
	a := testApp("en")
	a.kube = genericclioptions.NewConfigFlags(false)
	*a.kube.Timeout = time.Nanosecond.String()
	_, err := a.submit(context.Background(), slow{}, submit.Request{Spec: job.Spec{Name: "hello", Workspace: "research"}})
	var e *exit
	if !errors.As(err, &e) || e.status != exitFailed || !strings.Contains(e.text, "get hello") {
		t.Errorf("%v", err)
	}
}

func TestAShortTimeoutIsToldHowItCounts(t *testing.T) {
	for minutes, told := range map[string]bool{"59": true, "60": false} {
		a, cluster, f := submitting(t, valid+"timeoutMinutes: "+minutes+"\n")
		if err := (&submission{}).create(context.Background(), a, cluster, f, nil, false); err != nil {
			t.Fatal(err)
		}
		if _, stderr := output(a); strings.Contains(stderr, "timeoutMinutes "+minutes) != told {
			t.Errorf("%s minutes: %s", minutes, stderr)
		}
	}
}

func TestAJobThatEndedDoesNotRunAgain(t *testing.T) {
	hour := time.Now().Add(-time.Hour)
	for phase, told := range map[job.Phase]bool{job.Succeeded: true, job.Running: false} {
		a, cluster, f := submitting(t, valid)
		cluster.same = true
		cluster.jobs = []job.Status{{Name: "hello", Workspace: "research", UID: "1", Phase: phase, Finished: &hour}}
		if err := (&submission{}).create(context.Background(), a, cluster, f, nil, false); err != nil {
			t.Fatal(err)
		}
		if _, stderr := output(a); strings.Contains(stderr, "muster clone hello -o yaml") != told || strings.Contains(stderr, "60m ago") != told || !strings.Contains(stderr, "nothing was created") {
			t.Errorf("%s: %s", phase, stderr)
		}
	}
}
