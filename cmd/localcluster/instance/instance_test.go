package instance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"muster.dev/muster/cmd/localcluster/forcedelete/ordinary"
)

func TestOpenRefusesAForeignFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil {
		t.Fatal("a folder with someone's files became a data directory")
	}
	d, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Purge(); err == nil {
		t.Fatal("purge of a foreign folder is accepted")
	}
	if _, err := os.Stat(filepath.Join(dir, "thesis.tex")); err != nil {
		t.Fatal("purge deleted someone's file")
	}
}

func TestOpenPurgeAndRights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Open(path); err != nil || again != d {
		t.Fatalf("opened again: %v, %v", again, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("mode %v, %v; want 0700", info.Mode().Perm(), err)
	}
	if err := os.MkdirAll(d.Path("etcd", "member"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.Purge(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("after purge: %v", err)
	}
}

// TestPurgeOfWhatPodsClosed: a pod has left a directory on a volume that its own user may not empty.
func TestPurgeOfWhatPodsClosed(t *testing.T) {
	path := filepath.Join(ordinary.Dir(t), "d")
	err := ordinary.Do(func() error {
		d, err := Open(path)
		if err != nil {
			return err
		}
		cache := d.Path("volumes", "research-nas-code", "cache")
		if err := os.MkdirAll(cache, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(cache, "f"), nil, 0o444); err != nil {
			return err
		}
		if err := os.Chmod(cache, 0o555); err != nil {
			return err
		}
		return d.Purge()
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after purge: %v", err)
	}
}

func TestDefaultFollowsXDG(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "/some/data")
	if got, err := Default(); err != nil || got != "/some/data/muster/localcluster" {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv("XDG_DATA_HOME", "relative") // the XDG specification has it ignored
	t.Setenv("HOME", "/home/u")
	if got, err := Default(); err != nil || got != "/home/u/.local/share/muster/localcluster" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLock(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "d"))
	if err != nil {
		t.Fatal(err)
	}
	if free, err := d.Free(); !free || err != nil {
		t.Fatalf("nobody holds it, yet it is not free: %v", err)
	}
	l, err := d.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Acquire(t.Context()); !errors.Is(err, ErrHeld) {
		t.Fatalf("taken twice: %v", err)
	}
	// Someone who asks has the file open as well, and is no holder.
	asking := exec.Command("sleep", "1000")
	asked, err := os.Open(d.Path("lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer asked.Close()
	asking.ExtraFiles = []*os.File{asked}
	startProcess(t, asking)
	if holders, err := d.Holders(); err != nil || len(holders) != 1 || holders[0].PID != os.Getpid() || !holders[0].Daemon {
		t.Fatalf("held by %v, %v; want %d", holders, err, os.Getpid())
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if err := d.WaitFree(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func startProcess(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have been killed by what is tested
		_ = cmd.Wait()
	})
}

// TestComponentOutlivesDaemon: the lock file names a process that does not hold the directory any more, a component does.
func TestComponentOutlivesDaemon(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "d"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := d.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	component := exec.Command("sleep", "1000", "--")
	component.ExtraFiles = []*os.File{l.File()}
	startProcess(t, component)
	if err := l.Release(); err != nil { // as if the daemon had been killed, and this process had got its pid
		t.Fatal(err)
	}
	holders, err := d.Holders()
	if err != nil || len(holders) != 1 || holders[0].PID != component.Process.Pid || holders[0].Daemon {
		t.Fatalf("held by %v, %v; want %d", holders, err, component.Process.Pid)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.WaitFree(over); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d (sleep 1000)", component.Process.Pid)) {
		t.Errorf("%v, want it to name the component", err)
	}
	// It waits for the component, as for any of a daemon that is gone, instead of taking the pid's new owner for the daemon.
	begun := make(chan error, 1)
	go func() {
		l, err := d.Acquire(t.Context())
		if err == nil {
			err = l.Release()
		}
		begun <- err
	}()

	stranger := exec.Command("sleep", "1000")
	startProcess(t, stranger)
	if err := d.Kill(Process{PID: stranger.Process.Pid}); err != nil {
		t.Error(err)
	}
	if err := d.Kill(holders[0]); err != nil {
		t.Fatal(err)
	}
	if state, err := component.Process.Wait(); err != nil || state.String() != "signal: killed" {
		t.Errorf("the component: %v, %v", state, err)
	}
	if err := <-begun; err != nil {
		t.Errorf("taken after the component's end: %v", err)
	}
	if err := d.Kill(holders[0]); err != nil {
		t.Errorf("killed twice: %v", err)
	}
	if err := stranger.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if state, err := stranger.Process.Wait(); err != nil || state.String() != "signal: terminated" {
		t.Errorf("a process that held nothing: %v, %v", state, err)
	}
}

func TestPortsAreKept(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "d"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := d.LoadPorts(nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, p := range []int{first.APIServer, first.JobSetWebhook, first.KueueWebhook, first.Visibility} {
		if p < portsFrom || p >= portsTo || seen[p] {
			t.Fatalf("ports %+v: %d is out of range or there twice", first, p)
		}
		seen[p] = true
	}
	if second, err := d.LoadPorts(nil); err != nil || second != first {
		t.Fatalf("%+v, %v; want %+v again", second, err, first)
	}

	held, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(first.Visibility)))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	third, err := d.LoadPorts(nil)
	if err != nil || third.APIServer != first.APIServer || third.Visibility == first.Visibility {
		t.Fatalf("with the visibility port taken: %+v, %v; was %+v", third, err, first)
	}

	api, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(first.APIServer)))
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	var taken *PortTaken
	if _, err := d.LoadPorts(nil); !errors.As(err, &taken) || taken.Port != first.APIServer {
		t.Fatalf("with the API server's port taken: %v", err)
	}
	fourth, err := d.LoadPorts(new(int))
	if err != nil || fourth.APIServer == first.APIServer || fourth.APIServer == 0 {
		t.Fatalf("asked for another port: %+v, %v", fourth, err)
	}
}
