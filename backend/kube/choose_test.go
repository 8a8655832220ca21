package kube

import (
	"errors"
	"slices"
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/render/batchjob"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/submit"
)

// TestChooseEngine: which engine a job goes to, by what is served, allowed and able.
func TestChooseEngine(t *testing.T) {
	const noReview = "create selfsubjectaccessreviews.authorization.k8s.io"
	const jobsets, volcano, jobs = "jobset.x-k8s.io/v1alpha2", "batch.volcano.sh/v1alpha1", "batch/v1"
	for name, c := range map[string]struct {
		served    []string
		forbidden []string
		wanted    string
		queue     bool
		engine    string
		code      string // of the refusal
	}{
		"all is served":                         {served: []string{jobs, jobsets, volcano}, engine: render.JobSet},
		"not allowed":                           {served: []string{jobs, jobsets}, forbidden: []string{"create jobsets.jobset.x-k8s.io"}, engine: render.BatchJob},
		"nobody may ask what is allowed":        {served: []string{jobs, jobsets}, forbidden: []string{noReview}, engine: render.JobSet},
		"nor is the first allowed":              {served: []string{jobs, jobsets}, forbidden: []string{noReview, "create jobsets.jobset.x-k8s.io"}, engine: render.BatchJob},
		"nor is anything":                       {served: []string{jobs, jobsets}, forbidden: []string{noReview, "create jobsets.jobset.x-k8s.io", "create services"}, code: CodeDenied},
		"one that muster can't render":          {served: []string{jobs, volcano}, engine: render.BatchJob},
		"and the job needs more than batch has": {served: []string{jobs, volcano}, queue: true, code: batchjob.EngineCannot},
		"asked for by name":                     {served: []string{jobs, volcano}, wanted: render.Volcano, code: render.NotYet},
	} {
		t.Run(name, func(t *testing.T) {
			l := serving(t, limited(world(t), c.forbidden...), apis(c.served...))
			s := submitted(t, l, render.JobSet, "x")
			if c.queue {
				s.typed.Submission = job.Submission{Mode: job.Queue, Queue: "research", Total: 1, Concurrency: 1}
			}
			err := s.choose(t.Context(), c.wanted)
			if c.code == "" {
				if err != nil || s.out.Engine != c.engine {
					t.Errorf("%q, %v; want %q", s.out.Engine, err, c.engine)
				}
				return
			}
			var refused *submit.Refused
			if !errors.As(err, &refused) || !hasCode(refused.Problems, c.code) {
				t.Errorf("%v, want %s", err, c.code)
			}
		})
	}
}

// TestPriorityWithoutReview: that nobody may ask whether the right is there does not say that it is not.
func TestPriorityWithoutReview(t *testing.T) {
	for forbidden, want := range map[string]bool{
		"":                      false,
		"use queues.muster.dev": true,
		"create selfsubjectaccessreviews.authorization.k8s.io": false,
	} {
		s := submitted(t, limited(world(t), forbidden), render.JobSet, "x")
		s.site.Priorities = []site.Priority{{Level: s.spec.Priority, Right: &site.Right{Verb: "use", Group: "muster.dev", Resource: "queues"}}}
		problems, err := s.lacksPriority(t.Context())
		if err != nil || hasCode(problems, CodePriorityDenied) != want {
			t.Errorf("%q: %v, %v", forbidden, problems, err)
		}
	}
}

// TestDoctorWithoutReview says once that rights can't be asked for, and that it is no failure.
func TestDoctorWithoutReview(t *testing.T) {
	l := limited(world(t), "create selfsubjectaccessreviews.authorization.k8s.io")
	checks := l.checkRights(t.Context(), served{"batch": {"v1"}}, "research")
	if len(checks) != 1 || checks[0].Name != "review" || checks[0].Grade != Warn {
		t.Errorf("%+v", checks)
	}
	for _, right := range []string{"create secrets", "patch secrets", "get services"} {
		checks := limited(world(t), right).checkRights(t.Context(), served{}, "research")
		if !slices.ContainsFunc(checks, func(c Check) bool { return c.Name == "denied" && c.Args["verb"]+" "+c.Args["resource"] == right }) {
			t.Errorf("doctor does not ask for %s", right)
		}
	}
}
