package podtemplate

import "strings"

// Literal writes s so that Kubernetes' expansion of command, args and env values gives s again, byte for byte.
//
// Kubernetes reads "$$" as "$" and "$(NAME)" as a reference; every other "$" stays as it is. So a "$" is doubled
// exactly when the byte after it is "$" or "(": doubling every one would turn "$HOME" into "$$HOME" in what people
// read in the manifest, and doubling only "$(" would leave "$$" to be halved.
// Source: https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
func Literal(s string) string {
	if strings.IndexByte(s, '$') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := range len(s) {
		b.WriteByte(s[i])
		if s[i] == '$' && i+1 < len(s) && (s[i+1] == '$' || s[i+1] == '(') {
			b.WriteByte('$')
		}
	}
	return b.String()
}

// literals is Literal of every word.
func literals(words []string) []string {
	if words == nil {
		return nil
	}
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = Literal(w)
	}
	return out
}
