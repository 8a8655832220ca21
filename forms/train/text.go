package train

import (
	"slices"
	"strconv"
	"strings"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/forms"
)

// joinWords writes words so that job.SplitWords gives the same ones.
func joinWords(words []string, separator string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, separator)
}

func quote(word string) string {
	if word != "" && strings.IndexFunc(word, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:=,+@%$", r) || r > 0xff)
	}) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// splitField reads words typed into a field.
func splitField(text, path string) ([]string, []job.Problem) {
	words, unclosed := job.SplitWords(text)
	if unclosed != 0 {
		return nil, []job.Problem{{Path: path, Code: job.CodeArgsUnclosed, Args: map[string]string{"quote": string(unclosed)}}}
	}
	return words, nil
}

// parseEnv reads one NAME=VALUE a line. The value is everything behind the first =, byte for byte. A value of several
// lines is written NAME<<MARK, the lines, and a line that is MARK alone. Empty lines count for nothing.
func parseEnv(text string) (map[string]string, []job.Problem) {
	var problems []job.Problem
	env := map[string]string{}
	set := func(name, value string, line int) {
		if _, twice := env[name]; twice {
			problems = append(problems, problem("env."+name, CodeEnvTwice, "name", name, "line", strconv.Itoa(line)))
			return
		}
		env[name] = value
	}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line, number := lines[i], i+1
		if strings.TrimSpace(line) == "" {
			continue
		}
		equals, heredoc := strings.IndexByte(line, '='), strings.Index(line, "<<")
		switch {
		case heredoc > 0 && (equals < 0 || heredoc < equals) && validMark(line[heredoc+2:]):
			name, mark := line[:heredoc], line[heredoc+2:]
			end := slices.Index(lines[i+1:], mark)
			if end < 0 {
				problems = append(problems, problem("env."+name, CodeEnvUnclosed, "name", name, "mark", mark))
				return env, problems
			}
			set(name, strings.Join(lines[i+1:i+1+end], "\n"), number)
			i += 1 + end
		case equals >= 0:
			set(strings.TrimSpace(line[:equals]), line[equals+1:], number)
		default:
			problems = append(problems, problem("env", CodeEnvLine, "line", strconv.Itoa(number), "text", short(line)))
		}
	}
	return env, problems
}

func validMark(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') && (r < '0' || r > '9') }) < 0
}

// formatEnv writes what parseEnv reads, sorted by name.
func formatEnv(env map[string]string) string {
	names := make([]string, 0, len(env))
	for name := range env {
		names = append(names, name)
	}
	slices.Sort(names)
	var lines []string
	for _, name := range names {
		value := env[name]
		if !strings.Contains(value, "\n") {
			lines = append(lines, name+"="+value)
			continue
		}
		mark := "END"
		for slices.Contains(strings.Split(value, "\n"), mark) {
			mark += "_"
		}
		lines = append(lines, name+"<<"+mark, value, mark)
	}
	return strings.Join(lines, "\n")
}

func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

func problem(path, code string, pairs ...string) job.Problem {
	return job.Problem{Path: path, Code: code, Args: forms.Say("", pairs...).Args}
}

// number reads a whole number; an input method's full-width digits count as digits. Nothing typed is standard.
func number(text string, standard int) (int, bool) {
	text = narrowed(text)
	if text == "" {
		return standard, true
	}
	n, err := strconv.ParseInt(text, 10, 32)
	return int(n), err == nil
}

// digits tells whether a text is a whole number, of whatever length.
func digits(text string) bool {
	text = strings.TrimLeft(narrowed(text), "+-")
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

func narrowed(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '０' && r <= '９':
			return r - '０' + '0'
		case r == '－':
			return '-'
		}
		return r
	}, strings.TrimSpace(text))
}
