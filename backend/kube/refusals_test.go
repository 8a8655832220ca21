package kube

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
)

func answer(code int32, reason metav1.StatusReason, message string, fields ...string) error {
	status := metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message, Details: &metav1.StatusDetails{}}
	for _, f := range fields {
		status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{Field: f, Message: "bad " + f})
	}
	return &apierrors.StatusError{ErrStatus: status}
}

func TestRefusalsNameTheField(t *testing.T) {
	spec := job.Default()
	spec.Roles = []job.Role{{Name: "idle"}, {Name: "master", Replicas: 1}, {Name: "worker", Replicas: 2}}
	js := &jobset.JobSet{Spec: jobset.JobSetSpec{ReplicatedJobs: []jobset.ReplicatedJob{{Name: "master"}, {Name: "worker"}}}}
	child := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{render.LabelRole: "worker"}}}
	pod := "template.spec.template.spec."
	for _, c := range []struct {
		name   string
		object client.Object
		err    error
		want   []string // path code
	}{
		{"role", js, answer(422, metav1.StatusReasonInvalid, "", "spec.replicatedJobs[1].name"), []string{"roles[2].name Invalid"}},
		{"image and cpu", js, answer(422, metav1.StatusReasonInvalid, "", "spec.replicatedJobs[0]."+pod+"containers[0].image", "spec.replicatedJobs[1]."+pod+"containers[0].resources.limits[cpu]"),
			[]string{"image Invalid", "roles[2].cpu Invalid"}},
		{"same twice", js, answer(422, metav1.StatusReasonInvalid, "", "metadata.name", "metadata.name"), []string{"name Invalid"}},
		{"child", child, answer(422, metav1.StatusReasonInvalid, "", "spec.template.spec.containers[0].resources.requests[nvidia.com/gpu]"), []string{"roles[2].gpus Invalid"}},
		{"out of range", js, answer(422, metav1.StatusReasonInvalid, "", "spec.replicatedJobs[7]."+pod+"nodeSelector"), []string{"cluster Invalid"}},
		{"webhook with field", js, answer(403, metav1.StatusReasonForbidden, `admission webhook "vjobset.kb.io" denied the request: [spec.replicatedJobs[0].template.spec.activeDeadlineSeconds: Invalid value: 1]`),
			[]string{"timeoutMinutes Webhook"}},
		{"webhook without", js, answer(400, metav1.StatusReasonBadRequest, `admission webhook "x" denied the request: not today`), []string{" Webhook"}},
		{"policy", js, answer(422, metav1.StatusReasonInvalid, `jobsets "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`), []string{" Webhook"}},
		{"quota", child, answer(403, metav1.StatusReasonForbidden, `jobs.batch "x" is forbidden: exceeded quota: q, requested: count/jobs.batch=1, used: count/jobs.batch=5, limited: count/jobs.batch=5`), []string{" QuotaExceeded"}},
		{"priority", child, answer(403, metav1.StatusReasonForbidden, `pods "x" is forbidden: no PriorityClass with name high was found`), []string{"priority PriorityNotFound"}},
		{"rights", js, apierrors.NewForbidden(schema.GroupResource{Group: "jobset.x-k8s.io", Resource: "jobsets"}, "x", fmt.Errorf("no")), []string{" Denied"}},
		{"namespace", js, answer(404, metav1.StatusReasonNotFound, `namespaces "nowhere" not found`), []string{"workspace NamespaceNotFound"}},
		{"credentials", js, answer(401, metav1.StatusReasonUnauthorized, ""), nil},
		{"server in trouble", js, answer(500, metav1.StatusReasonInternalError, "etcd"), nil},
		{"busy", js, answer(429, metav1.StatusReasonTooManyRequests, ""), nil},
		{"not an answer", js, fmt.Errorf("dial tcp: refused"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &link{host: "h"}
			var e *Error
			if !asError(l.explain(c.err, target{verb: "create", resource: "x", workspace: "research", name: "n"}), &e) {
				t.Fatal("not explained")
			}
			var got []string
			for _, p := range refusals(c.err, e, fieldOf(spec, c.object)) {
				got = append(got, p.Path+" "+p.Code)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNoSecretInErrors: what must not be shown is taken out of whatever a server or a proxy says.
func TestNoSecretInErrors(t *testing.T) {
	l := &link{host: "h", secrets: &redactions{}}
	l.secrets.add("", "tok-123456")
	err := l.explain(fmt.Errorf("proxy says: Bearer tok-123456 is bad"), target{})
	if got := err.Error(); got != "Cluster: proxy says: Bearer (removed) is bad" {
		t.Error(got)
	}
}

func TestImpersonationIsNamed(t *testing.T) {
	l := &link{}
	for _, words := range []string{
		`users "carol" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope`,
		`pods is forbidden: User "alice" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "vision"`,
	} {
		var e *Error
		if err := l.explain(answer(403, metav1.StatusReasonForbidden, words), target{verb: "list", resource: "pods"}); !asError(err, &e) || e.Code != CodeImpersonation {
			t.Errorf("%v", err)
		}
	}
	var e *Error
	if err := l.explain(answer(403, metav1.StatusReasonForbidden, "unknown"), target{verb: "get", resource: "/apis"}); !asError(err, &e) || e.Code != CodeDenied || e.Args["message"] != "" {
		t.Errorf("%v", err)
	}
}
