package job_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/strictyaml"
)

// oddTexts are what writers and readers of YAML trip over.
func oddTexts() []string {
	return []string{
		"", " ", "\n", "\n\n", "a\n", "a\n\n", "\na", " a\nb", "a \nb ", "a\n b\n", "\ta\nb", "a\tb\n\tc\n", "a\r\nb\r\n", "a\rb", "null", "Null", "~", "yes", "no", "on", "y",
		"true", "FALSE", "3e-4", "1_000", "0x1f", "0o17", "1:30", "2026-12-01", ".inf", ".nan", "-", "- a", "? a", ": a", "a: b", "a:", "a #b", "#a", "&a", "*a", "!a", "!!str a",
		"|", ">", "%a", "@a", "`a", "{a}", "[a]", "a, b", "'a'", "\"a\"", "it's", "\\n", "---", "...", "--- a", "a\n---\nb\n", "a\n...\nb\n", "<<", "=",
		"训练", "训练\n第二行\n", "e\u0301", "\u200b", "\u202e", "\ufeff", "\ufeffa\nb", "a\u0085b", "a\u2028b\n", "\x7f", "\x1b[31m", "\x01", "😀\n", "\u00a0", "a\u00a0\nb", "\ufffd", "\U0010ffff",
		strings.Repeat("long ", 100), strings.Repeat("x", 5000) + "\n" + strings.Repeat("y ", 3000), "#!/bin/bash\nset -e\n\nfor i in 1 2; do\n\techo \"$i\" 'x' # c\ndone\n",
		"a\n\n\n", "a\n \n", "a\n\t\n", "\\", "\\\n", "a\\\n  b", "    indented\n  less\n", "a\n\n    b\n",
	}
}

func roundTrip(t *testing.T, s job.Spec) {
	t.Helper()
	s = job.Canonical(s)
	data, err := job.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	again, report := job.Decode(data)
	if !report.OK() {
		t.Fatalf("refused: %s\n%q", lines(report), data)
	}
	if diff := cmp.Diff(s, again); diff != "" {
		t.Fatalf("-before +after:\n%s\n%q", diff, data)
	}
}

// withText puts a text everywhere where one may stand.
func withText(text string) job.Spec {
	s := job.Default()
	s.Name, s.DisplayName, s.Workspace, s.Image, s.Cluster, s.SharedMemory, s.TensorBoard.LogDir = text, text, text, text, text, text, text
	s.Command = []string{text, "a", text}
	s.Args.Text = text
	s.Env = map[string]string{"A": text, text: "a"}
	s.SecretEnv = []string{text}
	s.Storage = []job.Mount{{Volume: text, MountPath: text}}
	s.Roles = []job.Role{{Name: text, Replicas: 1, CPU: text}}
	s.FaultTolerance.Rules = []job.Rule{{ExitCodes: text, Action: job.Action(text), Placement: job.Placement(text)}}
	return s
}

func TestEncodeOddTexts(t *testing.T) {
	for _, text := range oddTexts() {
		roundTrip(t, withText(text))
		s := withText("a")
		s.Args.SetList([]string{text, text})
		roundTrip(t, s)
	}
}

func TestEncodeEmptyAndZero(t *testing.T) {
	roundTrip(t, job.Default())
	roundTrip(t, job.Spec{})
	s := job.Default()
	s.Args.SetList(nil)
	s.Framework, s.Roles = job.Custom, nil
	s.Command = []string{}
	roundTrip(t, s)
}

func TestEncodeRefusesWhatNoFileCanHold(t *testing.T) {
	s := job.Default()
	s.Env = map[string]string{"A": "\xff"}
	if _, err := job.Encode(s); err == nil || !strings.Contains(err.Error(), "env.A") {
		t.Errorf("error: %v", err)
	}
}

func TestEncodeReadsWell(t *testing.T) {
	data, err := os.ReadFile("testdata/valid/design.yaml")
	if err != nil {
		t.Fatal(err)
	}
	spec, _ := job.Load(data)
	got, err := job.Encode(spec)
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/encoded.golden"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

func FuzzEncode(f *testing.F) {
	for _, text := range oddTexts() {
		f.Add(text, 0, true)
	}
	f.Fuzz(func(t *testing.T, text string, n int, list bool) {
		if !utf8.ValidString(text) {
			return
		}
		n = int(int32(n))
		s := withText(text)
		if list {
			s.Args.SetList([]string{text, "x", text + text})
		}
		s.TimeoutMinutes, s.GracePeriodSeconds, s.Submission.Total, s.FaultTolerance.MaxRestarts, s.Roles[0].GPUs = n, n, n, n, n
		s.SSH, s.Roles[0].WholeNode, s.Storage[0].ReadOnly = list, list, list
		if data, err := job.Encode(s); err == nil && len(data) > strictyaml.MaxBytes {
			return
		}
		roundTrip(t, s)
	})
}

// Any file is read without a crash, every problem has a code of the list, and what was read can be written and read.
func FuzzLoad(f *testing.F) {
	for _, r := range allRules() {
		if len(r.spec) < 1000 {
			f.Add([]byte("image: a\n" + r.spec))
		}
	}
	for _, text := range []string{"a: &a [*a]", "- - - -", "\xff\xfe", "a: !!binary x", "? {a: b}\n: c", "<<: {a: b}", "{image: a, image: b}", "args: !x y", "%YAML 1.1\n---\nimage: a"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		spec, report := job.Load(data)
		checkArgs(t, report)
		if written, err := job.Encode(spec); err == nil {
			if again, form := job.Decode(written); !form.OK() || cmp.Diff(spec, again) != "" {
				t.Fatalf("%q\nwritten: %q\n%v\n%s", data, written, form.Errors, cmp.Diff(spec, again))
			}
		}
	})
}

func TestArgsJSON(t *testing.T) {
	for text, want := range map[string]job.Args{
		`"a b"`: {Text: "a b"}, `["a","b"]`: {List: []string{"a", "b"}}, `[]`: {List: []string{}}, `""`: {}, `null`: {},
	} {
		var got job.Args
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if back, err := json.Marshal(got); err != nil || string(back) != text && text != "null" {
			t.Errorf("%s came back as %s, %v", text, back, err)
		}
	}
	for _, text := range []string{"5", `[1]`, `[null]`, `{"a":"b"}`} {
		var got job.Args
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s was read as %v", text, got)
		}
	}
}

func TestGenerateName(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	intN := func(int) int { return 0 }
	for _, c := range []struct{ displayName, framework, want string }{
		{"", "PyTorch", "pytorch-20261201-0930-bbbb"},
		{"BERT-预训练", "PyTorch", "bert-20261201-0930-bbbb"},
		{"预训练", "SenseParrots", "senseparrots-20261201-0930-bbbb"},
		{"2026:Run.1", "MPI", "mpi-2026-run-1-20261201-0930-bbbb"},
		{strings.Repeat("Long_Name-", 20), "PyTorch", "long-name-long-name-long-na-20261201-0930-bbbb"},
		{"", "", "job-20261201-0930-bbbb"},
	} {
		s := job.Default()
		s.Image, s.DisplayName, s.Framework = "a", c.displayName, job.Framework(c.framework)
		if got := job.GenerateName(s, now, intN); got != c.want {
			t.Errorf("%s: got %s, want %s", c.displayName, got, c.want)
		}
	}
}

// A generated name is valid wherever a spec without a name is.
func TestGeneratedNamesAreValid(t *testing.T) {
	for _, r := range allRules() {
		if len(r.spec) > 10_000 {
			continue // as long as it is, it gives no other name
		}
		spec, report := job.Load([]byte("image: a\n" + r.spec))
		if !report.OK() || spec.Name != "" {
			continue
		}
		spec.Name = job.GenerateName(spec, time.Now(), rand.IntN)
		if report := job.Validate(spec); !report.OK() {
			t.Errorf("%s\n%s: %s", short(r.spec), spec.Name, lines(report))
		}
	}
}

// A form's text may be what no file can hold; the rules say it at the field.
func TestValidateTextsThatAreNotUTF8(t *testing.T) {
	s := job.Default()
	s.Image, s.Args.Text, s.Env, s.DisplayName = "a", "\xff", map[string]string{"A": "\xff"}, "a\xff"
	s.Command = []string{"bash", "\xff"}
	want := "error args TextNotUTF8\nerror command[1] TextNotUTF8\nerror displayName TextNotUTF8\nerror env.A TextNotUTF8\n"
	if got := lines(job.Validate(s)); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

// A clone has no name yet: nothing stands for it in the file.
func TestEncodeLeavesOutAnEmptyName(t *testing.T) {
	s := job.Default()
	text, err := job.Encode(s)
	if err != nil || strings.Contains(string(text), "name: \"\"") || strings.Contains(string(text), "\nname:") {
		t.Errorf("%v\n%s", err, text)
	}
	s.Name = "x"
	if text, err = job.Encode(s); err != nil || !strings.Contains(string(text), "\nname: x\n") {
		t.Errorf("%v\n%s", err, text)
	}
}
