package kube

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/submit"
)

// Submit creates a job. What is not accepted, by muster's rules or by the cluster, is a [*submit.Refused] whose
// problems carry the fields; that the cluster can't be asked is an [*Error].
//
// Every object is first given to the server as a dry-run, so that a job is made whole or not at all. Then the
// Secrets are created, the root, and what the root owns. Submitting a named job again is safe: what is there stays,
// what lacks is made, and another job of that name is refused.
//
// A dry-run of the client is not for a cluster: package render makes the objects.
func (c *Cluster) Submit(ctx context.Context, request submit.Request) (submit.Result, error) {
	if request.DryRun == submit.Client {
		return submit.Result{}, newError(CodeInvalid, nil, "name", request.Spec.Name, "workspace", request.Spec.Workspace,
			"message", "a dry-run of the client asks no cluster")
	}
	l, err := c.connected()
	if err != nil {
		return submit.Result{}, err
	}
	loaded, err := c.siteNow(ctx, l)
	if err != nil {
		return submit.Result{}, err
	}
	s, err := c.prepare(loaded.site, l.namespace, request)
	if err != nil {
		return submit.Result{}, err
	}
	s.link = l
	ctx, taken := withNotes(ctx)
	if err := s.choose(ctx, request.Engine); err != nil {
		return submit.Result{}, err
	}
	if err := s.lacks(ctx); err != nil {
		return submit.Result{}, err
	}
	result, err := s.create(ctx, request.DryRun == submit.Server)
	if err != nil {
		return submit.Result{}, err
	}
	result.Notes = taken.all()
	return result, nil
}

// submission is one job on its way.
type submission struct {
	link     *link
	typed    job.Spec // as the user wrote it, with name and workspace: what is kept
	spec     job.Spec // with the site's defaults
	site     site.Site
	secrets  map[string]string
	user     string
	out      render.Output
	warnings []job.Problem
}

// prepare checks a spec by all the rules that need no cluster.
func (c *Cluster) prepare(place site.Site, namespace string, request submit.Request) (*submission, error) {
	s := &submission{typed: request.Spec, site: place, secrets: map[string]string{}}
	if s.typed.Workspace == "" {
		s.typed.Workspace = namespace
	}
	if s.typed.Name == "" {
		s.typed.Name = job.GenerateName(s.typed, c.now(), rand.IntN)
	}
	report := job.Validate(s.typed).Join(site.Check(place, s.typed))
	for i, name := range s.typed.SecretEnv {
		value, given := request.Secrets[name]
		if !given {
			report.Errors = append(report.Errors, job.Problem{
				Path: "secretEnv[" + strconv.Itoa(i) + "]", Code: CodeSecretMissing, Args: args("name", name),
			})
		}
		s.secrets[name] = value
	}
	if !report.OK() {
		return nil, &submit.Refused{Problems: report.Errors}
	}
	s.warnings = report.Warnings
	s.spec = site.Resolve(place, s.typed)
	return s, nil
}

// render makes the objects for an engine. The spec recorded on the root is the one that was typed: it is what a clone
// starts from, and what tells whether a job submitted again is the same.
func (s *submission) render(engine string) (render.Output, []job.Problem) {
	return render.Render(engine, render.Input{Spec: s.typed, Site: s.site, User: s.user, Secret: s.secrets})
}

// result tells what was, or would be, created.
func (s *submission) result() (submit.Result, error) {
	manifest, err := render.ListYAML(s.out)
	if err != nil {
		return submit.Result{}, err
	}
	return submit.Result{
		Workspace: s.spec.Workspace, Name: s.spec.Name, Engine: s.out.Engine,
		Warnings: append(s.warnings, s.out.Warnings...), Manifest: string(manifest),
	}, nil
}

// refused gives a cluster's answer as a refusal when it is one, else as the error that it is.
func (s *submission) refused(err error, about target, field func(string) string) error {
	explained := s.link.explain(err, about)
	var e *Error
	if !errors.As(explained, &e) {
		return explained
	}
	problems := refusals(err, e, field)
	if problems == nil {
		return e
	}
	for _, p := range problems {
		if p.Code == CodePriorityNotFound {
			p.Args["value"] = string(s.spec.Priority)
		}
	}
	return &submit.Refused{Problems: problems}
}
