package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"muster.dev/muster/backend/kube/kubetest"
)

// What all tests use: the built program, set before they run, and one cluster.
var (
	binary string
	shared kubetest.Shared
)

func TestMain(m *testing.M) {
	status, err := withProgram(func() int { return shared.Run(m) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		status = 1
	}
	os.Exit(status)
}

// withProgram builds the program as it is delivered, runs the tests and removes it.
func withProgram(run func() int) (status int, err error) {
	folder, err := os.MkdirTemp("", "muster-e2e-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	binary = filepath.Join(folder, "muster")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", binary, "muster.dev/muster/cmd/muster")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return run(), nil
}

// kubeconfig is the file of a user of the cluster.
func kubeconfig(t testing.TB, user string) string {
	t.Helper()
	return shared.Get(t).Kubeconfig(user)
}

// as is the environment of a user.
func as(t testing.TB, user string) []string {
	t.Helper()
	return []string{"KUBECONFIG=" + kubeconfig(t, user)}
}

// volumeFolder is the folder that a volume of a workspace is.
func volumeFolder(t testing.TB, workspace, volume string) string {
	t.Helper()
	data := filepath.Dir(filepath.Dir(kubeconfig(t, kubetest.Admin)))
	return filepath.Join(data, "volumes", workspace+"-"+volume)
}
