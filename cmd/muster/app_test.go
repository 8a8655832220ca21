package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"muster.dev/muster/ui/i18n"
)

// call runs a command line without a terminal and without an environment.
func call(t *testing.T, stdin string, args ...string) (status int, out, stderr string) {
	t.Helper()
	return callAs(t, "muster", nil, stdin, args...)
}

func callAs(t *testing.T, program string, env map[string]string, stdin string, args ...string) (status int, out, stderr string) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var o, e bytes.Buffer
	status = run(append([]string{program}, args...), streams{
		in: strings.NewReader(stdin), out: &o, err: &e, getenv: func(name string) string { return env[name] },
	})
	return status, o.String(), e.String()
}

func testApp(lang string) *app {
	return &app{
		streams: streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &bytes.Buffer{}, getenv: func(string) string { return "" }},
		text:    i18n.New(lang), name: "muster",
	}
}

// keyed finds the texts that the code asks for by a literal key.
var keyed = []*regexp.Regexp{
	regexp.MustCompile(`\ba\.(?:t|fail|wrong)\("([^"]+)"[,)]`),
	regexp.MustCompile(`\ba\.usage\([^,"]+, "([^"]+)"`),
}

func TestEveryTextExistsAndIsUsed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	texts := i18n.New(i18n.English)
	var source strings.Builder
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(code)
		for _, re := range keyed {
			for _, m := range re.FindAllStringSubmatch(string(code), -1) {
				found++
				if !texts.Has("cli." + m[1]) {
					t.Errorf("%s: cli.%s is not in the catalogue", file, m[1])
				}
			}
		}
	}
	if found < 80 {
		t.Errorf("only %d keys found: the search is broken", found)
	}
	data, err := os.ReadFile("../../ui/i18n/locales/cli.en.json")
	if err != nil {
		t.Fatal(err)
	}
	var catalogue map[string]any
	if err := json.Unmarshal(data, &catalogue); err != nil {
		t.Fatal(err)
	}
	for _, key := range slices.Sorted(maps.Keys(catalogue)) {
		if !used(strings.TrimPrefix(key, "cli."), source.String()) {
			t.Errorf("%s is in the catalogue and nobody shows it", key)
		}
	}
}

// used tells whether a key stands in the code as it is, or is made of a literal and the last part of the key.
func used(key, source string) bool {
	switch area, rest, _ := strings.Cut(key, "."); area {
	case "cmd", "flag": // asked for by the commands' and flags' names; that they have one is another test
		return true
	case "column", "type", "group", "mark", "later", "secret", "done", "needless", "ask":
		return rest != "" // likewise
	case "doctor":
		return rest != "" // made of what the cluster's checks are called; e2e holds them to the texts
	}
	return strings.Contains(source, `"`+strings.TrimPrefix(key, "problem.")+`"`)
}

func TestHelpIsInBothLanguages(t *testing.T) {
	for _, lang := range i18n.Languages() {
		a := testApp(lang)
		root := newRoot(a)
		root.InitDefaultHelpCmd()
		seen := 0
		var walk func(c *cobra.Command)
		walk = func(c *cobra.Command) {
			seen++
			for _, text := range []string{c.Short, c.Long} {
				if strings.Contains(text, "cli.") {
					t.Errorf("%s: %s has no text: %s", lang, c.Name(), text)
				}
			}
			if c.Short == "" {
				t.Errorf("%s: %s has no description", lang, c.Name())
			}
			c.Flags().VisitAll(func(f *pflag.Flag) { checkFlag(t, lang, c, f) })
			c.PersistentFlags().VisitAll(func(f *pflag.Flag) { checkFlag(t, lang, c, f) })
			for _, child := range c.Commands() {
				walk(child)
			}
		}
		walk(root)
		if seen < 25 {
			t.Errorf("only %d commands", seen)
		}
		for _, group := range root.Groups() {
			if strings.Contains(group.Title, "cli.") {
				t.Errorf("%s: group %s has no title", lang, group.ID)
			}
		}
		jt := jobTable{workspace: true, wide: true}
		for _, head := range [][]string{jt.head(), stockHead} {
			for _, title := range a.head(head) {
				if strings.Contains(title, "cli.") {
					t.Errorf("%s: column %s has no title", lang, title)
				}
			}
		}
	}
}

func checkFlag(t *testing.T, lang string, c *cobra.Command, f *pflag.Flag) {
	t.Helper()
	if strings.Contains(f.Usage, "cli.") || f.Usage == "" && f.Name != "all-namespaces" && f.Name != "publish" {
		t.Errorf("%s: flag --%s of %s has no text: %q", lang, f.Name, c.Name(), f.Usage)
	}
}

func TestWrongUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"validat"}, `there is no command "validat"; did you mean: validate?`},
		{[]string{"frobnicate"}, `there is no command "frobnicate"`},
		{[]string{"validate", "--frob"}, "there is no flag --frob"},
		{[]string{"list", "-z"}, "there is no flag -z"},
		{[]string{"validate"}, "no spec file"},
		{[]string{"validate", "-f"}, "--filename needs a value"},
		{[]string{"validate", "-f", "nowhere.yaml"}, "nowhere.yaml: there is no such file"},
		{[]string{"validate", "-f", "."}, "is a directory"},
		{[]string{"validate", "-f", "x", "y"}, `unexpected argument "y"`},
		{[]string{"render", "-f", "x", "--engine", "slurm"}, `--engine cannot be "slurm": take one of auto, jobset`},
		{[]string{"submit", "-f", "x", "--dry-run=maybe"}, `--dry-run cannot be "maybe": take one of client, server`},
		{[]string{"submit", "-f", "x", "--dry-run=server", "--wait"}, "--wait and --dry-run exclude each other"},
		{[]string{"submit", "-f", "-", "--secret-env-file", "-"}, "cannot both be standard input"},
		{[]string{"list", "-o", "xml"}, `--output cannot be "xml": take one of json, yaml, name, wide`},
		{[]string{"get"}, "the name of a job is missing"},
		{[]string{"get", ""}, "the name of a job is empty"},
		{[]string{"get", "a", "b"}, `unexpected argument "b"`},
		{[]string{"stop"}, "the name of a job is missing"},
		{[]string{"wait", "a", "--for", "Happy"}, `--for cannot be "Happy": take one of delete, Queued`},
		{[]string{"wait", "a", "--timeout", "soon"}, `--timeout cannot be "soon": it takes a duration`},
		{[]string{"logs", "a", "--index", "-1"}, "--index cannot be negative"},
		{[]string{"logs", "a", "--tail", "-2"}, "--tail takes -1"},
		{[]string{"logs", "a", "--since", "-1s"}, "--since cannot be negative"},
		{[]string{"list", "--request-timeout", "soon"}, `--request-timeout cannot be "soon"`},
		{[]string{"list", "--lang", "fr"}, `--lang cannot be "fr": take one of en, zh`},
		{[]string{"completion", "tcsh"}, `there is no completion for "tcsh"`},
		{[]string{"help", "frobnicate"}, `there is no command "frobnicate"`},
		{[]string{"list", "--site", "nowhere.yaml"}, "nowhere.yaml: there is no such file"},
		{[]string{"list", "--token", "t0ken"}, "there is no flag --token"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			status, out, stderr := call(t, "", c.args...)
			if status != exitWrong || out != "" || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d, stdout %q, stderr %q; want exit 2 and %q", status, out, stderr, c.want)
			}
		})
	}
}

func TestWhatIsNotThereYetSaysSo(t *testing.T) {
	for _, args := range [][]string{
		{"why", "x"}, {"check", "-f", "x"}, {"exec", "x", "--", "ls"}, {"port-forward", "x"}, {"tensorboard", "x"}, {"steward"}, {"stock", "--publish"},
	} {
		status, out, stderr := call(t, "", args...)
		if status != exitFailed || out != "" || !strings.Contains(stderr, "is not there yet") {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", args, status, out, stderr)
		}
	}
	_, help, _ := call(t, "", "--help")
	if strings.Contains(help, "port-forward") || strings.Contains(help, "steward") {
		t.Errorf("the help lists commands that are not there:\n%s", help)
	}
}

func TestTheUINeedsATerminal(t *testing.T) {
	for _, args := range [][]string{nil, {"create"}, {"clone", "x"}} {
		status, out, stderr := call(t, "", args...)
		if status != exitWrong || out != "" || !strings.Contains(stderr, "terminal") {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", args, status, out, stderr)
		}
	}
}

func TestProgramName(t *testing.T) {
	for argv0, want := range map[string]string{
		"/usr/bin/muster": "muster", "kubectl-muster": "kubectl muster", "/x/kubectl-my_muster": "kubectl my-muster", "": "muster", "m": "m",
	} {
		if got := programName(argv0); got != want {
			t.Errorf("%q: %q, want %q", argv0, got, want)
		}
	}
	_, help, _ := callAs(t, "/bin/kubectl-muster", nil, "", "submit", "--help")
	if !strings.Contains(help, "  kubectl muster submit -f FILE") {
		t.Errorf("the help of the plugin:\n%s", help)
	}
	_, _, stderr := callAs(t, "/bin/kubectl-muster", nil, "", "submit")
	if !strings.Contains(stderr, "kubectl muster submit --help") {
		t.Errorf("the plugin's error: %s", stderr)
	}
}

func TestLanguage(t *testing.T) {
	env := map[string]string{"LANG": "zh_CN.UTF-8"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "用法："},
		{[]string{"--lang", "en"}, "Usage:"},
		{[]string{"--lang=en"}, "Usage:"},
	} {
		_, out, _ := callAs(t, "muster", env, "", append([]string{"--help"}, c.args...)...)
		if !strings.Contains(out, c.want) {
			t.Errorf("%q with LANG=zh_CN lacks %q:\n%s", c.args, c.want, out)
		}
	}
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		status, out, stderr := call(t, "", "completion", shell)
		if status != 0 || !strings.Contains(out, "muster") || stderr != "" {
			t.Errorf("%s: exit %d, %d bytes, stderr %q", shell, status, len(out), stderr)
		}
	}
	status, out, _ := call(t, "", "__complete", "val")
	if status != 0 || !strings.HasPrefix(out, "validate\t") {
		t.Errorf("completing val: exit %d, %q", status, out)
	}
}
