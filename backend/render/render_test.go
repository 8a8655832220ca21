package render_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	jobsetapi "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/yaml"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/site"
)

var update = flag.Bool("update", false, "write the golden files")

func readSite(t testing.TB) site.Site {
	t.Helper()
	text, err := os.ReadFile("testdata/site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var s site.Site
	if err := yaml.UnmarshalStrict(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func readSpec(t testing.TB, name string) job.Spec {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".spec.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	spec, report := job.Decode(text)
	if !report.OK() {
		t.Fatalf("%s: %v", name, report.Errors)
	}
	return spec
}

func TestGolden(t *testing.T) {
	for _, c := range []struct{ spec, engine string }{
		{"pytorch-queue", render.JobSet},
		{"pytorch-standalone", render.JobSet},
		{"pytorch-standalone", render.BatchJob},
		{"custom", render.JobSet},
		{"custom", render.BatchJob},
		{"pytorch-restarts", render.JobSet},
		{"pytorch-restarts", render.BatchJob},
	} {
		t.Run(c.spec+"/"+c.engine, func(t *testing.T) {
			in := render.Input{Spec: readSpec(t, c.spec), Site: readSite(t), User: "alice", Secret: map[string]string{"WANDB_API_KEY": "never-shown"}}
			out, problems := render.Render(c.engine, in)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if out.Engine != c.engine {
				t.Errorf("engine %q", out.Engine)
			}
			got, err := render.ListYAML(out)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(got), "never-shown") || strings.Contains(string(got), "bmV2ZXItc2hvd24") {
				t.Error("a secret value is printed")
			}
			golden := filepath.Join("testdata", c.spec+"."+c.engine+".yaml")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Errorf("%s (run with -update after reading):\n%s", golden, d)
			}
			for range 20 {
				again, _ := render.Render(c.engine, in)
				text, err := render.ListYAML(again)
				if err != nil || string(text) != string(got) {
					t.Fatal("the same input gave other bytes")
				}
			}
		})
	}
}

// What is created has the values that what is printed has not.
func TestSecretValues(t *testing.T) {
	in := render.Input{Spec: readSpec(t, "pytorch-queue"), Site: readSite(t), Secret: map[string]string{"WANDB_API_KEY": "key"}}
	out, problems := render.Render("", in)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	secret := out.Dependents[0].(*corev1.Secret)
	if got := string(secret.Data["WANDB_API_KEY"]); got != "key" {
		t.Errorf("value %q", got)
	}
	render.Redact(out)
	if got := string(secret.Data["WANDB_API_KEY"]); got != "key" {
		t.Error("Redact changed what it was given")
	}
	if spec := out.Root.(*jobsetapi.JobSet).Annotations[render.AnnotationSpec]; strings.Contains(spec, "value: key") {
		t.Error("the recorded spec has the value")
	}
	in.Secret = map[string]string{}
	if _, problems := render.Render("", in); len(problems) != 1 || problems[0].Path != "secretEnv[0]" || problems[0].Code != "SecretValueMissing" {
		t.Errorf("a value that was not given: %v", problems)
	}
}

func TestProblems(t *testing.T) {
	type problem struct{ Path, Code string }
	for name, c := range map[string]struct {
		engine string
		change func(*job.Spec)
		want   []problem
	}{
		"MPI":          {"", func(s *job.Spec) { s.Framework = job.MPI }, []problem{{"framework", "NotYet"}}},
		"TensorFlow":   {"", func(s *job.Spec) { s.Framework = job.TensorFlow }, []problem{{"framework", "NotYet"}}},
		"SenseParrots": {"job", func(s *job.Spec) { s.Framework = job.SenseParrots }, []problem{{"framework", "NotYet"}}},
		"all later things at once": {"auto", func(s *job.Spec) {
			s.Resource = job.Spot
			s.FaultTolerance = job.FaultTolerance{MaxRestarts: 1, Rules: []job.Rule{{ExitCodes: "3", Action: job.RestartPod}}}
			s.Submission.Total = 5
			s.SSH = true
			s.TensorBoard.LogDir = "/workspace/logs"
		}, []problem{
			{"resource", "NotYet"}, {"faultTolerance.rules", "NotYet"}, {"submission.total", "NotYet"},
			{"ssh", "NotYet"}, {"tensorBoard.logDir", "NotYet"},
		}},
		"volcano":        {"volcano", func(*job.Spec) {}, []problem{{"", "NotYet"}}},
		"unknown engine": {"slurm", func(*job.Spec) {}, []problem{{"", "UnknownEngine"}}},
		"queue of several pods without JobSet": {"job", func(*job.Spec) {}, []problem{
			{"submission.mode", "EngineCannot"}, {"faultTolerance.maxRestarts", "EngineCannot"},
		}},
		"long names":        {"jobset", func(s *job.Spec) { s.Name = strings.Repeat("a", 48) }, []problem{{"name", "NameTooLong"}}},
		"long timeout":      {"jobset", func(s *job.Spec) { s.TimeoutMinutes = 40_000_000 }, []problem{{"timeoutMinutes", "TooLarge"}}},
		"fraction of a CPU": {"jobset", func(s *job.Spec) { s.Roles[0].CPU = "500m" }, []problem{{"roles[0].cpu", "CPUNotWhole"}}},
		"no CPU at all":     {"jobset", func(s *job.Spec) { s.Roles[0].CPU = "" }, []problem{{"roles[0].cpu", "CPUMissing"}}},
		"bad quantities":    {"jobset", func(s *job.Spec) { s.Roles[1].Memory = "many"; s.SharedMemory = "-1" }, []problem{{"sharedMemory", "BadMemory"}, {"roles[1].memory", "BadMemory"}}},
		"unknown node size": {"jobset", func(s *job.Spec) {
			s.CPUExclusive = false
			s.Roles[0] = job.Role{Name: "worker", Replicas: 1, WholeNode: true}
		}, []problem{{"roles[0].wholeNode", "WholeNodeUnknown"}}},
		"a spec of megabytes": {"jobset", func(s *job.Spec) { s.Args.SetText(strings.Repeat("x", 300_000)) }, []problem{{"", "SpecTooLarge"}}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := readSpec(t, "pytorch-queue")
			c.change(&spec)
			out, problems := render.Render(c.engine, render.Input{Spec: spec, Site: readSite(t)})
			var got []problem
			for _, p := range problems {
				got = append(got, problem{p.Path, p.Code})
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if out.Root != nil || len(out.Dependents) > 0 {
				t.Error("there is output in spite of the problems")
			}
		})
	}
}

// JobSet skips a pattern that does not compile, without a word.
func TestPatternsCompile(t *testing.T) {
	spec := readSpec(t, "pytorch-queue")
	out, problems := render.Render(render.JobSet, render.Input{Spec: spec, Site: readSite(t)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	rules := out.Root.(*jobsetapi.JobSet).Spec.FailurePolicy.Rules
	patterns := 0
	for _, r := range rules {
		for _, p := range r.OnJobFailureMessagePatterns {
			patterns++
			re, err := regexp.Compile(p)
			if err != nil {
				t.Error(err)
				continue
			}
			if !re.MatchString("Pod research/bert-worker-1-0-xk2vf has condition DisruptionTarget matching FailJob rule at index 0") {
				t.Errorf("%q does not match what batch/v1 writes", p)
			}
			if re.MatchString("Container main for pod research/x-0-abcde failed with exit code 3 matching FailJob rule at index 0") {
				t.Errorf("%q matches an exit code", p)
			}
		}
	}
	if patterns == 0 {
		t.Error("no pattern to check")
	}
	if last := rules[len(rules)-1]; last.Action != jobsetapi.FailJobSet || len(last.OnJobFailureReasons)+len(last.OnJobFailureMessagePatterns) > 0 {
		t.Errorf("JobSet restarts what no rule matches, so the last one must catch all: %+v", last)
	}
}

func BenchmarkRender128(b *testing.B) {
	spec := readSpec(b, "pytorch-queue")
	spec.Submission = job.Submission{Mode: job.Standalone}
	spec.FaultTolerance.MaxRestarts = 0
	spec.Roles[0].Replicas = 127
	s := readSite(b)
	for _, engine := range render.Engines() {
		b.Run(engine, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, problems := render.Render(engine, render.Input{Spec: spec, Site: s}); len(problems) > 0 {
					b.Fatal(problems)
				}
			}
		})
	}
}
