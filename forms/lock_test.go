package forms

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// With the variable set, the test binary is a muster that has a draft open until it is killed.
func TestMain(m *testing.M) {
	dir := os.Getenv("MUSTER_TEST_DRAFTS")
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := NewStore(dir).Save(sample(), time.Now()); err != nil {
		panic(err)
	}
	os.Stdout.WriteString("saved\n")
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
}

func writer(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "MUSTER_TEST_DRAFTS="+dir)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "saved\n" {
		t.Fatal(line, err)
	}
	return cmd
}

func isOpen(t *testing.T, s *Store, id string) bool {
	t.Helper()
	kept, aside, err := s.List(time.Now())
	if err != nil || len(aside) > 0 {
		t.Fatal(aside, err)
	}
	for _, k := range kept {
		if k.Draft.ID == id {
			return k.Open
		}
	}
	t.Fatalf("%s is not there", id)
	return false
}

func TestADraftIsOpenAsLongAsItsWriterLives(t *testing.T) {
	dir := t.TempDir()
	other := writer(t, dir)
	s, id := NewStore(dir), sample().ID
	if !isOpen(t, s, id) {
		t.Error("not open although its writer lives")
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait()

	if isOpen(t, s, id) {
		t.Error("open although its writer was killed")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.lock")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestADraftIsOpenUntilItIsReleasedOrDeleted(t *testing.T) {
	dir := t.TempDir()
	mine, other := NewStore(dir), NewStore(dir)
	d := sample()
	for name, leave := range map[string]func() error{
		"released": func() error { return mine.Release(d, time.Now()) },
		"deleted":  func() error { return mine.Delete(d.ID) },
	} {
		for range 2 {
			if err := mine.Save(d, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		if isOpen(t, mine, d.ID) || !isOpen(t, other, d.ID) {
			t.Errorf("%s: open for the one that has it, or not for the other", name)
		}
		if err := leave(); err != nil {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.lock")); len(left) > 0 {
			t.Errorf("%s: left over: %v", name, left)
		}
		if err := other.Save(d, time.Now()); err != nil { // taken up
			t.Fatal(err)
		}
		if !isOpen(t, mine, d.ID) {
			t.Errorf("%s: not open in the other", name)
		}
		if err := other.Release(d, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
}

// Where the file system has no locks, a draft names its writer: number and start, so that another process that was
// given the number is not taken for it.
func TestWithoutLocks(t *testing.T) {
	dir := t.TempDir()
	s := NewStore(dir)
	s.flock = func(*os.File) error { return errNoLocks }
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	parent := os.Getppid()
	put := func(id, host string, pid int, started string) {
		data, err := json.Marshal(file{Version: 1, ID: id, Host: host, PID: pid, Started: started, Values: map[string]string{}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, id+suffix), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("living", host, parent, startOf(parent))
	put("unknown", host, parent, "")
	put("reused", host, parent, "12345")
	put("dead", host, 1<<30, "12345")
	put("elsewhere", host+"-not", parent, startOf(parent))
	put("left", "", 0, "")
	if err := s.Save(NewDraft("mine", time.Now()), time.Now()); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{"living": true, "unknown": true, "reused": false, "dead": false, "elsewhere": false, "left": false, "mine": false} {
		if got := isOpen(t, s, id); got != want {
			t.Errorf("%s: open %v", id, got)
		}
	}
	if start := startOf(os.Getpid()); start == "" {
		t.Error("the start of this process is not known")
	}
	data, err := os.ReadFile(s.path("mine"))
	if err != nil {
		t.Fatal(err)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil || f.PID != os.Getpid() || f.Started != startOf(os.Getpid()) {
		t.Errorf("the draft does not name its writer: %s, %v", data, err)
	}
}
