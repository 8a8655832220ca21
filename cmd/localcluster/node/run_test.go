package node

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"muster.dev/muster/cmd/localcluster/node/podlog"
)

func TestEnds(t *testing.T) {
	b := newBench(t)
	tests := []struct {
		name, script string
		change       func(*corev1.Pod)
		phase        corev1.PodPhase
		code         int32
		reason       string
	}{
		{name: "success", script: "true", phase: corev1.PodSucceeded, reason: "Completed"},
		{name: "exit 3", script: "exit 3", phase: corev1.PodFailed, code: 3, reason: "Error"},
		{name: "no command", change: func(p *corev1.Pod) { p.Spec.Containers[0].Command = []string{"no-such-program"} }, phase: corev1.PodFailed, code: 128, reason: "StartError"},
		// $$$$ is the shell's $$: Kubernetes makes one dollar of two.
		{name: "not found by the shell", script: "no-such-program 2>/dev/null", phase: corev1.PodFailed, code: 127, reason: "Error"},
		{name: "not executable for the shell", script: "/etc/passwd 2>/dev/null", phase: corev1.PodFailed, code: 126, reason: "Error"},
		{name: "killed child", script: "exec 2>/dev/null; sh -c 'kill -9 $$$$; :'; exit $?", phase: corev1.PodFailed, code: 137, reason: "Error"},
		// As in every container: the kernel keeps a SIGKILL of its own from process 1.
		{name: "process 1 kills itself", script: "test $$$$ = 1 || exit 9; kill -9 $$$$; exit 4", phase: corev1.PodFailed, code: 4, reason: "Error"},
		{name: "deadline", script: "trap 'exit 9' TERM; while :; do sleep .05; done", change: func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = new(int64(1)) }, phase: corev1.PodFailed, code: 9, reason: "Error"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b.t = t
			change := test.change
			if change == nil {
				change = func(*corev1.Pod) {}
			}
			s := b.end(b.pod(strings.ReplaceAll(test.name, " ", "-"), test.script, change))
			if got := terminatedIn(s, 0); s.Phase != test.phase || got.ExitCode != test.code || got.Reason != test.reason {
				t.Errorf("%s %+v", s.Phase, got)
			}
			if test.name == "deadline" && s.Reason != "DeadlineExceeded" {
				t.Errorf("reason %q", s.Reason)
			}
			if got := condition(s, corev1.PodReady); got.Status != corev1.ConditionFalse || (s.Phase == corev1.PodSucceeded) != (got.Reason == "PodCompleted") {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestScriptUnaltered: what a renderer escaped arrives as the user typed it.
func TestScriptUnaltered(t *testing.T) {
	b := newBench(t)
	p := b.pod("p", "", func(p *corev1.Pod) {
		p.Labels = map[string]string{"index": "4"}
		p.Spec.Containers[0].Args = []string{"echo $RANK $A '$$(RANK)' $$$$ \"$$(echo sub)\" '$(NO)' $(RANK) $INDEX $HOSTNAME $HOME"}
		p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "RANK", Value: "2"}, {Name: "A", Value: "$$(date)"},
			{Name: "INDEX", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels['index']"}}}}
	})
	b.end(p)
	if got, want := b.logged(p, "c", false), "2 $(date) $(RANK) 1 sub $(NO) 2 4 p /root\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTwoMasters: two jobs whose masters listen on one port, each reached by its own worker under its host name.
func TestTwoMasters(t *testing.T) {
	b := newBench(t)
	for _, job := range []string{"a", "b"} {
		b.services = append(b.services, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: job}, Spec: corev1.ServiceSpec{Selector: map[string]string{"job": job}, PublishNotReadyAddresses: true}})
	}
	const server = `perl -MIO::Socket -e '$s=IO::Socket::INET->new(LocalPort=>$ENV{MASTER_PORT},Listen=>5,ReuseAddr=>1) or die $!; $c=$s->accept; print $c "of $ENV{JOB}\n"; print scalar <$c>'`
	const client = `for i in $(seq 200); do perl -MIO::Socket -e '$c=IO::Socket::INET->new("$ENV{MASTER_ADDR}:$ENV{MASTER_PORT}") or exit 1; print scalar <$c>; print $c "worker of $ENV{JOB}\n"' && exit 0; sleep .05; done; cat /etc/hosts; exit 1`
	var pods []*pod
	for _, job := range []string{"a", "b"} {
		for i, role := range []string{"master", "worker"} {
			pods = append(pods, b.pod(job+"-"+role, []string{server, client}[i], func(p *corev1.Pod) {
				p.Labels = map[string]string{"job": job}
				p.Spec.Hostname, p.Spec.Subdomain = job+"-"+role+"-0", job
				p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "JOB", Value: job}, {Name: "MASTER_ADDR", Value: job + "-master-0." + job}, {Name: "MASTER_PORT", Value: "23456"}}
			}))
		}
	}
	for i, want := range []string{"worker of a\n", "of a\n", "worker of b\n", "of b\n"} {
		s := b.end(pods[i])
		if got := b.logged(pods[i], "c", false); s.Phase != corev1.PodSucceeded || got != want {
			t.Errorf("%s: %s %q", pods[i].current().Name, s.Phase, got)
		}
		if !strings.HasPrefix(s.PodIP, "10.244.") {
			t.Errorf("address %q", s.PodIP)
		}
	}
}

func TestGrace(t *testing.T) {
	b := newBench(t)
	polite := b.pod("polite", "trap 'echo saving; sleep .3; echo saved; exit 0' TERM; echo up; while :; do sleep .05; done")
	deaf := b.pod("deaf", "trap '' TERM; echo up; (setsid sleep 4321 &); while :; do sleep .05; done")
	b.untilLogged(polite, "up")
	b.untilLogged(deaf, "up")
	began := time.Now()
	b.delete(polite, 10*time.Second)
	b.delete(deaf, time.Second)
	if s := b.end(polite); s.Phase != corev1.PodSucceeded || b.logged(polite, "c", false) != "up\nsaving\nsaved\n" {
		t.Errorf("%s %q", s.Phase, b.logged(polite, "c", false))
	}
	s := b.end(deaf)
	if got := terminatedIn(s, 0); got.ExitCode != 137 || s.Phase != corev1.PodFailed {
		t.Errorf("%s %+v", s.Phase, got)
	}
	if took := time.Since(began); took < time.Second || took > 4*time.Second {
		t.Errorf("it took %s", took)
	}
	if n := processes(t, "sleep\x004321"); n != 0 {
		t.Errorf("%d processes left", n)
	}
	slow := b.pod("slow", "trap '' TERM; echo up; while :; do sleep .05; done")
	b.untilLogged(slow, "up")
	b.delete(slow, time.Hour)
	b.delete(slow, 2*time.Hour) // more time than it has is not given
	b.delete(slow, 0)           // but less
	b.end(slow)
}

func TestRestarts(t *testing.T) {
	b := newBench(t)
	p := b.pod("p", "n=$(cat /v/n 2>/dev/null || echo 0); echo run $n; echo $((n+1)) >/v/n; echo note $n >/dev/termination-log; test $n = 3", func(p *corev1.Pod) {
		p.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
		p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		p.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "v", MountPath: "/v"}}
	})
	s := b.until(p, "in back-off", func(s corev1.PodStatus) bool {
		w := s.ContainerStatuses[0].State.Waiting
		return w != nil && w.Reason == "CrashLoopBackOff" && s.ContainerStatuses[0].RestartCount == 1
	})
	if s.Phase != corev1.PodRunning || s.ContainerStatuses[0].LastTerminationState.Terminated.ExitCode != 1 {
		t.Errorf("%+v", s)
	}
	s = b.end(p)
	c := s.ContainerStatuses[0]
	if s.Phase != corev1.PodSucceeded || c.RestartCount != 3 || c.State.Terminated.Message != "note 3\n" || c.LastTerminationState.Terminated.Message != "note 2\n" {
		t.Errorf("%s %+v", s.Phase, c)
	}
	if now, before := b.logged(p, "c", false), b.logged(p, "c", true); now != "run 3\n" || before != "run 2\n" {
		t.Errorf("%q, before %q", now, before)
	}
	if !b.happened("BackOff: Back-off restarting failed container c in pod p_ns") {
		t.Error("no event")
	}
}

func TestInitAndSidecar(t *testing.T) {
	b := newBench(t)
	always := corev1.ContainerRestartPolicyAlways
	sh := func(name, script string) corev1.Container {
		return corev1.Container{Name: name, Image: "i", Command: []string{"sh", "-c", script}, VolumeMounts: []corev1.VolumeMount{{Name: "v", MountPath: "/v"}}}
	}
	with := func(init ...corev1.Container) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.InitContainers = init
			p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
			p.Spec.Containers[0].VolumeMounts = init[0].VolumeMounts
		}
	}
	side := sh("side", "trap 'echo bye; exit 0' TERM; echo side >>/v/log; while :; do sleep .02; done")
	side.RestartPolicy = &always
	p := b.pod("p", "sleep .2; cat /v/log", with(sh("one", "sleep .1; echo one >>/v/log"), side, sh("two", "while ! grep -q side /v/log; do sleep .01; done; echo two >>/v/log")))
	s := b.end(p)
	if got := b.logged(p, "c", false); s.Phase != corev1.PodSucceeded || got != "one\nside\ntwo\n" {
		t.Errorf("%s %q", s.Phase, got)
	}
	if got := b.logged(p, "side", false); got != "bye\n" {
		t.Errorf("the sidecar was not ended in order: %q", got)
	}
	p = b.pod("q", "echo never", with(sh("bad", "exit 5")))
	s = b.end(p)
	if s.Phase != corev1.PodFailed || s.InitContainerStatuses[0].State.Terminated.ExitCode != 5 || s.ContainerStatuses[0].State.Waiting == nil {
		t.Errorf("%+v", s)
	}
}

func TestVolumes(t *testing.T) {
	nas := t.TempDir()
	b := newBench(t,
		&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "nas"}, Spec: corev1.PersistentVolumeClaimSpec{VolumeName: "pv"}},
		&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}, Spec: corev1.PersistentVolumeSpec{PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: nas}}}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "cm"}, Data: map[string]string{"k": "v"}})
	size := resource.MustParse("8Mi")
	mount := func(scripts ...corev1.VolumeMount) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Volumes = []corev1.Volume{
				{Name: "nas", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "nas"}}},
				{Name: "shm", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: &size}}},
				{Name: "cm", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "cm"}}}}}
			p.Spec.Containers[0].VolumeMounts = scripts
			p.Spec.Containers[0].WorkingDir = "/workspace/sub"
		}
	}
	mounts := []corev1.VolumeMount{{Name: "nas", MountPath: "/workspace", SubPath: "project/bert"}, {Name: "nas", MountPath: "/sensecore/data", SubPath: "project", ReadOnly: true},
		{Name: "shm", MountPath: "/dev/shm"}, {Name: "cm", MountPath: "/cfg"}}
	p := b.pod("writer", "pwd; echo written >f; cat /sensecore/data/bert/sub/f; touch /sensecore/data/x 2>&1 | grep -o Read-only; df -k /dev/shm | awk 'NR==2{print $2}'; cat /cfg/k; touch /cfg/x 2>&1 | grep -o Read-only", mount(mounts...))
	if s := b.end(p); b.logged(p, "c", false) != "/workspace/sub\nwritten\nRead-only\n8192\nvRead-only\n" {
		t.Errorf("%s %q", s.Phase, b.logged(p, "c", false))
	}
	p = b.pod("reader", "cat f", mount(mounts...))
	if b.end(p); b.logged(p, "c", false) != "written\n" {
		t.Errorf("%q", b.logged(p, "c", false))
	}
}

// TestMissing: what a pod refers to is not there; it waits, says why, and starts when it is.
func TestMissing(t *testing.T) {
	b := newBench(t)
	client := b.objects.(*objects).client
	p := b.pod("env", "echo $K", func(p *corev1.Pod) {
		p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "K", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "late"}, Key: "k"}}}}
	})
	q := b.pod("volume", "cat /v/k", func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "late"}}}}
		p.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "v", MountPath: "/v"}}
	})
	waits := func(reason, message string) func(corev1.PodStatus) bool {
		return func(s corev1.PodStatus) bool {
			w := s.ContainerStatuses[0].State.Waiting
			return s.Phase == corev1.PodPending && w != nil && w.Reason == reason && strings.Contains(w.Message, message)
		}
	}
	b.until(p, "waiting for its Secret", waits("CreateContainerConfigError", `secret "late" not found`))
	b.until(q, "waiting for its volume", func(s corev1.PodStatus) bool {
		return waits("ContainerCreating", "")(s) && b.happened(`FailedMount: MountVolume.SetUp failed for volume "v" : secret "late" not found`)
	})
	r := b.pod("image", "true", func(p *corev1.Pod) { p.Spec.Containers[0].Image = "missing.local/ai/none:1" })
	b.until(r, "without its image", waits("ErrImagePull", "not found"))
	b.until(r, "backing off", waits("ImagePullBackOff", "missing.local/ai/none:1"))
	if _, err := b.logFile(r.current(), "c", false); err == nil || !strings.Contains(err.Error(), "is waiting to start: ImagePullBackOff") {
		t.Error(err)
	}
	if _, err := client.CoreV1().Secrets("ns").Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "late"}, Data: map[string][]byte{"k": []byte("now\n")}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*pod{p, q} {
		if s := b.end(p); s.Phase != corev1.PodSucceeded || strings.TrimSpace(b.logged(p, "c", false)) != "now" {
			t.Errorf("%s %q", s.Phase, b.logged(p, "c", false))
		}
	}
	b.delete(r, 30*time.Second)
	if s := b.end(r); s.Phase != corev1.PodFailed {
		t.Errorf("a pod that never started is %s", s.Phase)
	}
}

func TestLogs(t *testing.T) {
	b := newBench(t)
	p := b.pod("p", "head -c 1048576 /dev/zero | tr '\\0' x; echo; echo err >&2; sleep .3; echo last; printf partial; exit 1", func(p *corev1.Pod) {
		p.Spec.Containers[0].TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
	})
	b.untilRunning(p)
	log, err := b.logFile(p.current(), "c", false)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := log.Copy(t.Context(), &out, podlog.Options{Follow: true}, nil); err != nil {
		t.Fatal(err)
	}
	s := b.end(p)
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || len(lines[0])+len(lines[1]) != 1<<20+3 || lines[2] != "last" || lines[3] != "partial" {
		t.Errorf("%d lines, the first two %d and %d long, %q", len(lines), len(lines[0]), len(lines[1]), lines[2:])
	}
	if m := terminatedIn(s, 0).Message; len(m) != 2048 && !strings.HasSuffix(m, "last\npartial") {
		t.Errorf("message of %d bytes %q", len(m), m)
	}
}

func TestManyPods(t *testing.T) {
	b := newBench(t)
	const n = 60
	open := func() int {
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", b.host.Pid()))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	b.end(b.pod("first", "true"))
	before := open()
	var pods []*pod
	for i := range n {
		pods = append(pods, b.pod(fmt.Sprint("p", i), fmt.Sprintf("echo %d; exit %d", i, i%3)))
	}
	for i, p := range pods {
		if s := b.end(p); terminatedIn(s, 0).ExitCode != int32(i%3) || b.logged(p, "c", false) != fmt.Sprintln(i) {
			t.Errorf("%d: %+v %q", i, terminatedIn(s, 0), b.logged(p, "c", false))
		}
	}
	for deadline := time.Now().Add(5 * time.Second); open() > before+4; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the holder has %d files open, %d before", open(), before)
		}
	}
}

func TestDeadNode(t *testing.T) {
	b := newBench(t)
	p := b.pod("p", "while :; do echo x; sleep .02; done")
	b.untilLogged(p, "x")
	if !b.setDead(context.Background(), "n", true) || b.setDead(context.Background(), "n", true) {
		t.Error("a change once")
	}
	if _, err := b.runningPod("ns", "p"); err == nil {
		t.Error("a dead node answers")
	}
	before := b.logged(p, "c", false)
	time.Sleep(200 * time.Millisecond)
	between := b.logged(p, "c", false)
	time.Sleep(200 * time.Millisecond)
	if after := b.logged(p, "c", false); after != between {
		t.Errorf("it goes on: %d, %d, %d bytes", len(before), len(between), len(after))
	}
	b.setDead(context.Background(), "n", false)
	b.untilRunning(p)
	b.delete(p, 0)
	b.end(p)
}
