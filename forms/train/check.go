package train

import (
	"slices"
	"strings"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/stock"
	"muster.dev/muster/forms"
)

// Verdict is everything that is known about a draft.
type Verdict struct {
	Spec     job.Spec // with name and workspace: what is submitted
	Resolved job.Spec // with the site's defaults: what is shown
	Errors   []job.Problem
	Warnings []job.Problem
	Reached  bool // false: the cluster has not answered yet, so the site's rules and the stock are not checked
}

// OK tells whether the draft may be submitted.
func (v Verdict) OK() bool { return len(v.Errors) == 0 }

// Check reads a draft and holds it against every rule: of the form, of the spec, of the site, of the renderer, and
// against the stock.
func Check(d *forms.Draft, c *Context) Verdict {
	spec, unread := ToSpec(d)
	if spec.Name == "" {
		spec.Name = GeneratedName(d, spec)
	}
	spec.Workspace = c.workspace(d)
	v := Verdict{Spec: spec, Reached: c.reached()}
	report := job.Validate(spec)
	if cardsUnread(unread) {
		report.Errors = slices.DeleteFunc(report.Errors, comparesCards)
		report.Warnings = slices.DeleteFunc(report.Warnings, comparesCards)
	}
	if stands(unread, keyNodes) { // the roles are of what was typed before it became unreadable
		report.Errors = slices.DeleteFunc(report.Errors, countsNodes)
		report.Warnings = slices.DeleteFunc(report.Warnings, countsNodes)
	}
	v.Errors = append(unread, without(report.Errors, unread)...)
	v.Warnings = without(report.Warnings, unread)
	for i, p := range v.Errors {
		if p.Code == job.CodeRequired && p.Path == at(tableStorage, 0, "volume") {
			v.Errors[i].Code = CodeNoVolume // the main mount can't be removed: who wants none must know what to do
		}
	}
	v.Warnings = append(v.Warnings, c.rights(spec.Workspace)...)
	if spec.Workspace == "" {
		v.Errors = append(without(v.Errors, []job.Problem{{Path: "workspace"}}), problem("workspace", CodeNoWorkspace))
	}
	v.Errors = append(v.Errors, c.secretsWithoutValue(d)...)
	v.Resolved = spec
	if v.Reached {
		report := site.Check(c.Snapshot.Site, spec)
		v.Errors = append(v.Errors, without(report.Errors, v.Errors)...)
		v.Warnings = append(v.Warnings, without(report.Warnings, v.Errors)...)
		v.Resolved = site.Resolve(c.Snapshot.Site, spec)
		if !stands(unread, keyNodes) {
			report = stock.Check(c.Snapshot.Stock, v.Resolved)
			v.Errors = append(v.Errors, without(report.Errors, v.Errors)...)
			v.Warnings = append(v.Warnings, without(report.Warnings, v.Errors)...)
		}
	}
	if c.Render != nil {
		_, problems := c.Render(outline(v.Spec), c.Snapshot)
		v.Errors = append(v.Errors, without(problems, v.Errors)...)
	}
	return v
}

// outlined is how much of a text is rendered at every key, in bytes.
const outlined = 1024

// outline cuts the long texts of a spec: what can be rendered does not depend on them, and rendering 100 kB takes longer
// than a key may. Submission and preview render the whole.
func outline(s job.Spec) job.Spec {
	s.DisplayName, s.Image = cut(s.DisplayName), cut(s.Image)
	s.Command = cutWords(s.Command)
	if s.Args.List != nil {
		s.Args.SetList(cutWords(s.Args.List))
	} else {
		s.Args.SetText(cut(s.Args.Text))
	}
	env := make(map[string]string, len(s.Env))
	for name, value := range s.Env {
		env[name] = cut(value)
	}
	s.Env = env
	return s
}

func cut(text string) string {
	if len(text) <= outlined {
		return text
	}
	return strings.ToValidUTF8(text[:outlined], "")
}

func cutWords(words []string) []string {
	var out []string
	room := outlined
	for _, w := range words {
		if room <= 0 {
			break
		}
		out = append(out, cut(w))
		room -= len(w) + 1
	}
	return out
}

// Manifest renders the draft as it was last checked; problems are why there is none.
func (f *Form) Manifest() (manifest string, problems []job.Problem) {
	if !f.Verdict.OK() || f.context.Render == nil {
		return "", f.Verdict.Errors
	}
	return f.context.Render(f.Verdict.Spec, f.context.Snapshot)
}

// without leaves out problems at a path that already has one, at it, above it or below it: the second would only
// follow from the first.
func without(problems, known []job.Problem) []job.Problem {
	var out []job.Problem
	for _, p := range problems {
		if !slices.ContainsFunc(known, func(k job.Problem) bool {
			return k.Path == p.Path || k.Path != "" && (below(p.Path, k.Path) || below(k.Path, p.Path) && (k.Code == CodeNotNumber || k.Code == CodeNumberTooLong || k.Code == job.CodeRequired))
		}) {
			out = append(out, p)
		}
	}
	return out
}

// cardsUnread tells whether some role's cards could not be read: then the roles' cards can't be compared.
func cardsUnread(unread []job.Problem) bool {
	return slices.ContainsFunc(unread, func(p job.Problem) bool {
		c := forms.ParsePath(p.Path)
		return c.Field == tableRoles && c.Column == "gpus"
	})
}

func comparesCards(p job.Problem) bool {
	return p.Code == job.CodeRolesDiffer || p.Code == job.CodeNoCards || p.Code == job.CodeCPUNotMultiple
}

// stands tells whether one of the problems is at a path.
func stands(problems []job.Problem, path string) bool {
	return slices.ContainsFunc(problems, func(p job.Problem) bool { return p.Path == path })
}

// countsNodes is true for what is wrong with how many nodes there are.
func countsNodes(p job.Problem) bool {
	return p.Code == job.CodeTooManyPods || forms.ParsePath(p.Path).Column == "replicas"
}

func below(path, base string) bool {
	rest, ok := strings.CutPrefix(path, base)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
}

// rights is the warning that the user may create no job in a workspace. Only the workspace that is watched is known of,
// and a right that is not known to lack counts as given: the cluster has the last word.
func (c *Context) rights(workspace string) []job.Problem {
	facts := c.Snapshot.Facts
	if !c.reached() || len(facts.Engines) > 0 || workspace == "" || workspace != facts.Workspace {
		return nil
	}
	var lacks []string
	for _, right := range facts.Denied {
		if verb, rest, _ := strings.Cut(right, " "); verb == "create" {
			lacks = append(lacks, strings.TrimSuffix(rest, " in namespace "+workspace))
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return []job.Problem{problem("workspace", CodeMayNotCreate, "workspace", workspace, "resources", strings.Join(lacks, ", "))}
}

func (c *Context) secretsWithoutValue(d *forms.Draft) []job.Problem {
	getenv := c.Getenv
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	values := SecretValues(d, getenv)
	var out []job.Problem
	for i, row := range d.Tables[tableSecrets] {
		if name := row["name"]; name != "" && values[name] == "" {
			out = append(out, problem(at(tableSecrets, i, "value"), CodeSecretNoValue, "name", name))
		}
	}
	return out
}
