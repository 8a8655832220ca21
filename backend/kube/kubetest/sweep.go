package kubetest

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A test that is killed can't end its cluster, which is a process of its own. So each cluster's folder names the
// process that started it, and the next start ends those whose process is gone.
const (
	folderPattern = "muster-kube-cluster-"
	ownerFile     = "owner"
)

func own(folder string) error {
	return os.WriteFile(filepath.Join(folder, ownerFile), []byte(strconv.Itoa(os.Getpid())), 0o600)
}

// sweep ends what killed tests left in a folder for temporary files.
func sweep(temporary, binary string) error {
	folders, err := filepath.Glob(filepath.Join(temporary, folderPattern+"*"))
	if err != nil {
		return err
	}
	var failed error
	for _, folder := range folders {
		text, err := os.ReadFile(filepath.Join(folder, ownerFile))
		if err != nil {
			continue // being made, or somebody else's
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || pid <= 0 || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			continue
		}
		left := &Cluster{binary: binary, data: filepath.Join(folder, "data")}
		failed = errors.Join(failed, left.down(false))
	}
	return failed
}
