package kube

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/submit"
)

// choose takes the engine that is asked for, or the first in the order of preference that is served, allowed and able.
// What is refused of a spec is said as the first of these engines says it: it can be mended there.
func (s *submission) choose(ctx context.Context, wanted string) error {
	var err error
	if s.user, err = s.link.user(ctx); err != nil {
		return err
	}
	groups, err := s.link.served(ctx)
	if err != nil {
		return err
	}
	var refusals []job.Problem
	var refused *Error
	for _, e := range engines {
		named := wanted == e.name
		if !named && (wanted != "" && wanted != render.Auto || !e.able()) {
			continue
		}
		if !groups.has(e.group, e.version) {
			if named {
				return newError(CodeNotServed, nil, "resource", e.qualified(), "version", e.version)
			}
			continue
		}
		may, err := s.link.allowed(ctx, "create", e.group, e.resource, s.spec.Workspace, "")
		if err != nil {
			return err
		}
		var out render.Output
		var problems []job.Problem
		if may != denied {
			out, problems = s.render(e.name)
		}
		if may == unknown && !named && len(problems) == 0 {
			// Where the question is not allowed the dry-run tells.
			if may, err = s.try(ctx, out); err != nil {
				return err
			}
		}
		switch {
		case may == denied:
			if refused == nil {
				refused = newError(CodeDenied, nil, "verb", "create", "resource", e.qualified(), "workspace", s.spec.Workspace)
			}
		case len(problems) == 0:
			s.out = out
			return nil
		case refusals == nil:
			refusals = problems
		}
	}
	switch {
	case refusals != nil:
		return &submit.Refused{Problems: refusals}
	case refused != nil:
		if missing, err := s.link.workspaceMissing(ctx, s.spec.Workspace); err == nil && missing {
			return &submit.Refused{Problems: []job.Problem{problem("workspace", CodeNamespaceNotFound, "workspace", s.spec.Workspace)}}
		}
		return &submit.Refused{Problems: []job.Problem{refused.Problem()}}
	}
	_, problems := s.render(wanted) // an engine that nobody knows
	if len(problems) > 0 {
		return &submit.Refused{Problems: problems}
	}
	return newError(CodeNoEngine, nil, "workspace", s.spec.Workspace)
}

// try tells by a dry-run whether the user may create a root. Whatever else the cluster says of it is for create.
func (s *submission) try(ctx context.Context, out render.Output) (verdict, error) {
	root, err := asObject(out.Root)
	if err != nil {
		return unknown, err
	}
	ctx, cancel := unary(ctx)
	defer cancel()
	err = s.link.client.Create(ctx, root.DeepCopyObject().(client.Object), client.DryRunAll, fieldOwner)
	var refused *submit.Refused
	if asError(s.answer(err, root), &refused) && slices.ContainsFunc(refused.Problems, func(p job.Problem) bool { return p.Code == CodeDenied }) {
		return denied, nil
	}
	return unknown, nil
}
