package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/site"
)

const valid = `apiVersion: muster.dev/v1
kind: TrainingJob
name: hello
workspace: research
framework: Custom
image: busybox
args: echo "$$ $(date)"
roles: [{name: main, gpus: 0}]
`

const invalid = `apiVersion: muster.dev/v1
kind: TrainingJob
name: Hello
image: busybox
roles:
  - {name: master, gpus: 8}
  - {name: worker, gpus: 4}
frobs: 1
storage:
  - {volume: nas, mountPath: /etc}
`

// paths are the paths of lines `path: message`.
func paths(out string) string {
	var all []string
	for line := range strings.Lines(out) {
		path, _, _ := strings.Cut(line, ":")
		all = append(all, path)
	}
	return strings.Join(all, " ")
}

func TestValidate(t *testing.T) {
	status, out, stderr := call(t, valid, "validate", "-f", "-")
	if status != 0 || out != "" || stderr != "" {
		t.Errorf("a valid file: exit %d, stdout %q, stderr %q", status, out, stderr)
	}
	status, out, stderr = call(t, invalid, "validate", "-f", "-")
	if status != exitWrong || stderr != "" {
		t.Errorf("an invalid file: exit %d, stderr %q", status, stderr)
	}
	if got, want := paths(out), "name roles[1].gpus frobs storage[0].mountPath"; !strings.HasPrefix(got+" ", want+" ") {
		t.Errorf("findings at %q, want %q, in the order of the file:\n%s", got, want, out)
	}
}

func TestValidateJSON(t *testing.T) {
	for _, text := range []string{valid, invalid, "{", "", "- a", "\x00"} {
		status, out, _ := call(t, text, "validate", "-f", "-", "-o", "json")
		var got map[string][]map[string]string
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatalf("%q: %v\n%s", text, err, out)
		}
		if len(got) != 2 || got["errors"] == nil || got["warnings"] == nil {
			t.Errorf("%q: not errors and warnings, both lists:\n%s", text, out)
		}
		if (len(got["errors"]) > 0) != (status == exitWrong) {
			t.Errorf("%q: exit %d with %d errors", text, status, len(got["errors"]))
		}
		for _, f := range append(got["errors"], got["warnings"]...) {
			if len(f) != 3 || f["code"] == "" || f["message"] == "" || strings.HasPrefix(f["message"], "problem.") {
				t.Errorf("%q: finding %v", text, f)
			}
		}
	}
}

func TestAFileThatIsNoYAML(t *testing.T) {
	status, out, _ := call(t, "a: [", "validate", "-f", "-")
	if status != exitWrong || !strings.HasPrefix(out, "standard input: ") || strings.Count(out, "\n") != 1 {
		t.Errorf("exit %d:\n%s", status, out)
	}
}

func TestAnotherWorkspaceIsAnError(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	for _, command := range [][]string{{"validate"}, {"render"}, {"submit", "--dry-run=client"}} {
		args := append(command, "-f", "-", "-n", "other")
		status, out, stderr := call(t, valid, args...)
		if status != exitWrong || !strings.Contains(out+stderr, "workspace: the file says research, -n says other") {
			t.Errorf("%q: exit %d\n%s%s", args, status, out, stderr)
		}
		if status, _, stderr := call(t, valid, append(command, "-f", "-", "-n", "research")...); status != 0 {
			t.Errorf("%q with the same workspace: exit %d\n%s", args, status, stderr)
		}
	}
}

// listed is a v1 List of which the kinds, names and namespaces are looked at.
type listed struct {
	APIVersion string
	Kind       string
	Items      []struct {
		Kind     string
		Metadata struct{ Name, Namespace string }
	}
}

func TestRender(t *testing.T) {
	for _, engine := range []string{"auto", "jobset", "job"} {
		status, out, stderr := call(t, valid, "render", "-f", "-", "--engine", engine, "-o", "json")
		if status != 0 {
			t.Fatalf("%s: exit %d\n%s", engine, status, stderr)
		}
		var got listed
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if got.APIVersion != "v1" || got.Kind != "List" || len(got.Items) == 0 {
			t.Errorf("%s: not a v1 List with items:\n%s", engine, out)
		}
		for _, item := range got.Items {
			if item.Metadata.Namespace != "research" {
				t.Errorf("%s: %s %s is in namespace %q", engine, item.Kind, item.Metadata.Name, item.Metadata.Namespace)
			}
		}
		if _, again, _ := call(t, valid, "render", "-f", "-", "--engine", engine, "-o", "json"); again != out {
			t.Errorf("%s: the same file renders differently", engine)
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		args []string
		want string
	}{
		"an invalid spec":               {invalid, nil, "roles[1].gpus: "},
		"an engine that cannot":         {valid, []string{"--engine", "volcano"}, "volcano"},
		"an option that is not there":   {valid + "ssh: true\n", nil, "ssh: "},
		"a framework that is not there": {strings.ReplaceAll(strings.ReplaceAll(valid, "Custom", "MPI"), "main", "master"), nil, "framework: "},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, stderr := call(t, c.text, append([]string{"render", "-f", "-"}, c.args...)...)
			if status != exitWrong || out != "" || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "problem.") {
				t.Errorf("exit %d, stdout %q, stderr %q; want exit 2 and %q", status, out, stderr, c.want)
			}
		})
	}
}

func TestSubmitClientDryRun(t *testing.T) {
	status, out, stderr := call(t, strings.Replace(valid, "name: hello\n", "", 1), "submit", "-f", "-", "--dry-run=client")
	name := strings.TrimSpace(out)
	if status != 0 || !strings.HasPrefix(name, "custom-") || strings.Contains(name, "\n") {
		t.Errorf("exit %d, name %q, stderr %q", status, out, stderr)
	}
	status, out, _ = call(t, valid, "submit", "-f", "-", "--dry-run=client", "-o", "json")
	var job struct {
		Name, Workspace, Phase, Engine string
		ExitCode                       *int
		Roles                          []struct {
			Name string
			Pods []any
		}
	}
	if err := json.Unmarshal([]byte(out), &job); err != nil || status != 0 {
		t.Fatalf("exit %d: %v\n%s", status, err, out)
	}
	if job.Name != "hello" || job.Workspace != "research" || job.Phase != "Draft" || job.Engine == "" || len(job.Roles) != 1 || job.Roles[0].Pods == nil {
		t.Errorf("got %+v from\n%s", job, out)
	}
}

func TestSecretValues(t *testing.T) {
	spec := valid + "secretEnv: [TOKEN, OTHER]\n"
	file := filepath.Join(t.TempDir(), "secrets")
	if err := os.WriteFile(file, []byte("TOKEN=hush-hush\nUNUSED=x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dry := []string{"submit", "-f", "-", "--dry-run=client"}

	status, out, stderr := call(t, spec, dry...)
	if status != exitWrong || out != "" || !strings.Contains(stderr, "secretEnv[0]: ") || !strings.Contains(stderr, "secretEnv[1]: ") {
		t.Errorf("no values: exit %d, stdout %q, stderr %q", status, out, stderr)
	}
	with := append(dry, "--secret-env-file", file)
	status, _, stderr = callAs(t, "muster", map[string]string{"OTHER": "pssst"}, spec, with...)
	if status != 0 || !strings.Contains(stderr, "UNUSED") {
		t.Errorf("file and environment: exit %d, stderr %q", status, stderr)
	}
	if strings.Contains(stderr, "hush-hush") || strings.Contains(stderr, "pssst") {
		t.Errorf("a secret is shown: %q", stderr)
	}
	if err := os.WriteFile(file, []byte("# tokens\nhush-hush\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, stderr = call(t, spec, with...)
	if status != exitWrong || !strings.Contains(stderr, "line 2") || strings.Contains(stderr, "hush-hush") {
		t.Errorf("a broken file: exit %d, stderr %q", status, stderr)
	}
}

func TestSiteFile(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(site, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("apiVersion: muster.dev/v1\nkind: Site\nimages: [{name: registry.local/a, source: dev}]\nvolumes: [{name: nas}]\n")
	status, out, stderr := call(t, valid+"storage: [{volume: other, mountPath: /w}]\n", "validate", "-f", "-", "--site", site)
	if status != exitWrong || !strings.Contains(out, "storage[0].volume: ") {
		t.Errorf("a volume that the site does not have: exit %d\n%s%s", status, out, stderr)
	}
	status, out, stderr = call(t, "", "images", "--site", site, "-o", "name")
	if status != 0 || out != "registry.local/a\n" {
		t.Errorf("images: exit %d, %q, %q", status, out, stderr)
	}
	write("apiVersion: muster.dev/v1\nkind: Site\nimagez: []\n")
	for _, args := range [][]string{{"validate", "-f", "-"}, {"list"}, {"images"}} {
		status, _, stderr = call(t, valid, append(args, "--site", site)...)
		if status != exitWrong || !strings.Contains(stderr, "imagez: ") {
			t.Errorf("%q with a broken site file: exit %d, %q", args, status, stderr)
		}
	}
}

// What render prints is, byte for byte, what a submission of the same spec with the same site creates: the record of the
// spec, by which a job that is submitted again is known, too.
func TestRenderIsWhatSubmitCreates(t *testing.T) {
	dir := t.TempDir()
	siteFile := filepath.Join(dir, "site.yaml")
	siteText := "apiVersion: muster.dev/v1\nkind: Site\nclusters:\n  - name: h100\n    cardTypes: [{name: H100, perNode: 8, cpuPerCard: '12', memoryPerCard: 100Gi, nodeCPU: '96', nodeMemory: 1000Gi}]\n"
	if err := os.WriteFile(siteFile, []byte(siteText), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cards":      strings.Replace(valid, "gpus: 0", "gpus: 8", 1),
		"whole node": strings.Replace(valid, "gpus: 0", "wholeNode: true", 1),
	} {
		for _, engine := range []string{"jobset", "job"} {
			status, out, stderr := call(t, text, "render", "-f", "-", "--site", siteFile, "--engine", engine)
			if status != 0 {
				t.Fatalf("%s: exit %d\n%s", name, status, stderr)
			}
			spec, report := job.Load([]byte(text))
			if !report.OK() {
				t.Fatal(report.Errors)
			}
			// What backend/kube's Submit makes of the typed spec and the site, before it asks the cluster anything.
			place, report := site.Decode([]byte(siteText))
			if !report.OK() {
				t.Fatal(report.Errors)
			}
			made, problems := render.Render(engine, render.Input{Spec: spec, Site: place})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			manifest, err := render.ListYAML(made)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(manifest), out); d != "" {
				t.Errorf("%s, %s: submitted (-), rendered (+):\n%s", name, engine, d)
			}
			typed, err := job.Encode(spec)
			if err != nil {
				t.Fatal(err)
			}
			var printed struct {
				Items []struct {
					Metadata struct{ Annotations map[string]string }
				}
			}
			if err := yaml.Unmarshal([]byte(out), &printed); err != nil {
				t.Fatal(err)
			}
			records := 0
			for _, item := range printed.Items {
				if record, ok := item.Metadata.Annotations[render.AnnotationSpec]; ok {
					records++
					if d := cmp.Diff(string(typed), record); d != "" {
						t.Errorf("%s: the record is not the spec as typed:\n%s", name, d)
					}
				}
			}
			if records != 1 {
				t.Errorf("%s: %d records", name, records)
			}
		}
	}
}
