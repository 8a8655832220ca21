package site

import (
	_ "embed"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/strictyaml"
)

// APIVersion and Kind head every site file.
const (
	APIVersion = job.APIVersion
	Kind       = "Site"
)

//go:embed default.yaml
var defaultFile []byte

// Default is the embedded site: it declares no cluster and no volume, and says by which labels and resources they
// are found. It panics when the embedded file is broken, which the package's tests exclude.
func Default() Site {
	var s Site
	if problems := strictyaml.Decode(defaultFile, &s); len(problems) > 0 {
		panic("site: the embedded default: " + problems[0].Code + " at " + problems[0].Path)
	}
	return s
}

// Decode reads a site file, as package strictyaml says, over [Default], and checks it: what the file does not name keeps
// its default, lists that it names replace the default's. Every problem is reported at once with its path, in the codes
// of package job.
func Decode(data []byte) (Site, job.Report) {
	s := Default()
	var form job.Report
	for _, p := range strictyaml.Decode(data, &s) {
		form.Errors = append(form.Errors, job.Problem(p))
		if p.Path == "" {
			return s, job.Report{Errors: []job.Problem{job.Problem(p)}}
		}
	}
	return s, form.Join(Validate(s))
}
