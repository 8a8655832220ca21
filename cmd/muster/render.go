package main

import (
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
)

func newRender(a *app) *cobra.Command {
	var file, engine, format string
	c := a.command("render", "render -f FILE [--engine ENGINE]", a.noArgs, func(c *cobra.Command, _ []string) error {
		return a.render(c, file, engine, format)
	})
	a.fileFlag(c, &file)
	a.engineFlag(c, &engine)
	a.outputFlag(c, &format, asYAML, asJSON)
	return c
}

// autoEngine leaves the choice of the engine to muster.
const autoEngine = "auto"

func (a *app) engineFlag(c *cobra.Command, p *string) {
	engines := []string{autoEngine, render.JobSet, render.BatchJob, render.Volcano, render.Trainer, render.Kubeflow}
	a.addFlag(c, &choice{value: p, allowed: engines}, "engine", "")
	_ = c.RegisterFlagCompletionFunc("engine", cobra.FixedCompletions(engines, cobra.ShellCompDirectiveNoFileComp))
}

// render shows what would be created. What the engine cannot express is an invalid spec for that engine: exit 2.
func (a *app) render(c *cobra.Command, file, engine, format string) error {
	f, err := a.readSpec(c, file)
	if err != nil {
		return err
	}
	f.checkSite()
	a.warn(f, f.report.Warnings)
	if !f.report.OK() {
		return a.refuse(f, f.report.Errors)
	}
	if f.spec.Name == "" {
		f.spec.Name = job.GenerateName(f.spec, time.Now(), rand.IntN)
	}
	output, err := a.rendered(f, engine)
	if err != nil {
		return err
	}
	write := render.ListYAML
	if format == asJSON {
		write = render.List
	}
	text, err := write(render.Redact(output))
	if err != nil {
		return err
	}
	_, err = a.out.Write(text)
	return err
}

// rendered makes the objects of a valid spec that has a name. The spec goes in as it was typed: that is what is recorded on
// the root object, here as by a submission.
func (a *app) rendered(f *specFile, engine string) (render.Output, error) {
	output, problems := render.Render(engine, render.Input{Spec: f.spec, Site: f.site})
	if len(problems) > 0 {
		return output, a.refuse(f, problems)
	}
	a.warn(f, output.Warnings)
	return output, nil
}
