package main

import (
	"context"
	"math/rand/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/forms"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/wizard"
)

// wizard makes the form's screen.
func (a *app) wizard(cluster wizard.Submitter) func(context.Context, nav.Env, snapshot.Snapshot, nav.NewJob) nav.Screen {
	return func(_ context.Context, env nav.Env, view snapshot.Snapshot, request nav.NewJob) nav.Screen {
		options := wizard.Options{
			Env: env, Snapshot: view, Submitter: cluster, Render: manifest, Getenv: a.getenv, Random: rand.Uint64,
			Spec: request.Spec, From: request.From,
		}
		if dir, err := forms.StateDir(a.getenv); err != nil {
			options.StoreError = err
		} else {
			options.Store = forms.NewStore(dir)
		}
		return wizard.New(options)
	}
}

// manifest is what would be created of a spec, for the form's preview.
func manifest(spec job.Spec, view snapshot.Snapshot) (string, []job.Problem) {
	engine := ""
	if len(view.Facts.Engines) > 0 {
		engine = view.Facts.Engines[0]
	}
	output, problems := render.Render(engine, render.Input{Spec: spec, Site: view.Site, User: view.Facts.User})
	if len(problems) > 0 {
		return "", problems
	}
	text, err := render.ListYAML(render.Redact(output))
	if err != nil {
		return "", []job.Problem{{Code: kube.CodeCluster, Args: map[string]string{"message": err.Error()}}}
	}
	return string(text), nil
}
