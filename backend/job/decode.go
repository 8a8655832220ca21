package job

import (
	"path"
	"strings"

	"muster.dev/muster/backend/strictyaml"
)

// Decode reads a spec file: one YAML document, read as package strictyaml says, over [Default]. What the file does
// not name has its default, what it does stays as typed, even where that is an error: [Validate] judges it. Roles
// that are not named are those of the framework ([DefaultRoles]). Exit codes, sub-paths and mount paths come back in
// canonical form. The report holds what is wrong with the file's form; the spec is as much as could be read.
//
// To check a file use [Load], which adds the rules and leaves out what only follows from a value that could not be read.
func Decode(data []byte) (Spec, Report) {
	spec := Default()
	spec.Roles = nil
	written := map[string]bool{}
	problems := strictyaml.DecodeNoting(data, &spec, func(path string) { written[path] = true }, NewRole(), NewRule())
	var report Report
	for _, p := range problems {
		report.Errors = append(report.Errors, Problem(p))
	}
	report.Errors = append(report.Errors, besideWholeNode(spec.Roles, written)...)
	if spec.Roles == nil {
		spec.Roles = DefaultRoles(spec.Framework)
	}
	return Canonical(spec), report
}

// Load reads and checks a spec file: every problem of its form and every problem of its rules at once. A value that
// could not be read is reported once: what the rules would say of the default in its place is left out.
func Load(data []byte) (Spec, Report) {
	spec, report := Decode(data)
	var unread []string
	for _, p := range report.Errors {
		if p.Path == "" {
			return spec, report // nothing was read
		}
		if path, ok := p.unread(); ok {
			unread = append(unread, path)
		}
	}
	rules := check(spec, unread)
	report.Errors = append(report.Errors, rules.Errors...)
	report.Warnings = rules.Warnings
	return spec, report
}

// besideWholeNode finds fields that must be absent with wholeNode and are written as a 0 or an empty text, which in a
// [Role] looks like absence. Any other value of theirs is Validate's to find.
func besideWholeNode(roles []Role, written map[string]bool) []Problem {
	var problems []Problem
	for i, r := range roles {
		for _, f := range []struct {
			field string
			empty bool
		}{{"gpus", r.GPUs == 0}, {"cpu", r.CPU == ""}, {"memory", r.Memory == ""}} {
			if path := at("roles", i, f.field); r.WholeNode && f.empty && written[path] {
				problems = append(problems, problem(path, CodeWholeNodeExcludes, []string{"field", f.field}))
			}
		}
	}
	return problems
}

// unread is the path of the value that a problem of a file's form leaves unread; not ok when it leaves none.
func (p Problem) unread() (path string, ok bool) {
	switch p.Code {
	case CodeUnknownField, CodeWholeNodeExcludes:
		return "", false // nothing that a rule reads
	case CodeMergeKey: // it could have set any field of its map
		return strings.TrimSuffix(strings.TrimSuffix(p.Path, "<<"), "."), true
	}
	return p.Path, true
}

// Canonical writes the parts of a spec that have several spellings in one: exit codes, the sub-path of a volume
// without a leading slash, clean mount paths; empty lists and maps that mean the same as none are nil. What is not valid
// stays as it is. It changes nothing in what it is given.
func Canonical(s Spec) Spec {
	if len(s.Command) == 0 {
		s.Command = nil
	}
	if len(s.Roles) == 0 {
		s.Roles = nil
	}
	if len(s.Env) == 0 {
		s.Env = nil
	}
	if len(s.SecretEnv) == 0 {
		s.SecretEnv = nil
	}
	var mounts []Mount
	for _, m := range s.Storage {
		if canonical, ok := cleanSubPath(m.Path); ok {
			m.Path = canonical
		}
		if canonical, ok := cleanMountPath(m.MountPath); ok {
			m.MountPath = canonical
		}
		mounts = append(mounts, m)
	}
	s.Storage = mounts
	var rules []Rule
	for _, r := range s.FaultTolerance.Rules {
		if codes, err := ParseExitCodes(r.ExitCodes); err == nil {
			r.ExitCodes = codes.String()
		}
		rules = append(rules, r)
	}
	s.FaultTolerance.Rules = rules
	return s
}

// cleanSubPath is the sub-path of a volume relative to it, "" for the whole volume; not ok when it leads out of it.
func cleanSubPath(p string) (string, bool) {
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return p, false
		}
	}
	clean := strings.Trim(path.Clean("/"+p), "/")
	return clean, true
}

// cleanMountPath is an absolute path without needless parts; not ok when it is not absolute.
func cleanMountPath(p string) (string, bool) {
	if !strings.HasPrefix(p, "/") {
		return p, false
	}
	return path.Clean(p), true
}
