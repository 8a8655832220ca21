// Package instance is one cluster's place on disk: its data directory, who holds it, the ports it keeps.
package instance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"muster.dev/muster/cmd/localcluster/forcedelete"
)

// marker is the file that tells a data directory of ours from any other folder. Purge deletes nothing without it.
const marker = ".muster-localcluster"

// Dir is the data directory of one cluster.
type Dir struct{ root string }

// Default is the data directory used when none is named: below $XDG_DATA_HOME, or ~/.local/share.
func Default() (string, error) {
	if base := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "muster", "localcluster"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no place for the data, name one with --data: %w", err)
	}
	return filepath.Join(home, ".local", "share", "muster", "localcluster"), nil
}

// Open returns the data directory at path, making it if it is absent or empty. It refuses a folder that holds something
// else.
func Open(path string) (Dir, error) {
	d, err := at(path)
	if err != nil {
		return Dir{}, err
	}
	if d.Exists() {
		return d, nil
	}
	if err := os.MkdirAll(d.root, 0o700); err != nil {
		return Dir{}, err
	}
	entries, err := os.ReadDir(d.root)
	if err != nil {
		return Dir{}, err
	}
	if len(entries) > 0 {
		return Dir{}, fmt.Errorf("%s holds other files and is no data directory of localcluster; name another one with --data", d.root)
	}
	// The folder holds every private key of the cluster, also when it existed with wider rights.
	if err := os.Chmod(d.root, 0o700); err != nil {
		return Dir{}, err
	}
	return d, os.WriteFile(d.Path(marker), []byte("data of one localcluster; `localcluster down --purge` deletes it\n"), 0o600)
}

// Find returns the data directory at path without making it; Exists says whether it is one.
func Find(path string) (Dir, error) { return at(path) }

func at(path string) (Dir, error) {
	if path == "" {
		var err error
		if path, err = Default(); err != nil {
			return Dir{}, err
		}
	}
	abs, err := filepath.Abs(path)
	return Dir{root: abs}, err
}

// Exists says whether this is a data directory of a cluster.
func (d Dir) Exists() bool {
	_, err := os.Stat(d.Path(marker))
	return err == nil
}

// String is the directory's absolute path.
func (d Dir) String() string { return d.root }

// Path is the path of something inside of the directory.
func (d Dir) Path(elem ...string) string {
	return filepath.Join(append([]string{d.root}, elem...)...)
}

// Kubeconfig is the path of a user's kubeconfig.
func (d Dir) Kubeconfig(user string) string { return d.Path("kubeconfig", user+".yaml") }

// Log is the path of a component's log file.
func (d Dir) Log(component string) string { return d.Path(component + ".log") }

// Purge deletes the directory with everything in it. The caller holds the lock.
func (d Dir) Purge() error {
	if !d.Exists() {
		return fmt.Errorf("%s is no data directory of localcluster, nothing is deleted", d.root)
	}
	// The marker goes last, so that an interrupted purge can be run again.
	entries, err := os.ReadDir(d.root)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if e.Name() != marker {
			errs = append(errs, forcedelete.All(d.Path(e.Name())))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return os.RemoveAll(d.root)
}
