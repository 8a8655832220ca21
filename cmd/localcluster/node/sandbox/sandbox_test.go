package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if ReexecMain() {
		return
	}
	os.Setenv("GORACE", "halt_on_error=1") // a race in the holder must not go unseen
	os.Exit(m.Run())
}

func startHost(t *testing.T) *Host {
	t.Helper()
	h, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

func newPod(t *testing.T, h *Host, name string) *Pod {
	t.Helper()
	p, err := h.NewPod(t.Context(), PodSpec{Name: name, Hostname: name})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// process is a started process with what it writes.
type process struct {
	*Proc
	out chan string
}

func start(t *testing.T, p *Pod, spec Spec) (*process, error) {
	t.Helper()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if spec.Env == nil {
		spec.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"}
	}
	run := p.Exec
	if spec.Root != "" {
		run = p.Run
	}
	proc, err := run(t.Context(), spec, null, w, w)
	if err != nil {
		r.Close()
		return nil, err
	}
	out := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(r)
		r.Close()
		out <- string(b)
	}()
	return &process{proc, out}, nil
}

func (p *process) end(t *testing.T) (Exit, string) {
	t.Helper()
	select {
	case <-p.Done():
		return p.Exit(), <-p.out
	case <-time.After(30 * time.Second):
		t.Fatal("the process did not end")
		return Exit{}, ""
	}
}

func sh(t *testing.T, p *Pod, script string, mounts ...Mount) (Exit, string) {
	t.Helper()
	proc, err := start(t, p, Spec{Container: "c", Args: []string{"sh", "-c", script}, Root: t.TempDir(), Mounts: mounts, Capabilities: DefaultCapabilities()})
	if err != nil {
		t.Fatal(err)
	}
	return proc.end(t)
}

func TestContainer(t *testing.T) {
	h := startHost(t)
	p := newPod(t, h, "alpha")
	volume := t.TempDir()
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, []byte("of the machine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	shm := t.TempDir()
	if err := p.Tmpfs(t.Context(), shm, 3<<20); err != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("muster-test-%d", os.Getpid())
	tests := []struct {
		name, script string
		code         int
		want         string
		mounts       []Mount
	}{
		{name: "exit code", script: "exit 3", code: 3},
		{name: "signal", script: "exec 2>/dev/null; sleep 100 & kill -9 $!; wait $!", code: 137},
		{name: "process 1", script: "echo $$; readlink /proc/self | grep -c '^[2-9]$'", want: "1\n1\n"},
		{name: "host name", script: "cat /proc/sys/kernel/hostname", want: "alpha\n"},
		{name: "root", script: "id -u", want: "0\n"},
		{name: "thrown away", script: "touch /" + mark + " /etc/" + mark + " /tmp/" + mark + " /usr/" + mark + " $HOME/" + mark + " && echo ok", want: "ok\n"},
		{name: "private tmp", script: "ls /tmp", want: ""},
		{name: "devices", script: "echo x >/dev/null; head -c 3 /dev/zero | wc -c; ls -d /dev/fd /dev/pts/ptmx", want: "3\n/dev/fd\n/dev/pts/ptmx\n"},
		{name: "default shm", script: "df -k /dev/shm | tail -1 | awk '{print $2}'", want: "65536\n"},
		{name: "shm of a size", script: "df -k /dev/shm | tail -1 | awk '{print $2}'; head -c 4m /dev/zero 2>&1 >/dev/shm/x | grep -o 'No space left'", want: "3072\nNo space left\n", mounts: []Mount{{Source: shm, Target: "/dev/shm"}}},
		{name: "volume", script: "echo hi >/workspace/a/x; ls /workspace", want: "a\n", mounts: []Mount{{Source: volume, Target: "/workspace/a"}}},
		{name: "read-only volume", script: "cat /sensecore/v/x; touch /sensecore/v/y 2>&1 | grep -o Read-only", want: "hi\nRead-only\n", mounts: []Mount{{Source: volume, Target: "/sensecore/v", ReadOnly: true}}},
		{name: "file", script: "cat /etc/hosts", want: "of the machine\n", mounts: []Mount{{Source: file, Target: "/etc/hosts"}}},
		{name: "no capability", script: "mount -t tmpfs x /mnt 2>/dev/null || echo refused", want: "refused\n"},
		{name: "machine's mounts are gone", script: "grep -c ' " + volume + "' /proc/self/mountinfo", code: 1, want: "0\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			exit, out := sh(t, p, test.script, test.mounts...)
			if exit.Code != test.code || out != test.want {
				t.Errorf("exit %+v, output %q; want %d, %q", exit, out, test.code, test.want)
			}
		})
	}
	for _, d := range []string{"/", "/etc/", "/tmp/", "/usr/", "/root/"} {
		if _, err := os.Stat(d + mark); err == nil {
			t.Errorf("%s%s was written on the machine", d, mark)
		}
	}
}

func TestNotStarted(t *testing.T) {
	h := startHost(t)
	p := newPod(t, h, "alpha")
	for want, args := range map[string][]string{
		"executable file not found in $PATH": {"no-such-command"},
		"no such file or directory":          {"/no/such"},
		"permission denied":                  {"/etc/passwd"},
		"is a directory":                     {"/etc"},
	} {
		_, err := start(t, p, Spec{Container: "c", Args: args, Root: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

func TestTwoPodsOnOnePort(t *testing.T) {
	h := startHost(t)
	a, b := newPod(t, h, "a"), newPod(t, h, "b")
	server := `perl -MIO::Socket -e '$s=IO::Socket::INET->new(LocalPort=>23456,Listen=>5,ReuseAddr=>1) or die "listen $!"; print STDOUT "up\n"; while($c=$s->accept){print $c "` + "%s" + `\n"; close $c}'`
	for _, p := range []*Pod{a, b} {
		proc, err := start(t, p, Spec{Container: "server", Args: []string{"sh", "-c", fmt.Sprintf(server, p.spec.Name)}, Root: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer proc.Kill()
	}
	client := `for i in $(seq 50); do perl -MIO::Socket -e '$c=IO::Socket::INET->new(PeerAddr=>"%s:23456") or exit 1; print <$c>' && exit 0; sleep .1; done; exit 1`
	if exit, out := sh(t, a, fmt.Sprintf(client, b.IP)); exit.Code != 0 || out != "b\n" {
		t.Errorf("a → b: %+v %q", exit, out)
	}
	if exit, out := sh(t, b, fmt.Sprintf(client, a.IP)); exit.Code != 0 || out != "a\n" {
		t.Errorf("b → a: %+v %q", exit, out)
	}
	c, err := a.Dial(t.Context(), 23456)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got, err := io.ReadAll(c); string(got) != "a\n" || err != nil {
		t.Errorf("dial: %q %v", got, err)
	}
	if _, err := a.Dial(t.Context(), 1); err == nil {
		t.Error("dialled a port where nobody listens")
	}
}

func TestExec(t *testing.T) {
	h := startHost(t)
	p := newPod(t, h, "alpha")
	main, err := start(t, p, Spec{Container: "c", Args: []string{"sh", "-c", "echo made >/tmp/f; sleep 100"}, Root: t.TempDir(), Capabilities: DefaultCapabilities()})
	if err != nil {
		t.Fatal(err)
	}
	exec := func(script string) (Exit, string) {
		proc, err := start(t, p, Spec{Container: "c", Args: []string{"sh", "-c", script}, Capabilities: DefaultCapabilities()})
		if err != nil {
			t.Fatal(err)
		}
		return proc.end(t)
	}
	for range 50 { // the first process writes the file when it likes
		if exit, _ := exec("test -f /tmp/f"); exit.Code == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if exit, out := exec("cat /tmp/f; cat /proc/1/comm; mount -t tmpfs x /mnt 2>/dev/null || echo refused; exit 7"); exit.Code != 7 || out != "made\nsh\nrefused\n" {
		t.Errorf("%+v %q", exit, out)
	}
	terminal, err := p.Exec(t.Context(), Spec{Container: "c", Args: []string{"sh", "-c", "tty; stty size; exit 4"}, Env: []string{"PATH=/usr/bin:/bin"}, TTY: true, Rows: 33, Cols: 101}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := io.ReadAll(terminal.TTY) // EIO when the far side closes
	terminal.TTY.Close()
	<-terminal.Done()
	if got := string(out); got != "/dev/pts/0\r\n33 101\r\n" || terminal.Exit().Code != 4 {
		t.Errorf("terminal: %q, %+v", got, terminal.Exit())
	}
	left, err := start(t, p, Spec{Container: "c", Args: []string{"sleep", "100"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := main.Kill(); err != nil {
		t.Fatal(err)
	}
	if exit, _ := main.end(t); exit.Signal != int(syscall.SIGKILL) {
		t.Errorf("killed: %+v", exit)
	}
	if exit, _ := left.end(t); exit.Signal != int(syscall.SIGKILL) {
		t.Errorf("what exec started outlived its container: %+v", exit)
	}
	if _, err := start(t, p, Spec{Container: "c", Args: []string{"true"}}); err == nil {
		t.Error("exec in a container that has ended")
	}
}

func TestHolderKilledLeavesNothing(t *testing.T) {
	h := startHost(t)
	p := newPod(t, h, "alpha")
	mark := fmt.Sprintf("86%d", os.Getpid())
	proc, err := start(t, p, Spec{Container: "c", Args: []string{"sh", "-c", "(setsid sleep " + mark + " &) ; sleep " + mark}, Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); count(t, mark) < 2; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the processes did not start")
		}
	}
	if err := syscall.Kill(h.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-h.Done()
	if exit, _ := proc.end(t); !exit.Lost {
		t.Errorf("%+v, want lost", exit)
	}
	if n := count(t, mark); n != 0 {
		t.Errorf("%d processes left", n)
	}
}

// count says how many processes have a word in their command line.
func count(t *testing.T, word string) int {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, l := range lines {
		if b, err := os.ReadFile(l); err == nil && strings.Contains(string(b), "sleep\x00"+word) {
			n++
		}
	}
	return n
}

func TestFreeze(t *testing.T) {
	h := startHost(t)
	p := newPod(t, h, "alpha")
	volume := t.TempDir()
	proc, err := start(t, p, Spec{Container: "c", Args: []string{"sh", "-c", "while :; do date +%N >/v/t; sleep .02; done"}, Root: t.TempDir(), Mounts: []Mount{{Source: volume, Target: "/v"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer proc.Kill()
	moves := func() bool {
		before, _ := os.ReadFile(volume + "/t")
		time.Sleep(200 * time.Millisecond)
		after, _ := os.ReadFile(volume + "/t")
		return string(before) != string(after)
	}
	for deadline := time.Now().Add(5 * time.Second); !moves(); {
		if time.Now().After(deadline) {
			t.Fatal("it does not run")
		}
	}
	for _, frozen := range []bool{true, false, true} {
		if err := p.Freeze(context.Background(), frozen); err != nil {
			t.Fatal(err)
		}
		moved := moves()
		for range 20 { // a busy machine may take its time to go on, but none to stop
			if frozen || moved {
				break
			}
			moved = moves()
		}
		if moved == frozen {
			t.Errorf("frozen %v is not", frozen)
		}
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if exit, _ := proc.end(t); exit.Signal != 9 {
		t.Errorf("closing a frozen pod: %+v", exit)
	}
}
