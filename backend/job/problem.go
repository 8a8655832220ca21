package job

// Problem is one thing wrong (or doubtful) with a spec. It carries no text: the user interface makes one in
// the user's language from Code and Args (catalogue key "problem.<Code>").
type Problem struct {
	Path string            `json:"path"` // e.g. roles[1].gpus, env.NAME, storage[0].mountPath; "" = the whole file
	Code string            `json:"code"` // e.g. RolesDiffer
	Args map[string]string `json:"args,omitempty"`
}

// Report is what checking a spec found: every error and every warning at once.
type Report struct {
	Errors   []Problem
	Warnings []Problem
}

// OK tells whether the spec may be submitted.
func (r Report) OK() bool { return len(r.Errors) == 0 }

// Join adds what another check found, each finding once. What it says at, above or below a field that already has an
// error is left out where both are errors: it most likely follows from the first.
func (r Report) Join(other Report) Report {
	joined := Report{Errors: append([]Problem(nil), r.Errors...), Warnings: append([]Problem(nil), r.Warnings...)}
	for _, p := range other.Errors {
		if !p.follows(r.Errors) {
			joined.Errors = append(joined.Errors, p)
		}
	}
	for _, p := range other.Warnings {
		if !p.follows(r.Errors) && !p.follows(r.Warnings) {
			joined.Warnings = append(joined.Warnings, p)
		}
	}
	return joined
}

func (p Problem) follows(problems []Problem) bool {
	for _, q := range problems {
		if q.Path != "" && (within(p.Path, q.Path) || within(q.Path, p.Path)) {
			return true
		}
	}
	return false
}
