package kube

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
)

// refusals reads an API server's answer as problems of the spec; nil when the answer is none: a lost connection, a
// server in trouble, credentials that do not hold. field tells which field of the spec made a field of the object.
func refusals(err error, explained *Error, field func(string) string) []job.Problem {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return nil
	}
	answer := status.Status()
	if answer.Code < 400 || answer.Code >= 500 || answer.Code == 401 || answer.Code == 408 || answer.Code == 409 || answer.Code == 429 {
		if !webhookDenied(answer.Message) {
			return nil
		}
	}
	one := explained.Problem()
	switch {
	case explained.Code == CodeNamespaceNotFound, strings.Contains(answer.Message, "namespaces \"") && apierrors.IsNotFound(err):
		one.Path, one.Code = "workspace", CodeNamespaceNotFound
		return []job.Problem{one}
	case strings.Contains(answer.Message, "exceeded quota"):
		one.Path, one.Code = quotaField(answer.Message), CodeQuotaExceeded
		return []job.Problem{one}
	case strings.Contains(answer.Message, "no PriorityClass with name"):
		name := ""
		if found := missingClass.FindStringSubmatch(answer.Message); found != nil {
			name = found[1]
		}
		return []job.Problem{priorityNotFound("", "PriorityClass", name)}
	}
	causes := fieldCauses(answer)
	if len(causes) == 0 {
		if webhookDenied(answer.Message) {
			one.Code = CodeWebhook
		}
		one.Path = field(firstField(answer.Message))
		return []job.Problem{one}
	}
	var problems []job.Problem
	for _, cause := range causes {
		one := explained.Problem()
		one.Args = args("message", cause.Message, "verb", one.Args["verb"], "resource", one.Args["resource"],
			"workspace", one.Args["workspace"], "name", one.Args["name"])
		one.Code = CodeInvalid
		one.Path = field(cause.Field)
		if !slices.ContainsFunc(problems, func(p job.Problem) bool { return p.Path == one.Path && p.Args["message"] == one.Args["message"] }) {
			problems = append(problems, one)
		}
	}
	return problems
}

// missingClass is how the API server names a PriorityClass that is not there.
var missingClass = regexp.MustCompile(`no PriorityClass with name "?([^\s"]+)"? was found`)

func priorityNotFound(level job.Priority, kind, name string) job.Problem {
	return problem("priority", CodePriorityNotFound, "value", string(level), "kind", kind, "name", name)
}

func webhookDenied(message string) bool {
	return strings.Contains(message, "admission webhook") && strings.Contains(message, "denied the request") ||
		strings.Contains(message, "ValidatingAdmissionPolicy") && strings.Contains(message, "denied request")
}

func fieldCauses(answer metav1.Status) []metav1.StatusCause {
	if answer.Details == nil {
		return nil
	}
	var causes []metav1.StatusCause
	for _, c := range answer.Details.Causes {
		if c.Field != "" {
			causes = append(causes, c)
		}
	}
	return causes
}

// namedField finds a field in a webhook's words: "spec.replicatedJobs[0].name: Invalid value: …".
var namedField = regexp.MustCompile(`(?:^|[\s"'\[(])((?:spec|metadata)(?:\.[A-Za-z][A-Za-z0-9]*|\[[^\]\s]*\])+)`)

func firstField(message string) string {
	if found := namedField.FindStringSubmatch(message); found != nil {
		return found[1]
	}
	return ""
}

func quotaField(message string) string {
	switch {
	case strings.Contains(message, "requested: requests.cpu"), strings.Contains(message, "requested: limits.cpu"),
		strings.Contains(message, "memory"), strings.Contains(message, "gpu"):
		return "roles"
	}
	return ""
}

var indexed = regexp.MustCompile(`^spec\.replicatedJobs\[(\d+)\]`)

// fieldOf maps fields of an object that was made of a spec back to the spec's; "" when there is none that made it.
func fieldOf(spec job.Spec, object client.Object) func(string) string {
	return func(field string) string {
		role := ""
		switch o := object.(type) {
		case *jobset.JobSet:
			if found := indexed.FindStringSubmatch(field); found != nil {
				n, _ := strconv.Atoi(found[1])
				if n < len(o.Spec.ReplicatedJobs) {
					role = rolePath(spec, o.Spec.ReplicatedJobs[n].Name)
				}
				field = strings.TrimPrefix(field, found[0])
				field = strings.TrimPrefix(field, ".template")
			}
		case *batchv1.Job:
			role = rolePath(spec, o.Labels[render.LabelRole])
		}
		return specField(field, role, spec)
	}
}

func rolePath(spec job.Spec, name string) string {
	for i, r := range spec.Roles {
		if r.Name == name {
			return "roles[" + strconv.Itoa(i) + "]"
		}
	}
	return ""
}

// specField finds the field of the spec by what the object's field is called.
func specField(field, role string, spec job.Spec) string {
	has := func(part string) bool { return strings.Contains(field, part) }
	within := func(name string) string {
		if role == "" {
			return ""
		}
		return role + name
	}
	switch {
	case field == "metadata.name":
		return "name"
	case field == "metadata.namespace":
		return "workspace"
	case has("queue-name"):
		return "submission.queue"
	case has("priorityClassName"), has("priority-class"):
		return "priority"
	case has("max-exec-time-seconds"), has("activeDeadlineSeconds"):
		return "timeoutMinutes"
	case has("terminationGracePeriodSeconds"):
		return "gracePeriodSeconds"
	case has("imagePullSecrets"):
		return "imagePullSecret"
	case has("maxRestarts"), has("backoffLimit"):
		return "faultTolerance.maxRestarts"
	case has("Policy"):
		return "faultTolerance.rules"
	case has(".image"):
		return "image"
	case has(".command"):
		return "command"
	case has(".args"):
		return "args"
	case has(".env"):
		return "env"
	case has("volumeMounts"), has("volumes"):
		return "storage"
	case has("resources"):
		switch {
		case has("cpu"):
			return within(".cpu")
		case has("memory"):
			return within(".memory")
		case has("gpu"):
			return within(".gpus")
		}
		return role
	case has("nodeSelector"), has("tolerations"), has("affinity"):
		return "cluster"
	case has("hostname"), has("subdomain"):
		return "name"
	case has(".name") && role != "":
		return within(".name")
	case has("parallelism"), has("completions"), has("replicas"):
		return within(".replicas")
	}
	return role
}
