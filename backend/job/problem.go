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
