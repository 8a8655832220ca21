package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/cmd/muster/position"
)

// maxSpecFile is the largest spec file that is read, in bytes: arguments of a process end far below it.
const maxSpecFile = 16 << 20

// specFile is a spec that was read and checked.
type specFile struct {
	file   string // as the user says it
	spec   job.Spec
	site   site.Site
	report job.Report
	order  func(path string) int
}

// readSpec reads the spec of -f and checks it by muster's own rules, without a cluster.
func (a *app) readSpec(c *cobra.Command, file string) (*specFile, error) {
	if file == "" {
		return nil, a.usage(c, "err.fileMissing")
	}
	data, err := a.readFile(file, maxSpecFile)
	if err != nil {
		return nil, err
	}
	s, err := a.siteFile()
	if err != nil {
		return nil, err
	}
	f := &specFile{file: file, site: s, order: position.Of(data)}
	f.spec, f.report = job.Load(data)
	a.fillWorkspace(f)
	f.add(job.Report{})
	return f, nil
}

// checkSite adds the rules of the site that holds without a cluster.
func (f *specFile) checkSite() {
	if parsed(f.report) {
		f.add(site.Check(f.site, f.spec))
	}
}

// parsed tells whether the file was YAML at all: of one that was not there is nothing more to say.
func parsed(r job.Report) bool {
	return !slices.ContainsFunc(r.Errors, func(p job.Problem) bool { return p.Path == "" })
}

// add adds what another check found, in the order of the file.
func (f *specFile) add(more job.Report) {
	f.report = f.report.Join(more)
	for _, all := range [][]job.Problem{f.report.Errors, f.report.Warnings} {
		slices.SortStableFunc(all, func(p, q job.Problem) int { return cmp.Compare(f.order(p.Path), f.order(q.Path)) })
	}
}

// fillWorkspace gives a spec that names none the workspace of -n or the kubeconfig. A -n that differs is an error of
// the spec: one of the two is a mistake, and a job in the wrong workspace would be the price.
func (a *app) fillWorkspace(f *specFile) {
	named := *a.kube.Namespace
	switch {
	case f.spec.Workspace == "" && named != "":
		f.spec.Workspace = named
	case f.spec.Workspace == "":
		f.spec.Workspace = a.kubeconfigWorkspace()
	case named != "" && named != f.spec.Workspace:
		f.add(job.Report{Errors: []job.Problem{workspaceDiffers(f.spec.Workspace, named)}})
	}
}

func workspaceDiffers(inFile, flag string) job.Problem {
	return job.Problem{Path: "workspace", Code: "WorkspaceDiffers", Args: map[string]string{"value": inFile, "flag": flag}}
}

// kubeconfigWorkspace is the namespace that the kubeconfig names; "default", as with kubectl, when it names none or
// cannot be read: checking and rendering a file does not need one.
func (a *app) kubeconfigWorkspace() string {
	name, _, err := a.kubeconfig().Namespace()
	if err != nil || name == "" {
		return "default"
	}
	return name
}

// readFile reads a file, or standard input when its name is "-".
func (a *app) readFile(name string, limit int64) ([]byte, error) {
	var from io.Reader = a.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, a.fileError(name, err)
		}
		defer f.Close()
		from = f
	}
	var data bytes.Buffer
	n, err := io.Copy(&data, io.LimitReader(from, limit+1))
	if err != nil {
		return nil, a.fileError(name, err)
	}
	if n > limit {
		return nil, a.wrong("err.fileTooLarge", "file", a.fileName(name), "limit", fmt.Sprintf("%d MiB", limit>>20))
	}
	return data.Bytes(), nil
}

// fileName is how a file is called in messages.
func (a *app) fileName(name string) string {
	if name == "-" {
		return a.t("stdin")
	}
	return name
}

// fileError says why a file that the user named cannot be read: wrong usage, since another name would do.
func (a *app) fileError(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a.wrong("err.fileNotFound", "file", name)
	case errors.Is(err, fs.ErrPermission):
		return a.wrong("err.fileDenied", "file", name)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return a.wrong("err.fileUnreadable", "file", a.fileName(name), "why", err.Error())
}

// problemLine is one finding as `path: message`; what concerns the whole file stands under the file's name.
func (a *app) problemLine(f *specFile, p job.Problem) string {
	path := p.Path
	if path == "" {
		path = a.fileName(f.file)
	}
	return a.t("problemLine", "path", path, "message", a.text.Problem(p))
}

// refuse tells a spec's errors on stderr: the command was not asked for them, but cannot go on.
func (a *app) refuse(f *specFile, problems []job.Problem) error {
	text := a.t("error", "message", a.t("err.invalidSpec", "file", a.fileName(f.file), "count", len(problems)))
	for _, p := range problems {
		text += "\n  " + a.problemLine(f, p)
	}
	return &exit{exitWrong, text}
}

// warn tells a spec's warnings on stderr.
func (a *app) warn(f *specFile, warnings []job.Problem) {
	for _, p := range warnings {
		fmt.Fprintln(a.err, a.t("warning", "message", a.problemLine(f, p)))
	}
}
