package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	jobsetclient "sigs.k8s.io/jobset/client-go/clientset/versioned"

	"muster.dev/muster/cmd/localcluster/control"
	"muster.dev/muster/cmd/localcluster/instance"
	"muster.dev/muster/cmd/localcluster/node"
)

// asProgram is the variable that makes the test binary be localcluster: the tests run the commands as a user would, and
// what these start again is this binary too.
const asProgram = "LOCALCLUSTER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if node.ReexecMain() {
		return
	}
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// cluster is a cluster under test.
type cluster struct {
	t    *testing.T
	data string
}

// newCluster brings up a cluster that the test's end takes down.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	// Below home, because pods have a /tmp of their own: there nothing would have to be hidden from them.
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	base, err := os.MkdirTemp(home, ".localcluster-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	c := &cluster{t, filepath.Join(base, "data")}
	t.Cleanup(func() {
		if t.Failed() {
			c.showLogs()
		}
		if _, stderr, err := c.run("down", "--purge"); err != nil {
			t.Errorf("down: %v\n%s", err, stderr)
		}
		if left := processesWith(c.data); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	c.up()
	return c
}

// run runs a command of localcluster on this cluster.
func (c *cluster) run(args ...string) (stdout, stderr string, err error) {
	cmd := exec.Command(os.Args[0], append(args, "--data", c.data)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	err = cmd.Run()
	return out.String(), msg.String(), err
}

func (c *cluster) must(args ...string) (stdout, stderr string) {
	c.t.Helper()
	stdout, stderr, err := c.run(args...)
	if err != nil {
		c.t.Fatalf("localcluster %s: %v\n%s%s", strings.Join(args, " "), err, stdout, stderr)
	}
	return stdout, stderr
}

func (c *cluster) up() (stdout, stderr string) {
	c.t.Helper()
	begin := time.Now()
	stdout, stderr = c.must("up")
	c.t.Logf("up took %.1f s:\n%s", time.Since(begin).Seconds(), stderr)
	return stdout, stderr
}

func (c *cluster) status() control.Status {
	c.t.Helper()
	out, _ := c.must("status", "-o", "json")
	var s control.Status
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		c.t.Fatalf("status: %v\n%s", err, out)
	}
	return s
}

func (c *cluster) component(name string) int {
	c.t.Helper()
	for _, p := range c.status().Components {
		if p.Name == name {
			return p.PID
		}
	}
	c.t.Fatalf("no component %s", name)
	return 0
}

func (c *cluster) rest(user string) *rest.Config {
	c.t.Helper()
	path, _ := c.must("kubeconfig", user)
	cfg, err := clientcmd.BuildConfigFromFlags("", strings.TrimSpace(path))
	if err != nil {
		c.t.Fatal(err)
	}
	return cfg
}

func (c *cluster) kube(user string) kubernetes.Interface {
	c.t.Helper()
	client, err := kubernetes.NewForConfig(c.rest(user))
	if err != nil {
		c.t.Fatal(err)
	}
	return client
}

func (c *cluster) jobSets(user string) jobsetclient.Interface {
	c.t.Helper()
	client, err := jobsetclient.NewForConfig(c.rest(user))
	if err != nil {
		c.t.Fatal(err)
	}
	return client
}

func (c *cluster) showLogs() {
	dir, err := instance.Find(c.data)
	if err != nil {
		return
	}
	for _, name := range []string{"daemon", "controllers", "apiserver"} {
		text, err := os.ReadFile(dir.Log(name))
		if err != nil {
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		c.t.Logf("the end of %s.log:\n%s", name, strings.Join(lines[max(0, len(lines)-25):], "\n"))
	}
}

// eventually waits for a condition; what it returns says why it does not hold yet.
func eventually(t *testing.T, what string, patience time.Duration, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not after %s: %s: %v", patience, what, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// processesWith lists the processes that have a text in their command line, this one and zombies aside.
func processesWith(text string) []string {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var found []string
	for _, dir := range dirs {
		line, err := os.ReadFile(filepath.Join(dir, "cmdline")) // fails for a process that has just ended
		if err != nil || len(line) == 0 || filepath.Base(dir) == strconv.Itoa(os.Getpid()) {
			continue
		}
		if words := strings.ReplaceAll(string(line), "\x00", " "); strings.Contains(words, text) {
			found = append(found, filepath.Base(dir)+": "+strings.TrimSpace(words))
		}
	}
	return found
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if pid <= 0 {
		t.Fatalf("no process to kill: %d", pid)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

func wantForbidden(t *testing.T, what string, err error) {
	t.Helper()
	if !apierrors.IsForbidden(err) {
		t.Errorf("%s: %v; want it to be forbidden", what, err)
	}
}

// simpleJobSet is a job of one role.
func simpleJobSet(name, queue string, pods, gpus int32, script string) *jobset.JobSet {
	text := fmt.Sprintf(`{"metadata": {"name": %q}, "spec": {"replicatedJobs": [{"name": "worker", "replicas": 1, "template": {"spec": {
		"parallelism": %d, "completions": %d, "backoffLimit": 0, "template": {"spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 2,
		"containers": [{"name": "main", "image": "registry.local/ai/pytorch:25.06-py3", "command": ["/bin/sh", "-c", %q],
			"resources": {"limits": {"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": "%d", "rdma/hca": "%d"}}}]}}}}}]}}`, name, pods, pods, script, gpus, gpus)
	js := &jobset.JobSet{}
	if err := json.Unmarshal([]byte(text), js); err != nil {
		panic(err) // the text above is broken
	}
	if queue != "" {
		js.Labels = map[string]string{"kueue.x-k8s.io/queue-name": queue}
		suspend := true
		js.Spec.Suspend = &suspend
	}
	return js
}

func (c *cluster) createJobSet(user, namespace string, js *jobset.JobSet) {
	c.t.Helper()
	if _, err := c.jobSets(user).JobsetV1alpha2().JobSets(namespace).Create(c.t.Context(), js, metav1.CreateOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) waitJobSet(user, namespace, name string, condition jobset.JobSetConditionType) {
	c.t.Helper()
	eventually(c.t, "JobSet "+name+" is "+string(condition), 2*time.Minute, func(ctx context.Context) error {
		js, err := c.jobSets(user).JobsetV1alpha2().JobSets(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, cond := range js.Status.Conditions {
			if cond.Type == string(condition) && cond.Status == metav1.ConditionTrue {
				return nil
			}
		}
		return fmt.Errorf("conditions %+v, roles %+v", js.Status.Conditions, js.Status.ReplicatedJobsStatus)
	})
}
