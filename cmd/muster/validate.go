package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
)

// finding is a problem in the JSON of validate: its text too, in the user's language.
type finding struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

type findings struct {
	Errors   []finding `json:"errors"`
	Warnings []finding `json:"warnings"`
}

func newValidate(a *app) *cobra.Command {
	var file, format string
	c := a.command("validate", "validate -f FILE", a.noArgs, func(c *cobra.Command, _ []string) error {
		return a.validate(c, file, format)
	})
	a.fileFlag(c, &file)
	a.outputFlag(c, &format, asJSON, asYAML)
	return c
}

func (a *app) validate(c *cobra.Command, file, format string) error {
	f, err := a.readSpec(c, file)
	if err != nil {
		return err
	}
	f.checkSite()
	if format == asTable {
		err = a.tellFindings(f)
	} else {
		err = a.object(format, findings{a.findings(f.report.Errors), a.findings(f.report.Warnings)})
	}
	if err == nil && !f.report.OK() {
		err = &exit{status: exitWrong}
	}
	return err
}

func (a *app) findings(problems []job.Problem) []finding {
	all := make([]finding, len(problems))
	for i, p := range problems {
		all[i] = finding{p.Path, p.Code, a.text.Problem(p)}
	}
	return all
}

// tellFindings writes a line for each finding. That there is none is said to people only: a pipe gets no line.
func (a *app) tellFindings(f *specFile) error {
	for _, p := range f.report.Errors {
		if _, err := fmt.Fprintln(a.out, a.problemLine(f, p)); err != nil {
			return err
		}
	}
	for _, p := range f.report.Warnings {
		line := a.t("warningLine", "path", p.Path, "message", a.text.Problem(p))
		if _, err := fmt.Fprintln(a.out, line); err != nil {
			return err
		}
	}
	if a.outTTY && f.report.OK() {
		_, err := fmt.Fprintln(a.out, a.t("valid", "file", a.fileName(f.file)))
		return err
	}
	return nil
}
