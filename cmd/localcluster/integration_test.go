package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	visibility "sigs.k8s.io/kueue/apis/visibility/v1beta2"
	kueueclient "sigs.k8s.io/kueue/client-go/clientset/versioned"

	"muster.dev/muster/cmd/localcluster/daemon"
	"muster.dev/muster/cmd/localcluster/instance"
	"muster.dev/muster/cmd/localcluster/seed"
)

// TestCluster walks through a cluster's life. Its parts build on one another, because a start takes seconds.
func TestCluster(t *testing.T) {
	c := newCluster(t)
	parts := []struct {
		name string
		run  func(*testing.T, *cluster)
	}{
		{"nodes are ready", testNodes},
		{"the server says which release it is", testVersion},
		{"a second up changes nothing", testSecondUp},
		{"two at once, and a port", testPorts},
		{"users have their rights and no more", testRights},
		{"volumes are bound", testVolumes},
		{"a JobSet completes", testJobSet},
		{"a user's pod does not read the cluster's keys", testHidden},
		{"a deleted job takes its pods along", testGarbage},
		{"a queue admits what fits and shows the position of the rest", testQueue},
		{"pods outlive the API server", testAPIServer},
		{"a killed daemon starts again on its data", testKilledDaemon},
		{"another cluster runs beside it", testSideBySide},
		{"down leaves no process", testDown},
		{"a port that is taken is said", testPortTaken},
		{"purge leaves nothing", testPurge},
	}
	for _, p := range parts {
		if !t.Run(p.name, func(t *testing.T) { p.run(t, &cluster{t, c.data}) }) {
			t.FailNow()
		}
	}
}

func testNodes(t *testing.T, c *cluster) {
	nodes, err := c.kube("bob").CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes.Items) != len(seed.Nodes()) {
		t.Errorf("%d nodes, want %d", len(nodes.Items), len(seed.Nodes()))
	}
	gpus := map[string]int64{}
	for _, n := range nodes.Items {
		ready := slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
		})
		if !ready || len(n.Spec.Taints) > 0 || len(n.Status.Images) == 0 {
			t.Errorf("%s: ready %v, taints %v, %d images", n.Name, ready, n.Spec.Taints, len(n.Status.Images))
		}
		cards := n.Status.Allocatable["nvidia.com/gpu"]
		gpus[n.Labels["muster.dev/training-cluster"]] += cards.Value()
	}
	if gpus["h100-ib"] != 32 || gpus["a100-roce"] != 24 || gpus[""] != 0 {
		t.Errorf("cards of the training clusters: %v", gpus)
	}
}

func testVersion(t *testing.T, c *cluster) {
	v, err := c.kube("carol").Discovery().ServerVersion()
	if err != nil || !strings.HasPrefix(v.GitVersion, "v1.") || v.Major != "1" || v.Minor == "" {
		t.Errorf("%+v, %v", v, err)
	}
}

func testSecondUp(t *testing.T, c *cluster) {
	before := c.status()
	_, stderr := c.up()
	if !strings.Contains(stderr, "runs already") {
		t.Errorf("a second up says %q", stderr)
	}
	if after := c.status(); after.PID != before.PID || after.Server != before.Server || !after.Since.Equal(before.Since) {
		t.Errorf("was %+v, is %+v", before, after)
	}
}

func testPorts(t *testing.T, c *cluster) {
	if _, _, err := c.run("up", "--port", "1"); err == nil {
		t.Error("a running cluster took another port")
	}
	if _, _, err := c.run("kubeconfig", "mallory"); err == nil {
		t.Error("a kubeconfig for nobody")
	}
	for _, path := range []string{"kubeconfig/alice.yaml", "pki/ca.key", "control.sock"} {
		info, err := os.Stat(filepath.Join(c.data, path))
		if err != nil {
			t.Fatal(err)
		}
		if path != "control.sock" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
	if info, err := os.Stat(c.data); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the data directory: %v, %v", info.Mode(), err)
	}
}

func testRights(t *testing.T, c *cluster) {
	ctx := t.Context()
	alice, bob, carol := c.kube("alice"), c.kube("bob"), c.kube("carol")
	list := metav1.ListOptions{}
	_, err := alice.CoreV1().Nodes().List(ctx, list)
	wantForbidden(t, "alice lists nodes", err)
	_, err = alice.CoreV1().Pods("").List(ctx, list)
	wantForbidden(t, "alice lists all pods", err)
	_, err = alice.CoreV1().Pods("vision").List(ctx, list)
	wantForbidden(t, "alice lists the pods of vision", err)
	_, err = alice.CoreV1().Secrets("research").List(ctx, list)
	wantForbidden(t, "alice lists secrets", err)
	if _, err := alice.CoreV1().Pods("research").List(ctx, list); err != nil {
		t.Errorf("alice lists her pods: %v", err)
	}
	if _, err := bob.CoreV1().Pods("").List(ctx, list); err != nil {
		t.Errorf("bob lists all pods: %v", err)
	}
	_, err = bob.CoreV1().Secrets("vision").List(ctx, list)
	wantForbidden(t, "bob lists secrets", err)
	_, err = carol.CoreV1().Pods("research").List(ctx, list)
	wantForbidden(t, "carol lists pods", err)
	site, err := carol.CoreV1().ConfigMaps("muster-system").Get(ctx, "muster-site", metav1.GetOptions{})
	if err != nil || !strings.Contains(site.Data["site.yaml"], "h100-ib") {
		t.Errorf("carol reads the site file: %v", err)
	}
	if _, err := c.kube("admin").CoreV1().Secrets("").List(ctx, list); err != nil {
		t.Errorf("admin lists secrets: %v", err)
	}

	// The kubelets trust the API server alone: no user's certificate opens their port.
	nodes, err := bob.CoreV1().Nodes().List(ctx, list)
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(c.rest("alice"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Get(fmt.Sprintf("https://127.0.0.1:%d/pods", nodes.Items[0].Status.DaemonEndpoints.KubeletEndpoint.Port))
	if err == nil {
		resp.Body.Close()
		if resp.StatusCode < 400 {
			t.Errorf("alice reads the kubelet's pods: %s", resp.Status)
		}
	}
}

func testVolumes(t *testing.T, c *cluster) {
	for _, ns := range seed.Workspaces() {
		claims, err := c.kube("admin").CoreV1().PersistentVolumeClaims(ns).List(t.Context(), metav1.ListOptions{})
		if err != nil || len(claims.Items) != 2 {
			t.Fatalf("%s: %d claims, %v", ns, len(claims.Items), err)
		}
		for _, claim := range claims.Items {
			if claim.Status.Phase != corev1.ClaimBound {
				t.Errorf("%s/%s is %s", ns, claim.Name, claim.Status.Phase)
			}
		}
	}
}

func testJobSet(t *testing.T, c *cluster) {
	c.createJobSet("alice", "research", simpleJobSet("hello", "", 1, 8, "echo hello from $HOSTNAME; exit 0"))
	c.waitJobSet("alice", "research", "hello", jobset.JobSetCompleted)
	pods, err := c.kube("alice").CoreV1().Pods("research").List(t.Context(), metav1.ListOptions{LabelSelector: "jobset.sigs.k8s.io/jobset-name=hello"})
	if err != nil || len(pods.Items) != 1 {
		t.Fatalf("%d pods, %v", len(pods.Items), err)
	}
	if log := c.log("alice", &pods.Items[0]); !strings.Contains(log, "hello from ") {
		t.Errorf("the log says %q", log)
	}
}

func (c *cluster) log(user string, pod *corev1.Pod) string {
	c.t.Helper()
	stream, err := c.kube(user).CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{}).Stream(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	defer stream.Close()
	text, err := io.ReadAll(stream)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

func testGarbage(t *testing.T, c *cluster) {
	background := metav1.DeletePropagationBackground
	if err := c.jobSets("alice").JobsetV1alpha2().JobSets("research").Delete(t.Context(), "hello", metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pods of a deleted JobSet are gone", 2*time.Minute, func(ctx context.Context) error {
		pods, err := c.kube("alice").CoreV1().Pods("research").List(ctx, metav1.ListOptions{})
		if err == nil && len(pods.Items) > 0 {
			err = fmt.Errorf("%d pods", len(pods.Items))
		}
		return err
	})
}

func testQueue(t *testing.T, c *cluster) {
	const sleeper = "exec sleep 100000"
	c.createJobSet("alice", "research", simpleJobSet("first", "research", 2, 8, sleeper))
	c.waitPods("alice", "research", "first", corev1.PodRunning, 2)
	c.createJobSet("alice", "research", simpleJobSet("second", "research", 1, 8, sleeper))
	time.Sleep(1100 * time.Millisecond) // Kueue orders by creation, which is recorded in seconds
	c.createJobSet("alice", "research", simpleJobSet("third", "research", 1, 8, sleeper))
	kueue, err := kueueclient.NewForConfig(c.rest("alice"))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the positions of the second and the third job", 2*time.Minute, func(ctx context.Context) error {
		summary, err := kueue.VisibilityV1beta2().LocalQueues("research").GetPendingWorkloadsSummary(ctx, "research", metav1.GetOptions{})
		if err != nil {
			return err
		}
		return wantPositions(summary, "second", "third")
	})
	if _, err := kueue.VisibilityV1beta2().LocalQueues("vision").GetPendingWorkloadsSummary(t.Context(), "vision", metav1.GetOptions{}); err == nil {
		t.Error("alice reads the queue of vision")
	}
	if err := c.jobSets("alice").JobsetV1alpha2().JobSets("research").Delete(t.Context(), "first", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.waitPods("alice", "research", "second", corev1.PodRunning, 1)
	c.waitPods("alice", "research", "third", corev1.PodRunning, 1)
	for _, name := range []string{"second", "third"} {
		if err := c.jobSets("alice").JobsetV1alpha2().JobSets("research").Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func wantPositions(summary *visibility.PendingWorkloadsSummary, jobs ...string) error {
	var got []string
	for _, w := range summary.Items {
		got = append(got, fmt.Sprintf("%s at %d", w.Name, w.PositionInLocalQueue))
	}
	if len(got) != len(jobs) {
		return fmt.Errorf("%d pending: %v", len(got), got)
	}
	for i, job := range jobs {
		if !strings.HasPrefix(summary.Items[i].Name, "jobset-"+job+"-") || summary.Items[i].PositionInLocalQueue != int32(i) {
			return fmt.Errorf("pending: %v, want %v", got, jobs)
		}
	}
	return nil
}

// waitPods waits for pods of a JobSet to be in a phase, and returns them.
func (c *cluster) waitPods(user, namespace, name string, phase corev1.PodPhase, want int) []corev1.Pod {
	c.t.Helper()
	var found []corev1.Pod
	eventually(c.t, fmt.Sprintf("%d pods of %s are %s", want, name, phase), 2*time.Minute, func(ctx context.Context) error {
		pods, err := c.kube(user).CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "jobset.sigs.k8s.io/jobset-name=" + name})
		if err != nil {
			return err
		}
		found = nil
		for _, p := range pods.Items {
			if p.Status.Phase == phase {
				found = append(found, p)
			}
		}
		if len(found) != want {
			return fmt.Errorf("%d of %d", len(found), len(pods.Items))
		}
		return nil
	})
	return found
}

func testAPIServer(t *testing.T, c *cluster) {
	c.createJobSet("alice", "research", simpleJobSet("steady", "", 1, 1, "i=0; while true; do i=$((i+1)); echo tick $i; sleep 0.2; done"))
	before := c.waitPods("alice", "research", "steady", corev1.PodRunning, 1)[0]
	alice := c.kube("alice")
	list := func(ctx context.Context) error {
		_, err := alice.CoreV1().Pods("research").List(ctx, metav1.ListOptions{})
		return err
	}

	// Stopped on request, it stays away.
	pid := c.component(daemon.APIServer)
	c.must("apiserver", "stop")
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Fatalf("stopped, but process %d: %v", pid, err)
	}
	for _, p := range c.status().Components {
		if p.Name == daemon.APIServer && (!p.Stopped || p.PID != 0 || !p.Next.IsZero()) {
			t.Errorf("stopped on request, it is to come back: %+v", p)
		}
	}
	if err := list(t.Context()); err == nil {
		t.Fatal("a stopped API server answers")
	}
	begin := time.Now()
	c.must("apiserver", "start")
	t.Logf("the API server was back after %.1f s", time.Since(begin).Seconds())
	if err := list(t.Context()); err != nil {
		t.Fatalf("after its start: %v", err)
	}

	// Killed, it comes back by itself.
	kill(t, c.component(daemon.APIServer))
	eventually(t, "a killed API server answers again", 2*time.Minute, list)
	c.must("apiserver", "restart")

	after := c.waitPods("alice", "research", "steady", corev1.PodRunning, 1)[0]
	if after.UID != before.UID || after.Status.ContainerStatuses[0].RestartCount != 0 {
		t.Errorf("the pod was started again: %s %+v", after.UID, after.Status.ContainerStatuses)
	}
	// The log has no gap, and goes on.
	ticks := strings.Fields(strings.ReplaceAll(c.log("alice", &after), "tick ", ""))
	for i, n := range ticks {
		if n != strconv.Itoa(i+1) {
			t.Fatalf("line %d of the log is %q", i, n)
		}
	}
	eventually(t, "the log goes on", time.Minute, func(context.Context) error {
		if now := strings.Count(c.log("alice", &after), "tick"); now <= len(ticks) {
			return fmt.Errorf("%d lines", now)
		}
		return nil
	})
	// Controllers and scheduler go on too.
	c.createJobSet("alice", "research", simpleJobSet("afterwards", "research", 1, 1, "exit 0"))
	c.waitJobSet("alice", "research", "afterwards", jobset.JobSetCompleted)
}

func testKilledDaemon(t *testing.T, c *cluster) {
	before := c.status()
	marker := "98765." + strconv.Itoa(os.Getpid()) // found in the command line of the pod's process
	c.createJobSet("alice", "research", simpleJobSet("orphan", "", 1, 1, "exec sleep "+marker))
	c.waitPods("alice", "research", "orphan", corev1.PodRunning, 1)
	if len(processesWith("sleep "+marker)) == 0 {
		t.Fatal("the pod's process is not there, this test would prove nothing")
	}
	old := []int{before.PID}
	for _, p := range before.Components {
		old = append(old, p.PID)
	}
	kill(t, before.PID)
	eventually(t, "everything of the killed daemon is gone", time.Minute, func(context.Context) error {
		for _, pid := range old {
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("process %d: %v", pid, err)
			}
		}
		if left := processesWith("sleep " + marker); len(left) > 0 {
			return fmt.Errorf("pods: %v", left)
		}
		return nil
	})
	if _, _, err := c.run("status"); err == nil {
		t.Error("status says that a killed cluster runs")
	}
	alice := c.kube("alice") // an old kubeconfig goes on working
	c.up()
	if after := c.status(); after.Server != before.Server || after.PID == before.PID {
		t.Errorf("was %s, is %s", before.Server, after.Server)
	}
	if _, err := alice.CoreV1().Pods("research").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("with a kubeconfig from before: %v", err)
	}
	if _, err := c.jobSets("alice").JobsetV1alpha2().JobSets("research").Get(t.Context(), "steady", metav1.GetOptions{}); err != nil {
		t.Errorf("a job from before: %v", err)
	}
	c.createJobSet("alice", "research", simpleJobSet("again", "research", 1, 1, "exit 0"))
	c.waitJobSet("alice", "research", "again", jobset.JobSetCompleted)
}

func testDown(t *testing.T, c *cluster) {
	marker := "87654." + strconv.Itoa(os.Getpid())
	c.createJobSet("alice", "research", simpleJobSet("ending", "", 1, 1, "exec sleep "+marker))
	c.waitPods("alice", "research", "ending", corev1.PodRunning, 1)
	if len(processesWith("sleep "+marker)) == 0 {
		t.Fatal("the pod's process is not there, this test would prove nothing")
	}
	begin := time.Now()
	c.must("down")
	t.Logf("down took %.1f s", time.Since(begin).Seconds())
	for _, text := range []string{c.data, "sleep " + marker} {
		if left := processesWith(text); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	dir, err := instance.Find(c.data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir.Path("control.sock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket: %v", err)
	}
	if _, stderr := c.must("down"); !strings.Contains(stderr, "does not run") {
		t.Errorf("a second down says %q", stderr)
	}
	if _, _, err := c.run("apiserver", "restart"); err == nil {
		t.Error("the API server of a cluster that does not run was restarted")
	}
}

func testSideBySide(t *testing.T, c *cluster) {
	other := newCluster(t)
	if a, b := c.status(), other.status(); a.Server == b.Server || a.PID == b.PID {
		t.Fatalf("%+v and %+v", a, b)
	}
	other.createJobSet("bob", "vision", simpleJobSet("other", "vision", 1, 1, "exit 0"))
	other.waitJobSet("bob", "vision", "other", jobset.JobSetCompleted)
	if _, err := c.kube("alice").CoreV1().Pods("research").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("the first one: %v", err)
	}
	// One's users are nobody at the other.
	foreign := c.rest("admin")
	foreign.Host, foreign.CAData, foreign.Insecure = other.rest("admin").Host, nil, true
	client, err := kubernetes.NewForConfig(foreign)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
		t.Errorf("one cluster's administrator at another: %v", err)
	}
}

func testPortTaken(t *testing.T, c *cluster) {
	path, _ := c.must("kubeconfig")
	text, err := os.ReadFile(strings.TrimSpace(path))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "server: https://")
	address, _, _ := strings.Cut(rest, "\n")
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, stderr, err := c.run("up"); err == nil || !strings.Contains(stderr, "in use by another program") {
		t.Errorf("up on a taken port: %v\n%s", err, stderr)
	}
}

func testPurge(t *testing.T, c *cluster) {
	// The components run in processes of their own: what -race finds there, and panics, stands in their logs.
	logs, err := filepath.Glob(filepath.Join(c.data, "*.log"))
	if err != nil || len(logs) < 3 {
		t.Fatalf("logs: %v, %v", logs, err)
	}
	for _, file := range logs {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"WARNING: DATA RACE", "panic: ", "fatal error: "} {
			if i := strings.Index(string(text), bad); i >= 0 {
				t.Errorf("%s:\n%s", file, string(text)[i:min(len(text), i+4000)])
			}
		}
	}
	c.must("down", "--purge")
	if _, err := os.Stat(c.data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after a purge: %v", err)
	}
}
