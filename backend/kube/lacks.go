package kube

import (
	"context"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/strictyaml"
	"muster.dev/muster/backend/submit"
)

// lacks looks for what the job needs and the cluster does not have. The API accepts such a job, which then waits for
// ever. What the user may not look at is passed over.
func (s *submission) lacks(ctx context.Context) error {
	ctx, cancel := unary(ctx)
	defer cancel()
	var problems []job.Problem
	for _, look := range []func(context.Context) ([]job.Problem, error){s.lacksVolumes, s.lacksQueue, s.lacksPriority} {
		found, err := look(ctx)
		if err != nil {
			return err
		}
		problems = append(problems, found...)
	}
	if len(problems) == 0 {
		return nil
	}
	// A workspace that is not there has nothing of what the job needs: that is the one thing to mend.
	if missing, err := s.link.workspaceMissing(ctx, s.spec.Workspace); err == nil && missing {
		problems = []job.Problem{problem("workspace", CodeNamespaceNotFound, "workspace", s.spec.Workspace)}
	}
	return &submit.Refused{Problems: problems}
}

func (s *submission) lacksVolumes(ctx context.Context) ([]job.Problem, error) {
	if len(s.spec.Storage) == 0 {
		return nil, nil
	}
	var claims corev1.PersistentVolumeClaimList
	err := s.link.client.List(ctx, &claims, client.InNamespace(s.spec.Workspace))
	if apierrors.IsForbidden(err) {
		return nil, nil
	}
	if err != nil {
		return nil, s.link.explain(err, target{verb: "list", resource: kindClaims.resource, workspace: s.spec.Workspace})
	}
	var names, known []string
	for i := range claims.Items {
		names = append(names, claims.Items[i].Name)
		known = append(known, volumeOf(s.site, &claims.Items[i], nil).Name)
	}
	var problems []job.Problem
	for i, mount := range s.spec.Storage {
		if !slices.Contains(names, s.site.Claim(mount.Volume)) {
			problems = append(problems, job.Problem{
				Path: "storage[" + strconv.Itoa(i) + "].volume", Code: job.CodeVolumeUnknown,
				Args: args("value", mount.Volume, "known", strings.Join(known, ", "), "nearest", strictyaml.Nearest(mount.Volume, known)),
			})
		}
	}
	return problems, nil
}

func (s *submission) lacksQueue(ctx context.Context) ([]job.Problem, error) {
	if s.spec.Submission.Mode != job.Queue {
		return nil, nil
	}
	name := s.spec.Submission.Queue
	var queues kueue.LocalQueueList
	err := s.link.client.List(ctx, &queues, client.InNamespace(s.spec.Workspace))
	switch {
	case apierrors.IsForbidden(err):
		return nil, nil
	case meta.IsNoMatchError(err), apierrors.IsNotFound(err):
		return []job.Problem{{Path: "submission.mode", Code: CodeKueueMissing}}, nil
	case err != nil:
		return nil, s.link.explain(err, target{verb: "list", resource: kindLocalQueues.resource, workspace: s.spec.Workspace})
	}
	var known []string
	for i := range queues.Items {
		q := &queues.Items[i]
		known = append(known, q.Name)
		if q.Name != name {
			continue
		}
		if active := meta.FindStatusCondition(q.Status.Conditions, kueue.LocalQueueActive); active != nil && active.Status != "True" {
			s.warnings = append(s.warnings, problem("submission.queue", CodeQueueStopped, "value", name, "message", active.Message))
		}
		return nil, nil
	}
	return []job.Problem{{Path: "submission.queue", Code: CodeQueueNotFound, Args: args(
		"value", name, "known", strings.Join(known, ", "), "nearest", strictyaml.Nearest(name, known), "workspace", s.spec.Workspace,
	)}}, nil
}

func (s *submission) lacksPriority(ctx context.Context) ([]job.Problem, error) {
	var problems []job.Problem
	for _, p := range s.site.Priorities {
		if p.Level != s.spec.Priority {
			continue
		}
		if r := p.Right; r != nil {
			may, err := s.link.allowed(ctx, r.Verb, r.Group, r.Resource, s.spec.Workspace, r.Name)
			if err != nil {
				return nil, err
			}
			if may == denied {
				resource := r.Resource
				if r.Group != "" {
					resource += "." + r.Group
				}
				problems = append(problems, job.Problem{Path: "priority", Code: CodePriorityDenied, Args: args(
					"value", string(p.Level), "verb", r.Verb, "resource", resource, "name", r.Name, "workspace", s.spec.Workspace,
				)})
			}
		}
		for _, class := range []struct {
			name   string
			object client.Object
			kind   string
			needed bool
		}{
			{p.PriorityClass, &schedulingv1.PriorityClass{}, "PriorityClass", true},
			{p.WorkloadPriorityClass, &kueue.WorkloadPriorityClass{}, "WorkloadPriorityClass", s.spec.Submission.Mode == job.Queue},
		} {
			if class.name == "" || !class.needed {
				continue
			}
			err := s.link.client.Get(ctx, types.NamespacedName{Name: class.name}, class.object)
			switch {
			case apierrors.IsNotFound(err):
				problems = append(problems, priorityNotFound(p.Level, class.kind, class.name))
			case err == nil, apierrors.IsForbidden(err), meta.IsNoMatchError(err):
			default:
				return nil, s.link.explain(err, target{verb: "get", resource: strings.ToLower(class.kind), name: class.name})
			}
		}
	}
	return problems, nil
}
