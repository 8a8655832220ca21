package instance

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
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
	if pid, err := d.Holder(); pid != 0 || err != nil {
		t.Fatalf("nobody holds it, yet: %d, %v", pid, err)
	}
	l, err := d.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Acquire(t.Context()); !errors.Is(err, ErrHeld) {
		t.Fatalf("taken twice: %v", err)
	}
	if pid, err := d.Holder(); pid != os.Getpid() || err != nil {
		t.Fatalf("held by %d, %v; want %d", pid, err, os.Getpid())
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if err := d.WaitFree(t.Context()); err != nil {
		t.Fatal(err)
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
