package main

import (
	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
)

func newCreate(a *app) *cobra.Command {
	var file string
	c := a.command("create", "create [-f FILE]", a.noArgs, func(c *cobra.Command, _ []string) error {
		if file == "" {
			return a.openForm(c.Context(), nil, "")
		}
		if file == "-" {
			return a.wrong("create.stdin")
		}
		data, err := a.readFile(file, maxSpecFile)
		if err != nil {
			return err
		}
		// The form mends what the rules find, but it cannot hold what is no value of a field: that would be lost.
		spec, report := job.Decode(data)
		if !report.OK() {
			return a.refuse(&specFile{file: file}, report.Errors)
		}
		if named := *a.kube.Namespace; spec.Workspace == "" {
			spec.Workspace = named
		} else if named != "" && named != spec.Workspace {
			return a.refuse(&specFile{file: file}, []job.Problem{workspaceDiffers(spec.Workspace, named)})
		}
		return a.openForm(c.Context(), &spec, "")
	})
	a.fileFlag(c, &file)
	return c
}
