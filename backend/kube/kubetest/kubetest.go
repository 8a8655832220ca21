// Package kubetest starts the local cluster (cmd/localcluster) for a package's tests: a real Kubernetes with JobSet
// and Kueue whose pods are processes of this machine.
//
// The program is taken from $MUSTER_LOCALCLUSTER, else it is built into the repository's bin folder, which takes some
// minutes the first time.
package kubetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// Variable names the local cluster's program.
const Variable = "MUSTER_LOCALCLUSTER"

// The users that the local cluster has: Admin may do everything; Alice works in the workspace research and sees nothing
// of the cluster; Bob owns vision and may look at nodes, pods and queues; Carol has no right at all.
const (
	Admin = "admin"
	Alice = "alice"
	Bob   = "bob"
	Carol = "carol"
)

// upTimeout bounds a start: seconds on an idle machine.
const upTimeout = 5 * time.Minute

// Cluster is a running local cluster.
type Cluster struct {
	binary string
	data   string
}

// Shared is one cluster for all tests of a package, started by the first that asks for it. The zero value is ready;
// the package's TestMain ends it:
//
//	var cluster kubetest.Shared
//
//	func TestMain(m *testing.M) { os.Exit(cluster.Run(m)) }
type Shared struct {
	once    sync.Once
	cluster *Cluster
	err     error
}

// Get starts the cluster, or gives the one that runs.
func (s *Shared) Get(tb testing.TB) *Cluster {
	tb.Helper()
	s.once.Do(func() { s.cluster, s.err = start() })
	if s.err != nil {
		tb.Fatal(s.err)
	}
	return s.cluster
}

// Run runs the tests and ends the cluster, if there is one; it returns the status to exit with.
func (s *Shared) Run(m *testing.M) int {
	status := m.Run()
	if s.cluster == nil {
		return status
	}
	if err := s.cluster.down(status != 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(status, 1)
	}
	return status
}

// Start gives a test a cluster of its own, which ends with it.
func Start(tb testing.TB) *Cluster {
	tb.Helper()
	c, err := start()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := c.down(tb.Failed()); err != nil {
			tb.Error(err)
		}
	})
	return c
}

func start() (*Cluster, error) {
	binary, err := program()
	if err != nil {
		return nil, err
	}
	// Not testing's own folder: paths of sockets below it must stay short.
	if err := sweep(os.TempDir(), binary); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", folderPattern)
	if err != nil {
		return nil, err
	}
	if err := own(folder); err != nil {
		return nil, err
	}
	c := &Cluster{binary: binary, data: filepath.Join(folder, "data")}
	ctx, cancel := context.WithTimeout(context.Background(), upTimeout)
	defer cancel()
	if err := c.command(ctx, "up"); err != nil {
		return nil, errors.Join(err, c.down(true))
	}
	return c, nil
}

// program finds or builds the local cluster.
func program() (string, error) {
	if path := os.Getenv(Variable); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("kubetest: $%s: %w", Variable, err)
		}
		return filepath.Abs(path)
	}
	_, source, _, ok := runtime.Caller(0)
	if !ok {
		return "", errors.New("kubetest: the source of this package is not known: set $" + Variable)
	}
	repository := filepath.Join(filepath.Dir(source), "..", "..", "..")
	binary := filepath.Join(repository, "bin", "localcluster")
	// go decides what is stale. Without cgo, as make does it: the two have separate caches.
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", binary, ".")
	build.Dir = filepath.Join(repository, "cmd", "localcluster")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("kubetest: building the local cluster: %w\n%s", err, out)
	}
	return binary, nil
}

// Kubeconfig is the path of a user's kubeconfig.
func (c *Cluster) Kubeconfig(user string) string {
	return filepath.Join(c.data, "kubeconfig", user+".yaml")
}

// StopAPIServer kills the API server; pods and nodes stay.
func (c *Cluster) StopAPIServer(tb testing.TB) { c.must(tb, "apiserver", "stop") }

// StartAPIServer brings it back on its data and port, and returns when it is ready.
func (c *Cluster) StartAPIServer(tb testing.TB) { c.must(tb, "apiserver", "start") }

// RestartAPIServer does both.
func (c *Cluster) RestartAPIServer(tb testing.TB) { c.must(tb, "apiserver", "restart") }

func (c *Cluster) must(tb testing.TB, args ...string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), upTimeout)
	defer cancel()
	if err := c.command(ctx, args...); err != nil {
		tb.Fatal(err)
	}
}

func (c *Cluster) command(ctx context.Context, args ...string) error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, c.binary, append(args, "--data", c.data)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("kubetest: localcluster %v: %w\n%s", args, err, out.Bytes())
	}
	return nil
}

// down ends the cluster and removes its data. After a failure the programs' logs are kept where the error says.
func (c *Cluster) down(failed bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var kept error
	if failed {
		if folder, err := os.MkdirTemp("", "muster-kube-logs-"); err == nil {
			logs, _ := filepath.Glob(filepath.Join(c.data, "*.log"))
			for _, log := range logs {
				data, err := os.ReadFile(log)
				if err == nil {
					err = os.WriteFile(filepath.Join(folder, filepath.Base(log)), data, 0o600)
				}
				kept = errors.Join(kept, err)
			}
			fmt.Fprintln(os.Stderr, "kubetest: the local cluster's logs are kept in", folder)
		}
	}
	if err := c.command(ctx, "down", "--purge"); err != nil {
		return errors.Join(err, kept)
	}
	return errors.Join(kept, os.RemoveAll(filepath.Dir(c.data)))
}
