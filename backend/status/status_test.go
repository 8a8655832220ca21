package status_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	jobsetapi "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/status"
)

var update = flag.Bool("update", false, "write the golden files")

// fixture is one file of testdata: a root object and all that a namespace holds beside it.
type fixture struct {
	jobSet   *jobsetapi.JobSet
	service  *corev1.Service
	jobs     []*batchv1.Job
	pods     []*corev1.Pod
	workload *kueue.Workload
}

func read(t testing.TB, file string) fixture {
	t.Helper()
	scheme := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(scheme))
	utilruntime.Must(batchv1.AddToScheme(scheme))
	utilruntime.Must(jobsetapi.AddToScheme(scheme))
	utilruntime.Must(kueue.AddToScheme(scheme))
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var f fixture
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return f
		}
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			t.Fatalf("%s: %v\n%s", file, err, document)
		}
		switch o := object.(type) {
		case *jobsetapi.JobSet:
			f.jobSet = o
		case *corev1.Service:
			f.service = o
		case *batchv1.Job:
			f.jobs = append(f.jobs, o)
		case *corev1.Pod:
			f.pods = append(f.pods, o)
		case *kueue.Workload:
			f.workload = o
		}
	}
}

func (f fixture) status() job.Status {
	switch {
	case f.jobSet != nil:
		return status.FromJobSet(f.jobSet, f.jobs, f.pods, f.workload)
	case f.service != nil:
		return status.FromJobs(f.service, f.jobs, f.pods, f.workload)
	}
	return status.ForeignJob(f.jobs[0], f.pods, f.workload)
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			f := read(t, file)
			got := f.status()
			text, err := json.MarshalIndent(got, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, '\n')
			golden := strings.TrimSuffix(file, ".yaml") + ".json"
			if *update {
				if err := os.WriteFile(golden, text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(text)); d != "" {
				t.Error(d)
			}
			if got.Reason != "" && !slices.Contains(status.Reasons(), got.Reason) {
				t.Errorf("reason %q is not among Reasons()", got.Reason)
			}
			// The order in which a cache gives objects means nothing.
			slices.Reverse(f.jobs)
			slices.Reverse(f.pods)
			if f.jobSet != nil || f.service != nil {
				if d := cmp.Diff(got, f.status()); d != "" {
					t.Errorf("objects in another order give another status:\n%s", d)
				}
			}
		})
	}
}

// TestPhases says in one place what each fixture is about.
func TestPhases(t *testing.T) {
	for name, want := range map[string]struct {
		phase    job.Phase
		reason   string
		exit     int // -1: none
		pod      string
		restarts int
	}{
		"jobset-queued-quota":            {job.Queued, status.QuotaExceeded, -1, "", 0},
		"jobset-queued-granular":         {job.Queued, status.QuotaExceeded, -1, "", 0},
		"jobset-queued-never":            {job.Queued, status.QuotaTooSmall, -1, "", 0},
		"jobset-queued-no-queue":         {job.Queued, status.QueueMissing, -1, "", 0},
		"jobset-queued-check":            {job.Queued, status.AdmissionCheck, -1, "", 0},
		"jobset-queued-fresh":            {job.Queued, status.NoWorkload, -1, "", 0},
		"jobset-queue-refused":           {job.Failed, status.QueueRefused, -1, "", 0},
		"jobset-admitted":                {job.Starting, "", -1, "", 0},
		"jobset-starting-unschedulable":  {job.Starting, status.Unschedulable, -1, "", 0},
		"jobset-starting-image":          {job.Starting, status.ImagePull, -1, "", 0},
		"jobset-starting-config":         {job.Starting, status.ContainerConfig, -1, "", 0},
		"jobset-starting-no-pods":        {job.Starting, status.PodsMissing, -1, "", 0},
		"jobset-running":                 {job.Running, "", -1, "", 0},
		"jobset-running-pods-unreadable": {job.Running, "", -1, "", 0},
		"jobset-running-node-lost":       {job.Running, status.NodeLost, -1, "", 0},
		"jobset-succeeded":               {job.Succeeded, "", 0, "", 0},
		"jobset-failed-exit":             {job.Failed, status.ExitCode, 3, "bert-worker-1-0-abcde", 0},
		"jobset-failed-together":         {job.Failed, status.ExitCode, 1, "bert-worker-0-0-abcde", 0},
		"jobset-failed-pod-gone":         {job.Failed, status.ExitCode, 3, "bert-worker-0-0-abcde", 0},
		"jobset-failed-oom":              {job.Failed, status.OOMKilled, 137, "bert-master-0-0-abcde", 0},
		"jobset-failed-start":            {job.Failed, status.StartError, 127, "bert-master-0-0-abcde", 0},
		"jobset-failed-refused":          {job.Failed, status.AdmissionRefused, -1, "bert-master-0-0-abcde", 0},
		"jobset-timed-out":               {job.TimedOut, status.DeadlineExceeded, -1, "", 0},
		"jobset-deadline-ending":         {job.Stopping, status.DeadlineExceeded, -1, "", 0},
		"jobs-deadline-ending":           {job.Stopping, status.DeadlineExceeded, -1, "", 0},
		"jobset-timed-out-queue":         {job.TimedOut, status.DeadlineExceeded, -1, "", 0},
		"jobset-timed-out-queue-older":   {job.TimedOut, status.DeadlineExceeded, -1, "", 0},
		"jobset-stopping":                {job.Stopping, status.StoppedByUser, -1, "", 0},
		"jobset-stopped-queue":           {job.Stopped, status.StoppedByUser, -1, "", 0},
		"jobset-stopped":                 {job.Stopped, status.StoppedByUser, -1, "", 0},
		"jobset-evicted-ending":          {job.Stopping, status.QueuePreempted, -1, "", 0},
		"jobset-evicted-queued":          {job.Queued, status.QueuePreempted, -1, "", 0},
		"jobset-restarting":              {job.Restarting, status.Disrupted, -1, "", 1},
		"jobset-restarting-waits":        {job.Restarting, status.Unschedulable, -1, "", 1},
		"jobset-restarted":               {job.Running, "", -1, "", 2},
		"jobset-restarts-used-up":        {job.Failed, status.MaxRestartsReached, 137, "bert-worker-1-0-abcde", 3},
		"jobset-older-pods":              {job.Starting, status.ContainerWaiting, -1, "", 0},
		"jobset-foreign":                 {job.Running, "", -1, "", 0},
		"jobset-deleting":                {job.Stopping, status.Deleting, -1, "", 0},
		"jobs-running":                   {job.Running, "", -1, "", 0},
		"jobs-half-made":                 {job.Starting, status.PodsMissing, -1, "", 0},
		"jobs-failed":                    {job.Failed, status.ExitCode, 3, "bert-worker-1-abcde", 0},
		"jobs-succeeded":                 {job.Succeeded, "", 0, "", 0},
		"jobs-timed-out":                 {job.TimedOut, status.DeadlineExceeded, -1, "", 0},
		"jobs-stopped":                   {job.Stopped, status.StoppedByUser, -1, "", 0},
		"jobs-restarting":                {job.Restarting, status.Disrupted, -1, "", 1},
		"jobs-restarts-used-up":          {job.Failed, status.MaxRestartsReached, 143, "bert-master-0-fghij", 1},
		"jobs-queued":                    {job.Queued, status.WaitingTurn, -1, "", 0},
		"jobs-no-roles-annotation":       {job.Running, "", -1, "", 0},
		"jobs-older":                     {job.Running, "", -1, "", 0},
		"job-foreign":                    {job.Running, status.CrashLoop, -1, "", 3},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, filepath.Join("testdata", name+".yaml")).status()
			exit := -1
			if got.ExitCode != nil {
				exit = *got.ExitCode
			}
			if got.Phase != want.phase || got.Reason != want.reason || exit != want.exit || got.FailedPod != want.pod || got.Restarts != want.restarts {
				t.Errorf("phase %s reason %s exit %d pod %q restarts %d, want %+v", got.Phase, got.Reason, exit, got.FailedPod, got.Restarts, want)
			}
		})
	}
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 51 {
		t.Errorf("%d fixtures; say here what each is about", len(files))
	}
}
