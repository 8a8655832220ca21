package job_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"muster.dev/muster/backend/job"
)

func words(s ...string) []string { return append([]string(nil), s...) }

func TestArgv(t *testing.T) {
	for _, c := range []struct {
		name    string
		command []string
		args    job.Args
		want    []string // of args; the command stays
	}{
		{"nothing", words("bash"), job.Args{}, nil},
		{"a shell gets one text", words("bash"), job.Args{Text: "echo $$ 'a\nb\n"}, words("-c", "echo $$ 'a\nb\n")},
		{"by base name", words("/usr/local/bin/zsh"), job.Args{Text: "x y"}, words("-c", "x y")},
		{"after its own -c", words("bash", "-c"), job.Args{Text: "x y"}, words("x y")},
		{"and the like", words("/bin/sh", "-ex", "-lc"), job.Args{Text: "x y"}, words("x y")},
		{"behind other options", words("bash", "-l"), job.Args{Text: "x y"}, words("-c", "x y")},
		{"-c not at the end", words("bash", "-c", "x"), job.Args{Text: "y"}, words("-c", "y")},
		{"a long option is not -c", words("bash", "--norc"), job.Args{Text: "y"}, words("-c", "y")},
		{"no shell: words", words("python"), job.Args{Text: "train.py --lr 3e-4\n"}, words("train.py", "--lr", "3e-4")},
		{"no shell: -c means nothing", words("python", "-c"), job.Args{Text: "'print(1)'"}, words("print(1)")},
		{"a name like a shell's", words("bashful"), job.Args{Text: "a b"}, words("a", "b")},
		{"list to a shell", words("bash"), job.Args{List: words("-c", "a b", "")}, words("-c", "a b", "")},
		{"list to a program", words("python"), job.Args{List: words("a b", "$x")}, words("a b", "$x")},
		{"empty list", words("bash"), job.Args{List: []string{}}, nil},
		{"only spaces to a program", words("python"), job.Args{Text: " \n"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := job.Default()
			s.Command, s.Args = c.command, c.args
			command, args := s.Argv()
			if diff := cmp.Diff(c.command, command); diff != "" {
				t.Errorf("command: %s", diff)
			}
			if diff := cmp.Diff(c.want, args); diff != "" && len(c.want)+len(args) > 0 {
				t.Errorf("args: %s", diff)
			}
		})
	}
}

func split(text string) []string {
	s := job.Default()
	s.Command, s.Args.Text = []string{"program"}, text
	_, args := s.Argv()
	return args
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"a b\tc\nd":                   words("a", "b", "c", "d"),
		"  a  ":                       words("a"),
		`'a b' "c d"`:                 words("a b", "c d"),
		`a'b c'd"e f"g`:               words("ab cde fg"),
		`'' ""`:                       words("", ""),
		`a\ b \'c \"d \\`:             words("a b", "'c", `"d`, `\`),
		"a\\\nb \\\n c":               words("ab", "c"),
		"\"a\\\nb\" 'a\\\nb'":         words("ab", "a\\\nb"),
		`"\a \$x \" \\ \` + "`" + `"`: words(`\a $x " \ ` + "`"),
		`'\a'`:                        words(`\a`),
		"$HOME ${X} $(date) $$":       words("$HOME", "${X}", "$(date)", "$$"),
		"*.py ? [a-z] ~ {a,b}":        words("*.py", "?", "[a-z]", "~", "{a,b}"),
		"a#b #c d\ne":                 words("a#b", "e"),
		"# all":                       nil,
		"'#' \\#a":                    words("#", "#a"),
		"a|b && c;d >f":               words("a|b", "&&", "c;d", ">f"),
		"训练 \u3000 é":                 words("训练", "\u3000", "é"),
		"a\r b\vc":                    words("a\r", "b\vc"),
		"\xff'\xfe'":                  words("\xff\xfe"),
	} {
		if diff := cmp.Diff(want, split(text)); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}

// shellWords asks the machine's own shell. Expansions are cut off by quoting what would expand: only texts without
// such characters are given to it.
func shellWords(t *testing.T, text string) (words []string, ok bool) {
	t.Helper()
	// eval sees the text as a command's words; each comes back behind a byte that no word holds.
	out, err := exec.Command("/bin/sh", "-fc", `eval "set -- $1"; for w in "$@"; do printf '%s\001' "$w"; done`, "sh", text).Output()
	if err != nil {
		return nil, false
	}
	words = strings.Split(string(out), "\x01")
	return words[:len(words)-1], true
}

// FuzzWords compares with the machine's shell on every text that a shell would not expand or take as more than one
// command.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"a b", `'a b'"c\d"e\ f`, "a\\\nb", "a #b", "'", `"\"`, `\`, "a'b'#c", `"#"`, "=a b", "a\\"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		joined := strings.ReplaceAll(text, "\\\n", "") // a line's end elsewhere ends a shell's command
		if len(text) > 200 || joined != text && (strings.Contains(text, "#") || strings.Contains(text, `\\`)) || strings.ContainsAny(text, "$`|&;<>()~{}!") || strings.ContainsFunc(joined, func(r rune) bool { return r > 126 || r < 32 && r != '\t' }) {
			return
		}
		want, ok := shellWords(t, text)
		s := job.Default()
		s.Image, s.Command, s.Args.Text = "a", []string{"program"}, text
		report := job.Validate(s)
		if report.OK() != ok && !strings.HasSuffix(text, `\`) { // sh takes a last backslash as it is
			t.Fatalf("%q: the shell reads it: %v, muster: %v", text, ok, report.Errors)
		}
		if got := split(text); report.OK() && strings.Join(got, "\x01") != strings.Join(want, "\x01") {
			t.Fatalf("%q: got %q, the shell has %q", text, got, want)
		}
	})
}
