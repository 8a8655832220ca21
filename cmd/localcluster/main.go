// Localcluster runs a real Kubernetes on this machine, without containers and without root: etcd, kube-apiserver, the
// controllers, kube-scheduler, JobSet, Kueue, and nodes whose pods are processes.
package main

import (
	"errors"
	"fmt"
	"os"

	_ "muster.dev/muster/cmd/localcluster/k8sversion"
	"muster.dev/muster/cmd/localcluster/node"
)

func main() {
	// A pod's first process is this program again. It must not get as far as flags.
	if node.ReexecMain() {
		return
	}
	cmd := newRoot()
	if err := cmd.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "localcluster:", err)
		var code exitCode
		if errors.As(err, &code) {
			os.Exit(code.code)
		}
		os.Exit(1)
	}
}
