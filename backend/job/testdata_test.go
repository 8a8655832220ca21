package job_test

import (
	"flag"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"muster.dev/muster/backend/job"
)

var update = flag.Bool("update", false, "write what was found into the .want files")

// lines writes a report as "error path code name=value …", sorted.
func lines(r job.Report) string {
	var out []string
	for kind, problems := range map[string][]job.Problem{"error": r.Errors, "warning": r.Warnings} {
		for _, p := range problems {
			line := []string{kind, p.Path, p.Code}
			if p.Path == "" {
				line[1] = `""`
			}
			var args []string
			for k, v := range p.Args {
				args = append(args, k+"="+v)
			}
			sort.Strings(args)
			out = append(out, strings.Join(append(line, args...), " "))
		}
	}
	sort.Strings(out)
	return strings.Join(out, "\n") + "\n"
}

func specFiles(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/" + folder + "/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata/%s: %v", folder, err)
	}
	return files
}

// Every valid file has no problem but the warnings beside it, and comes back the same when it is written and read.
func TestValidFiles(t *testing.T) {
	for _, file := range specFiles(t, "valid") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			spec, report := job.Load(data)
			checkArgs(t, report)
			if len(report.Errors) > 0 {
				t.Errorf("errors in a valid file:\n%s", lines(report))
			}
			got := ""
			if len(report.Warnings) > 0 {
				got = lines(job.Report{Warnings: report.Warnings})
			}
			if *update && got != "" {
				if err := os.WriteFile(file+".want", []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file + ".want") // none: no warnings
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("warnings:\n%swant:\n%s", got, want)
			}
			written, err := job.Encode(spec)
			if err != nil {
				t.Fatal(err)
			}
			again, report := job.Decode(written)
			if !report.OK() {
				t.Fatalf("what was written is refused:\n%s%s", lines(report), written)
			}
			if diff := cmp.Diff(spec, again); diff != "" {
				t.Errorf("written and read again (-before +after):\n%s\n%s", diff, written)
			}
		})
	}
}

// Every invalid file has exactly the problems beside it.
func TestInvalidFiles(t *testing.T) {
	for _, file := range specFiles(t, "invalid") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, report := job.Load(data)
			if report.OK() {
				t.Error("no error in an invalid file")
			}
			checkArgs(t, report)
			got := lines(report)
			if *update {
				if err := os.WriteFile(file+".want", []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file + ".want")
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("problems:\n%swant:\n%s", got, want)
			}
		})
	}
}
