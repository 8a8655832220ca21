package kube_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/backend/kube/kubetest"
	"muster.dev/muster/backend/logs"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/submit"
)

func code(err error) string {
	var e *kube.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestSubmitAgain(t *testing.T) {
	c := as(t, kubetest.Alice)
	s := spec("again", "sleep 600", 1, 0)
	s.SecretEnv = []string{"TOKEN"}
	request := submit.Request{Spec: s, Secrets: map[string]string{"TOKEN": "x"}}
	first := run(t, c, request)
	second, err := c.Submit(within(t), request)
	if err != nil || !second.Existed || first.Existed || second.Name != "again" {
		t.Fatalf("%+v, %v", second, err)
	}
	other := request
	other.Spec.GracePeriodSeconds = 7
	_, err = c.Submit(within(t), other)
	if problems := refusal(t, err); !has(problems, "name", kube.CodeNameTaken) {
		t.Errorf("another spec under the same name: %+v", problems)
	}
}

// TestSubmitAfterInterruption: what a submission that broke off left is completed, and nothing is made twice.
func TestSubmitAfterInterruption(t *testing.T) {
	c := as(t, kubetest.Alice)
	ctx := within(t)
	s := spec("broken-off", "sleep 600", 2, 0)
	s.SecretEnv = []string{"TOKEN"}
	s.GracePeriodSeconds = 1
	request := submit.Request{Spec: s, Engine: render.BatchJob, Secrets: map[string]string{"TOKEN": "new"}}

	// Broken off after the Secret: it is given the values of now.
	left := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: "broken-off-env", Labels: map[string]string{
		render.LabelJob: "broken-off", render.LabelManagedBy: "muster",
	}}, Data: map[string][]byte{"TOKEN": []byte("old")}}
	if err := c.Client().Create(ctx, left); err != nil {
		t.Fatal(err)
	}
	run(t, c, request)
	key := types.NamespacedName{Namespace: "research", Name: "broken-off-env"}
	var secret corev1.Secret
	if err := c.Client().Get(ctx, key, &secret); err != nil || string(secret.Data["TOKEN"]) != "new" || len(secret.OwnerReferences) != 1 {
		t.Fatalf("%v, %d keys, owners %v", err, len(secret.Data), secret.OwnerReferences)
	}

	// Broken off before the last of what the root owns.
	jobs := func() map[string]types.UID {
		var list batchv1.JobList
		if err := c.Client().List(ctx, &list, client.InNamespace("research"), client.MatchingLabels{render.LabelJob: "broken-off"}); err != nil {
			t.Fatal(err)
		}
		found := map[string]types.UID{}
		for _, j := range list.Items {
			if j.DeletionTimestamp == nil {
				found[j.Name] = j.UID
			}
		}
		return found
	}
	before := jobs()
	if len(before) != 3 {
		t.Fatalf("jobs: %v", before)
	}
	gone := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: "broken-off-worker-1"}}
	if err := c.Client().Delete(ctx, gone, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		t.Fatal(err)
	}
	result, err := c.Submit(ctx, request)
	if err != nil || !result.Existed {
		t.Fatalf("%+v, %v", result, err)
	}
	after := jobs()
	for _, name := range []string{"broken-off-master-0", "broken-off-worker-0"} {
		if after[name] != before[name] {
			t.Errorf("%s was made twice", name)
		}
	}
	if len(after) != 3 || after["broken-off-worker-1"] == before["broken-off-worker-1"] {
		t.Errorf("not completed: %v, before %v", after, before)
	}

	// Deleting the job deletes what it owns.
	if err := c.Do(ctx, snapshot.Delete, "research", "broken-off", ""); err != nil {
		t.Fatal(err)
	}
	for apierrors.IsNotFound(c.Client().Get(ctx, key, &secret)) == false || len(jobs()) > 0 {
		select {
		case <-ctx.Done():
			t.Fatalf("left behind: %v", jobs())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func TestDryRunCreatesNothing(t *testing.T) {
	c := as(t, kubetest.Alice)
	result, err := c.Submit(within(t), submit.Request{Spec: spec("", "true", 0, 0), DryRun: submit.Server})
	if err != nil {
		t.Fatal(err)
	}
	if result.Name == "" || !strings.Contains(result.Manifest, result.Name) {
		t.Errorf("%+v", result)
	}
	if err := c.Do(within(t), snapshot.Delete, "research", result.Name, ""); code(err) != kube.CodeJobNotFound {
		t.Errorf("left something: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	alice := as(t, kubetest.Alice)
	base := func(change func(*job.Spec)) job.Spec {
		s := spec("refused", "true", 1, 1)
		change(&s)
		return s
	}
	for _, c := range []struct {
		name, path, code string
		spec             job.Spec
		engine           string
	}{
		{"several at once", "image", job.CodeRequired, base(func(s *job.Spec) { s.Image = ""; s.TimeoutMinutes = 0 }), ""},
		{"claim", "storage[1].volume", job.CodeVolumeUnknown, base(func(s *job.Spec) {
			s.Storage = []job.Mount{{Volume: "nas-code", MountPath: "/a"}, {Volume: "nas-cod", MountPath: "/b"}}
		}), ""},
		{"queue", "submission.queue", kube.CodeQueueNotFound, queued(base(func(*job.Spec) {}), "reserch"), ""},
		{"priority", "priority", kube.CodePriorityDenied, base(func(s *job.Spec) { s.Priority = job.Highest }), ""},
		{"secret", "secretEnv[0]", kube.CodeSecretMissing, base(func(s *job.Spec) { s.SecretEnv = []string{"TOKEN"} }), ""},
		{"namespace", "workspace", kube.CodeNamespaceNotFound, base(func(s *job.Spec) { s.Workspace = "nowhere" }), ""},
		{"rights", "", kube.CodeDenied, base(func(s *job.Spec) { s.Workspace = "vision" }), ""},
		{"engine", "", "UnknownEngine", base(func(*job.Spec) {}), "slurm"},
	} {
		t.Run(c.name, func(t *testing.T) {
			user := alice
			if c.name == "namespace" {
				user = as(t, kubetest.Admin)
			}
			_, err := user.Submit(within(t), submit.Request{Spec: c.spec, Engine: c.engine})
			problems := refusal(t, err)
			if !has(problems, c.path, c.code) {
				t.Errorf("%+v, want %s at %q", problems, c.code, c.path)
			}
			if c.name == "several at once" && !has(problems, "timeoutMinutes", job.CodeTooSmall) {
				t.Errorf("not all at once: %+v", problems)
			}
		})
	}
}

// TestNoRights: carol is known to the cluster and may do nothing.
func TestNoRights(t *testing.T) {
	carol := as(t, kubetest.Carol, func(o *kube.Options) { o.Workspace = "research" })
	w := watch(t, carol)
	snap, _ := w.until("live without rights", 0, func(s snapshot.Snapshot) bool {
		return s.Conn.State == snapshot.Live && len(s.Facts.Denied) > 3 && s.Facts.User != "" && len(s.Stock) > 0
	})
	denied := strings.Join(snap.Facts.Denied, "\n")
	for _, want := range []string{"list pods in namespace research", "list jobsets.jobset.x-k8s.io in namespace research", "list nodes", "create jobsets.jobset.x-k8s.io in namespace research"} {
		if !strings.Contains(denied, want) {
			t.Errorf("denied lacks %q:\n%s", want, denied)
		}
	}
	if snap.Facts.User != "carol" || len(snap.Facts.Engines) != 0 || len(snap.Jobs) != 0 {
		t.Errorf("%s", show(snap))
	}
	if len(snap.Stock) != 1 || snap.Stock[0].Known || snap.Stock[0].Missing != "list nodes" {
		t.Errorf("stock: %+v", snap.Stock)
	}
	_, err := carol.Submit(within(t), submit.Request{Spec: spec("carols", "true", 0, 0)})
	if problems := refusal(t, err); !has(problems, "", kube.CodeDenied) || problems[0].Args["verb"] != "create" {
		t.Errorf("submit: %+v", problems)
	}
	err = carol.Logs(within(t), logs.Request{Workspace: "research", Job: "x", Index: -1, Tail: -1}, func([]logs.Line) {})
	if code(err) != kube.CodeDenied {
		t.Errorf("logs: %v", err)
	}
	if err := carol.Do(within(t), snapshot.Stop, "research", "x", ""); code(err) != kube.CodeDenied {
		t.Errorf("stop: %v", err)
	}
	for _, check := range carol.Doctor(within(t)) {
		if check.Area == "engine" && check.Name == "any" && check.Grade != kube.Fail {
			t.Errorf("doctor: %+v", check)
		}
	}
}

func TestUnknownWorkspace(t *testing.T) {
	admin := as(t, kubetest.Admin, func(o *kube.Options) { o.Workspace = "nowhere" })
	w := watch(t, admin)
	w.until("the problem", 0, func(s snapshot.Snapshot) bool {
		return s.Conn.State == snapshot.Live && has(s.Facts.Problems, "workspace", kube.CodeNamespaceNotFound)
	})
	admin.SetWorkspace("research")
	w.until("another workspace", 0, func(s snapshot.Snapshot) bool {
		return s.Conn.State == snapshot.Live && s.Facts.Workspace == "research" && len(s.Facts.Problems) == 0 && len(s.Volumes) > 0
	})
	err := admin.Do(within(t), snapshot.Stop, "nowhere", "x", "")
	if code(err) != kube.CodeNamespaceNotFound {
		t.Errorf("%v", err)
	}
}

func TestDoctor(t *testing.T) {
	checks := as(t, kubetest.Alice).Doctor(within(t))
	seen := map[string]kube.Grade{}
	for _, c := range checks {
		key := c.Area + "." + c.Name
		if c.Area == "right" {
			key += " " + c.Args["verb"] + " " + c.Args["resource"] + " " + c.Args["workspace"]
		}
		seen[key] = c.Grade
	}
	for key, want := range map[string]kube.Grade{
		"cluster.reachable": kube.OK, "user.known": kube.OK, "engine.any": kube.OK, "queue.active": kube.OK,
		"queue.order": kube.OK, "site.file": kube.OK, "volume.bound": kube.OK, "pods.security": kube.OK,
		"right.allowed create jobsets.jobset.x-k8s.io research": kube.OK,
		"right.denied list nodes ":                              kube.Warn,
	} {
		if got, ok := seen[key]; !ok || got != want {
			t.Errorf("%s: %q, want %q\n%+v", key, got, want, checks)
		}
	}
}
