package kube

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/ui/i18n"
)

// TestEveryAnswerReadsWhole makes an error of every kind of answer there is, with as little in it as servers give, and
// reads it as people do: no text may wait for an argument that is not there, and none leaves a hole.
func TestEveryAnswerReadsWhole(t *testing.T) {
	jobsets := schema.GroupResource{Group: "jobset.x-k8s.io", Resource: "jobsets"}
	namespaceGone := apierrors.NewForbidden(jobsets, "x", errors.New("unable to create new content in namespace vision because it is being terminated"))
	namespaceGone.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: "NamespaceTerminating"}}
	answers := map[string]error{
		"403 with a name":        apierrors.NewForbidden(jobsets, "bert-1", errors.New(`User "carol" cannot create resource "jobsets"`)),
		"403 without name":       apierrors.NewForbidden(jobsets, "", errors.New("")),
		"403 with nothing":       answer(403, metav1.StatusReasonForbidden, ""),
		"namespace terminating":  namespaceGone,
		"401":                    answer(401, metav1.StatusReasonUnauthorized, ""),
		"404 of an object":       apierrors.NewNotFound(jobsets, "bert-1"),
		"404 of a namespace":     apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "vision"),
		"404 of the resource":    &apierrors.StatusError{ErrStatus: metav1.Status{Code: 404, Reason: metav1.StatusReasonNotFound, Message: "the server could not find the requested resource"}},
		"kind not served":        &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "jobset.x-k8s.io", Kind: "JobSet"}},
		"409":                    apierrors.NewConflict(jobsets, "bert-1", errors.New("the object has been modified")),
		"422 with causes":        answer(422, metav1.StatusReasonInvalid, "is invalid", "metadata.name", "spec.replicatedJobs[0].name"),
		"422 without":            answer(422, metav1.StatusReasonInvalid, ""),
		"400":                    apierrors.NewBadRequest("strict decoding error: unknown field"),
		"webhook":                answer(403, metav1.StatusReasonForbidden, `admission webhook "vjobset.kb.io" denied the request: spec.replicatedJobs[0].name: too long`),
		"policy":                 answer(422, metav1.StatusReasonInvalid, `jobsets "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`),
		"quota":                  answer(403, metav1.StatusReasonForbidden, `jobs.batch "x" is forbidden: exceeded quota: q, requested: count/jobs.batch=1`),
		"priority":               answer(403, metav1.StatusReasonForbidden, `pods "x" is forbidden: no PriorityClass with name muster-high was found`),
		"429":                    answer(429, metav1.StatusReasonTooManyRequests, ""),
		"500":                    answer(500, metav1.StatusReasonInternalError, "etcdserver: request timed out"),
		"timeout":                context.DeadlineExceeded,
		"connection refused":     &url.Error{Op: "Get", URL: "https://h", Err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}},
		"credential plugin":      errors.New(`Get "https://h": getting credentials: exec: executable oidc-login not found`),
		"something else":         errors.New("EOF"),
		"something without text": errors.New(""),
	}
	abouts := map[string]target{
		"named":          {verb: "create", resource: "jobsets.jobset.x-k8s.io", workspace: "research", name: "bert-1"},
		"without a name": {verb: "list", resource: "jobsets.jobset.x-k8s.io", workspace: "research"},
		"of the cluster": {verb: "list", resource: "nodes"},
	}
	var problems []job.Problem
	for name, err := range answers {
		for about, what := range abouts {
			l := &link{host: "https://10.0.0.1:6443"}
			var e *Error
			if !asError(l.explain(err, what), &e) {
				t.Fatalf("%s, %s: not explained", name, about)
			}
			problems = append(problems, e.Problem())
			problems = append(problems, refusals(err, e, fieldOf(job.Default(), &batchv1.Job{}))...)
		}
	}
	for _, err := range []error{errors.New("yaml: line 2"), rest.ErrNotInCluster, errors.New(`context "x" does not exist`),
		&fs.PathError{Op: "open", Path: "/k", Err: os.ErrNotExist}, &fs.PathError{Op: "open", Path: "/k", Err: os.ErrPermission}} {
		problems = append(problems, kubeconfigError(err, []string{"/k"}).Problem())
	}
	problems = append(problems, siteError("ConfigMap muster-system/muster-site", []job.Problem{{Path: "clusters[0].name", Code: "Required"}}).Problem(),
		newError(CodeSiteFile, nil, "path", "/site.yaml", "message", "permission denied").Problem(),
		// What the right asked for beforehand does not allow has neither name nor words of a server.
		newError(CodeDenied, nil, "verb", "create", "resource", "jobsets.jobset.x-k8s.io", "workspace", "default").Problem())
	reached := map[string]bool{}
	for _, p := range problems {
		reached[p.Code] = true
	}
	for _, c := range Codes() {
		if !reached[c.Code] { // made in one place, where all is known: here with nothing at all
			problems = append(problems, problem("", c.Code))
		}
	}
	for _, lang := range i18n.Languages() {
		var p job.Problem
		texts := i18n.New(lang).Watched(func(key, argument string) { t.Errorf("%s: %s has no %s: %v", lang, key, argument, p) })
		for _, p = range problems {
			text := texts.Problem(p)
			if strings.Contains(text, "{{") || strings.Contains(text, "[[") || strings.TrimSpace(text) == "" {
				t.Errorf("%s: %v reads %q", lang, p, text)
			}
			for _, hole := range []string{"  ", ": ;", "：；", "in  ", ": ,", "()", "（）"} {
				if reached[p.Code] && strings.Contains(text, hole) {
					t.Errorf("%s: %v has a hole: %q", lang, p, text)
				}
			}
		}
	}
	missing := []string{CodeUnreachable, CodeTimedOut, CodeUnauthorized, CodeDenied, CodeNamespaceNotFound, CodeNotFound, CodeNotServed, CodeChanged,
		CodeInvalid, CodeCluster, CodeWebhook, CodeQuotaExceeded, CodePriorityNotFound, CodeKubeconfigMissing, CodeKubeconfigUnreadable,
		CodeKubeconfigBroken, CodeKubeconfigContext, CodeSiteFile}
	if missing = slices.DeleteFunc(missing, func(code string) bool { return reached[code] }); len(missing) > 0 {
		t.Errorf("no answer made %v", missing)
	}
	p := newError(CodeDenied, nil, "verb", "create", "resource", "jobsets.jobset.x-k8s.io", "workspace", "default").Problem()
	want := "you may not create jobsets.jobset.x-k8s.io in default (403); the workspace's owner or an administrator can grant it"
	if got := i18n.New("en").Problem(p); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
