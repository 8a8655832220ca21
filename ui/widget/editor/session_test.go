package editor

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// run is one run of a shell script as the editor program; $0 is the file.
func run(t *testing.T, script, text string) (ExternalMsg, string) {
	t.Helper()
	s, folder := scripted(t, script, text)
	return s.result(s.Run()).(ExternalMsg), folder
}

func scripted(t *testing.T, script, text string) (*session, string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "folder")
	s := &session{
		id: "id", words: []string{"sh", "-c", script}, text: text, suffix: ".sh", grace: time.Minute,
		newFolder: func() (string, error) { return folder, os.Mkdir(folder, 0o700) },
	}
	s.SetStdin(strings.NewReader(""))
	s.SetStdout(io.Discard)
	s.SetStderr(io.Discard)
	return s, folder
}

func TestWhatAnEditorWroteIsNeverLost(t *testing.T) {
	cases := []struct {
		name, script string
		text         string // taken; "" = none
		err          error
		kept         string // in the file that is still there; "" = nothing is left
	}{
		{"saved", `printf new > "$0"`, "new", nil, "new"},
		{"left as it was", `true`, "old", nil, ""},
		{"failed after it saved", `printf new > "$0"; exit 1`, "new", ErrRun, "new"},
		{"failed before it saved", `exit 1`, "", ErrRun, ""},
		{"failed with a swap file", `echo swap > "$(dirname "$0")/.args.sh.swp"; exit 1`, "", ErrRun, "old"},
		{"killed after it saved", `printf new > "$0"; kill -KILL $$`, "new", ErrRun, "new"},
		{"not text", `printf '\377' > "$0"`, "", ErrNotText, "\xff"},
		{"not text, and failed", `printf '\377' > "$0"; exit 1`, "", ErrNotText, "\xff"},
		{"too long", `head -c 600000 /dev/zero | tr '\0' x > "$0"`, "", ErrTooLong, strings.Repeat("x", 600_000)},
		{"removed", `rm "$0"`, "", ErrFile, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			msg, folder := run(t, c.script, "old")
			if !errors.Is(msg.Err, c.err) || msg.Taken() != (c.text != "") || msg.Text != c.text {
				t.Errorf("%q, taken %v, %v", msg.Text, msg.Taken(), msg.Err)
			}
			if c.kept == "" {
				if _, err := os.Stat(folder); !os.IsNotExist(err) || msg.Path != "" || msg.Folder != "" {
					t.Errorf("%q is left: %v", msg.Path, err)
				}
				return
			}
			info, err := os.Stat(msg.Path)
			if err != nil || info.Mode().Perm() != 0o600 || msg.Folder != folder {
				t.Fatalf("%q in %q: %v %v", msg.Path, msg.Folder, info, err)
			}
			if data, err := os.ReadFile(msg.Path); err != nil || string(data) != c.kept {
				t.Errorf("kept %d bytes, %v", len(data), err)
			}
		})
	}
}

func TestAProgramOrFolderThatCannotBeHad(t *testing.T) {
	s, folder := scripted(t, "", "old")
	s.words = []string{filepath.Join(t.TempDir(), "none")}
	if msg := s.result(s.Run()).(ExternalMsg); !errors.Is(msg.Err, ErrRun) || msg.Taken() || msg.Path != "" {
		t.Errorf("%+v", msg)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Error("a folder is left")
	}
	s.newFolder = func() (string, error) { return "", os.ErrPermission }
	s.folder = ""
	if msg := s.result(s.Run()).(ExternalMsg); !errors.Is(msg.Err, ErrFile) || msg.Taken() {
		t.Errorf("%+v", msg)
	}
}

// A signal for muster ends the program, too: at once when it heeds it, else when its time is over or a second one comes.
func TestSignalsEndTheProgram(t *testing.T) {
	for _, c := range []struct {
		name, trap string
		grace      time.Duration
		signals    int
	}{
		{"heeded", ``, time.Minute, 1},
		{"ignored", `trap '' TERM HUP; `, 10 * time.Millisecond, 1},
		{"ignored, and again", `trap '' TERM HUP; `, time.Minute, 2},
	} {
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(c.name+" "+sig.String(), func(t *testing.T) {
				started := filepath.Join(t.TempDir(), "started")
				if err := syscall.Mkfifo(started, 0o600); err != nil {
					t.Fatal(err)
				}
				s, _ := scripted(t, c.trap+`printf new > "$0"; echo > '`+started+`'; while :; do read -r line < '`+started+`.never' 2>/dev/null || sleep 0.05; done`, "old")
				s.grace = c.grace
				ended := make(chan error, 1)
				go func() { ended <- s.Run() }()
				if _, err := os.ReadFile(started); err != nil { // until the program writes into it
					t.Fatal(err)
				}
				for range c.signals {
					if err := syscall.Kill(os.Getpid(), sig); err != nil {
						t.Fatal(err)
					}
					time.Sleep(20 * time.Millisecond) // two of a kind at once may come as one
				}
				msg := s.result(<-ended).(ExternalMsg)
				if !errors.Is(msg.Err, ErrRun) || !msg.Saved || msg.Text != "new" || msg.Path == "" {
					t.Errorf("%+v", msg)
				}
			})
		}
	}
}
