package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/backend/submit"
	"muster.dev/muster/ui/words"
)

func newSubmit(a *app) *cobra.Command {
	var s submission
	c := a.command("submit", "submit -f FILE [--dry-run=client|server] [--wait]", a.noArgs, func(c *cobra.Command, _ []string) error {
		if s.wait && s.dryRun != string(submit.Real) {
			return a.usage(c, "err.exclusive", "one", "--wait", "other", "--dry-run")
		}
		if s.file == "-" && s.secretFile == "-" {
			return a.usage(c, "err.stdinTwice")
		}
		return s.run(c, a)
	})
	a.fileFlag(c, &s.file)
	a.engineFlag(c, &s.engine)
	a.addFlag(c, &choice{value: &s.dryRun, allowed: []string{string(submit.Client), string(submit.Server)}}, "dry-run", "")
	a.boolFlag(c, &s.wait, "wait", "")
	a.stringFlag(c, &s.secretFile, "secret-env-file", "")
	a.outputFlag(c, &s.format, asJSON, asYAML, asName)
	return c
}

// submission is one call of submit.
type submission struct {
	file, engine, dryRun, secretFile, format string
	wait                                     bool
}

func (s *submission) run(c *cobra.Command, a *app) error {
	f, err := a.readSpec(c, s.file)
	if err != nil {
		return err
	}
	if submit.DryRun(s.dryRun) == submit.Client {
		f.checkSite() // else the cluster's own site decides
	}
	a.warn(f, f.report.Warnings)
	if !f.report.OK() {
		return a.refuse(f, f.report.Errors)
	}
	values, err := a.secretValues(f, s.secretFile)
	if err != nil {
		return err
	}
	generated := f.spec.Name == ""
	if generated {
		f.spec.Name = job.GenerateName(f.spec, time.Now(), rand.IntN)
	}
	if submit.DryRun(s.dryRun) == submit.Client {
		return s.clientOnly(a, f)
	}
	cluster, err := a.connect()
	if err != nil {
		return err
	}
	return s.create(c.Context(), a, cluster, f, values, generated)
}

// create submits a spec that has a name, and tells of the job.
func (s *submission) create(ctx context.Context, a *app, cluster jobCluster, f *specFile, values map[string]string, generated bool) error {
	cluster.SetWorkspace(f.spec.Workspace) // what is looked at is where the job goes, not the kubeconfig's namespace
	if err := a.stockAllows(ctx, cluster, f, generated); err != nil {
		return err
	}
	if generated {
		// Before anything exists: whoever is cut off now knows what to look for.
		if err := s.tellName(a, f.spec.Name); err != nil {
			return err
		}
	}
	result, err := a.submit(ctx, cluster, submit.Request{
		Spec: f.spec, Secrets: values, Engine: s.engine, DryRun: submit.DryRun(s.dryRun),
	})
	if err != nil {
		return a.submitError(f, err)
	}
	a.warn(f, result.Warnings)
	for _, note := range result.Notes {
		fmt.Fprintln(a.err, a.t("warning", "message", a.t("submit.note", "message", note)))
	}
	if !generated {
		if err := s.tellName(a, result.Name); err != nil {
			return err
		}
	}
	fmt.Fprintln(a.err, a.t(s.outcome(result), "name", result.Name, "workspace", result.Workspace, "engine", result.Engine))
	if result.Existed && !s.wait && s.dryRun == string(submit.Real) {
		a.tellEnded(ctx, cluster, result)
	}
	if f.spec.TimeoutMinutes < shortTimeout {
		fmt.Fprintln(a.err, a.t("warning", "message", a.t("submit.shortTimeout", "minutes", f.spec.TimeoutMinutes)))
	}
	return s.finish(ctx, a, cluster, f.spec, result)
}

// tellEnded says of a job that was there already when it ended, if it did: submitting it again does not run it again. A
// cluster that does not answer this takes nothing from the submission.
func (a *app) tellEnded(ctx context.Context, cluster viewer, result submit.Result) {
	view, err := a.view(ctx, cluster)
	j, ok := jobNamed(view.Jobs, result.Workspace, result.Name)
	if err != nil || !ok || !j.Phase.Terminal() {
		return
	}
	ago, at := "", ""
	if j.Finished != nil {
		ago, at = age(time.Now(), *j.Finished), j.Finished.Local().Format(time.DateTime)
	}
	fmt.Fprintln(a.err, a.t("submit.ended", "name", j.Name, "phase", words.Phase(a.text, j.Phase), "age", ago, "time", at,
		"command", a.name+" clone "+j.Name+" -o yaml"))
}

// shortTimeout is the timeout, in minutes, below which it matters that engines count it from the start of a job's pods, not
// from the first Running (docs/decisions.md).
const shortTimeout = 60

// submitter creates jobs.
type submitter interface {
	Submit(context.Context, submit.Request) (submit.Result, error)
}

// submit creates the job within --request-timeout. When that is over nobody knows how far it came.
func (a *app) submit(ctx context.Context, cluster submitter, request submit.Request) (submit.Result, error) {
	limited, cancel, err := a.limited(ctx)
	if err != nil {
		return submit.Result{}, err
	}
	defer cancel()
	result, err := cluster.Submit(limited, request)
	if err != nil && ctx.Err() == nil && limited.Err() != nil && request.DryRun == submit.Real {
		return result, a.fail("submit.tooSlow", "limit", *a.kube.Timeout, "name", request.Spec.Name, "workspace", request.Spec.Workspace)
	}
	return result, err
}

// tellName writes the job's name: to stdout where it is all that is asked for, else to stderr.
func (s *submission) tellName(a *app, name string) error {
	if s.format == asTable || s.format == asName {
		return names(a.out, []string{name})
	}
	_, err := fmt.Fprintln(a.err, a.t("submit.name", "name", name))
	return err
}

func (s *submission) outcome(r submit.Result) string {
	switch {
	case s.dryRun == string(submit.Server):
		return "submit.wouldCreate"
	case r.Existed:
		return "submit.existed"
	}
	return "submit.created"
}

// clientOnly renders without a cluster: what a spec lacks for its engine is found, nothing else.
func (s *submission) clientOnly(a *app, f *specFile) error {
	output, err := a.rendered(f, s.engine)
	if err != nil {
		return err
	}
	if err := s.tellName(a, f.spec.Name); err != nil {
		return err
	}
	fmt.Fprintln(a.err, a.t("submit.rendered", "name", f.spec.Name, "engine", output.Engine))
	return s.writeJob(a, drafted(f.spec, output.Engine, job.Draft))
}

// finish writes the job, after its end with --wait.
func (s *submission) finish(ctx context.Context, a *app, cluster waitViewer, spec job.Spec, result submit.Result) error {
	spec.Name, spec.Workspace = result.Name, result.Workspace
	switch {
	case s.dryRun != string(submit.Real):
		return s.writeJob(a, drafted(spec, result.Engine, job.Draft))
	case s.wait:
		end, err := a.waitFor(ctx, cluster, awaited{
			workspace: result.Workspace, name: result.Name, goal: job.Succeeded, expected: true, engine: result.Engine,
		})
		if end.Name == "" {
			return err
		}
		return errors.Join(s.writeJob(a, end), err)
	case s.format != asJSON && s.format != asYAML:
		return nil
	}
	view, err := a.view(ctx, cluster)
	if j, ok := jobNamed(view.Jobs, result.Workspace, result.Name); ok && err == nil {
		return s.writeJob(a, j)
	}
	// It was created: what it does now nobody tells, so nothing is made up.
	why := a.t("submit.notListed")
	if err != nil {
		why = a.clusterError(err)
	} else if missing := missingRights(view.Facts); len(missing) > 0 {
		why = a.t("submit.denied", "denied", strings.Join(missing, ", "))
	}
	fmt.Fprintln(a.err, a.t("warning", "message", a.t("submit.unseen", "name", result.Name, "why", why)))
	return s.writeJob(a, drafted(spec, result.Engine, job.Unknown))
}

// jobCluster is what a submission needs of a cluster.
type jobCluster interface {
	waitViewer
	submitter
	SetWorkspace(name string)
}

// waitViewer is what finish needs of a cluster.
type waitViewer interface {
	viewer
	watcher
}

func (s *submission) writeJob(a *app, j job.Status) error {
	if s.format != asJSON && s.format != asYAML {
		return nil
	}
	return a.object(s.format, jobObject(j))
}

// drafted is a job that the cluster does not show (yet).
func drafted(spec job.Spec, engine string, phase job.Phase) job.Status {
	j := job.Status{
		Name: spec.Name, DisplayName: spec.DisplayName, Workspace: spec.Workspace, Engine: engine, Framework: spec.Framework,
		Phase: phase, Queue: spec.Submission.Queue, Image: spec.Image, Cluster: spec.Cluster, CardType: spec.CardType, Priority: spec.Priority,
	}
	if j.DisplayName == "" {
		j.DisplayName = j.Name
	}
	for _, r := range spec.Roles {
		if r.Replicas > 0 {
			j.Roles = append(j.Roles, job.RoleStatus{Name: r.Name, Replicas: r.Replicas, GPUs: r.GPUs})
		}
	}
	return j
}

// submitError says why a submission was not accepted. What muster's rules find makes the spec invalid; what only the
// cluster could find (a name that is taken, a quota, a webhook) is a failure.
func (a *app) submitError(f *specFile, err error) error {
	var refused *submit.Refused
	if !errors.As(err, &refused) {
		return err
	}
	var inFile []job.Problem
	var text string
	for _, p := range refused.Problems {
		if ofCluster(p) && p.Path == "" { // a right that lacks, a rule of the place: the file is not to blame
			text += "\n" + a.t("error", "message", a.problem(p))
			continue
		}
		inFile = append(inFile, p)
	}
	told := &exit{status: exitFailed}
	if len(inFile) > 0 {
		errors.As(a.refuse(f, inFile), &told)
	}
	told.text = strings.TrimPrefix(told.text+text, "\n")
	if slices.ContainsFunc(refused.Problems, ofCluster) {
		told.status = exitFailed
	}
	return told
}

// ofCluster tells whether a problem is the cluster's finding rather than a rule's.
func ofCluster(p job.Problem) bool {
	return p.Code != kube.CodeSecretMissing && slices.ContainsFunc(kube.Codes(), func(c job.CodeDoc) bool { return c.Code == p.Code })
}
