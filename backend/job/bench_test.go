package job_test

import (
	"os"
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
)

func designFile(b *testing.B) []byte {
	b.Helper()
	data, err := os.ReadFile("testdata/valid/design.yaml")
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func BenchmarkLoad(b *testing.B) {
	data := designFile(b)
	for b.Loop() {
		job.Load(data)
	}
}

// BenchmarkValidate is what every key in the form costs.
func BenchmarkValidate(b *testing.B) {
	spec, _ := job.Load(designFile(b))
	for b.Loop() {
		job.Validate(spec)
	}
}

// BenchmarkValidatePasted is the same with 100 kB pasted into args.
func BenchmarkValidatePasted(b *testing.B) {
	spec, _ := job.Load(designFile(b))
	spec.Args.SetText(strings.Repeat("echo 训练 $RANK\n", 100_000/18))
	for b.Loop() {
		job.Validate(spec)
	}
}
