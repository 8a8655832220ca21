package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// What all tests use; set once before they run.
var (
	binary       string // the built program
	localcluster string // the program that runs the cluster
	data         string // the cluster's folder
)

func TestMain(m *testing.M) {
	status, err := inCluster(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		status = 1
	}
	os.Exit(status)
}

// inCluster builds the program, starts a cluster of its own, runs the tests and removes all of it.
func inCluster(run func() int) (status int, err error) {
	folder, err := os.MkdirTemp("", "muster-e2e-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	binary = filepath.Join(folder, "muster")
	build := exec.Command("go", "build", "-o", binary, "muster.dev/muster/cmd/muster")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("building the program: %w\n%s", err, out)
	}
	localcluster = os.Getenv("MUSTER_LOCALCLUSTER")
	if localcluster == "" {
		return 0, errors.New("MUSTER_LOCALCLUSTER does not name the localcluster program; make test builds it and sets it")
	}
	data = filepath.Join(folder, "cluster")
	if err := cluster("up"); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, cluster("down", "--purge")) }()
	return run(), nil
}

// cluster runs localcluster on the tests' folder.
func cluster(args ...string) error {
	out, err := exec.Command(localcluster, append(args, "--data", data)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("localcluster %v: %w\n%s", args, err, out)
	}
	return nil
}

// kubeconfig is the kubeconfig of a user of the cluster.
func kubeconfig(user string) string { return filepath.Join(data, "kubeconfig", user+".yaml") }

// as is the environment of a user.
func as(user string) []string { return []string{"KUBECONFIG=" + kubeconfig(user)} }

// volumeFolder is the folder that a volume of a workspace is.
func volumeFolder(workspace, volume string) string {
	return filepath.Join(data, "volumes", workspace+"-"+volume)
}
