// Package submit holds what is asked for and answered when a job is created. Pure values.
package submit

import "muster.dev/muster/backend/job"

// DryRun says how far a submission goes.
type DryRun string

// No dry-run creates; Server asks the API server everything and creates nothing; Client renders only.
const (
	Real   DryRun = ""
	Server DryRun = "server"
	Client DryRun = "client"
)

// Request is one submission. A real one always does a server dry-run first.
type Request struct {
	Spec    job.Spec
	Secrets map[string]string // values of Spec.SecretEnv
	Engine  string            // "" or auto: the first that is served, allowed and able
	DryRun  DryRun
}

// Result tells what was (or would be) created.
type Result struct {
	Workspace string
	Name      string
	Engine    string
	Existed   bool          // the same job was already there: nothing was created twice
	Warnings  []job.Problem // of muster's own rules
	Notes     []string      // warnings of the API server, its words
	Manifest  string        // YAML of what was created, secret values removed
}

// Refused is the error of a submission that muster or the cluster does not accept. Problems carry the field
// where it is known (Path), e.g. from an admission webhook; code "Cluster" has the cluster's words in Args["message"].
type Refused struct {
	Problems []job.Problem
}

// Error lists paths and codes; people are shown the catalogue's texts instead.
func (r *Refused) Error() string {
	s := "refused:"
	for _, p := range r.Problems {
		s += " " + p.Path + ": " + p.Code
		if m := p.Args["message"]; m != "" {
			s += " (" + m + ")"
		}
		s += ";"
	}
	return s
}
