package main

import (
	"context"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui"
	"muster.dev/muster/ui/nav"
)

// interactive tells whether there is a terminal to draw on and to read keys from.
func (a *app) interactive() bool { return a.inTTY && a.outTTY }

// openDashboard shows the UI.
func (a *app) openDashboard(ctx context.Context) error { return a.open(ctx, nil) }

// openForm shows the UI with the form over the dashboard: filled from spec, which came from the job named from, or as
// it was left.
func (a *app) openForm(ctx context.Context, spec *job.Spec, from string) error {
	return a.open(ctx, nav.NewJob{Spec: spec, From: from})
}

// open shows the UI until the user leaves it. What is wrong with the kubeconfig is shown there: the file can be mended
// while the UI is open.
func (a *app) open(ctx context.Context, start nav.Intent) error {
	if !a.interactive() {
		stream := "stream.out"
		if !a.inTTY {
			stream = "stream.in"
		}
		return a.wrong("err.noTerminal", "stream", a.t(stream), "command", a.name+" --help")
	}
	theme, err := themes.Choose(a.theme, a.getenv)
	if err != nil {
		return a.wrong("err.flag", "message", err.Error())
	}
	if _, err := a.siteFile(); err != nil {
		return err
	}
	options := a.options()
	options.StdinTaken = true
	cluster, err := kube.New(options)
	if cluster == nil {
		return err
	}
	return ui.Run(ctx, ui.Config{
		Backend: cluster, Texts: a.text, Theme: theme, Wizard: a.wizard(cluster), Start: start,
	})
}
