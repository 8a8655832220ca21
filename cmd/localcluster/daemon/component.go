package daemon

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/sync/errgroup"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"muster.dev/muster/cmd/localcluster/controlplane"
	"muster.dev/muster/cmd/localcluster/instance"
	"muster.dev/muster/cmd/localcluster/operators"
	"muster.dev/muster/cmd/localcluster/pki"
	"muster.dev/muster/cmd/localcluster/supervise"
)

// RunComponent runs a component in this process, which the daemon has started for it, until it ends.
func RunComponent(name string, dir instance.Dir, port int) error {
	parent, err := supervise.Attach()
	if err != nil {
		return err
	}
	switch name {
	case APIServer:
		err = runAPIServer(dir, port)
	case Controllers:
		err = runControllers(parent, dir, port)
	default:
		err = fmt.Errorf("unknown component %q", name)
	}
	if err != nil {
		parent.Send(supervise.Report{Error: err.Error()})
	}
	return err
}

func runAPIServer(dir instance.Dir, port int) error {
	store, err := pki.NewStore(dir.Path("pki"))
	if err != nil {
		return err
	}
	// Its heap is most of a cluster's memory. This takes a fifth off, for a few percent of its time.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
	return controlplane.RunAPIServer(context.Background(), dir, store, port)
}

func runControllers(parent *supervise.Reporter, dir instance.Dir, port int) error {
	asked, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ctrl.SetLogger(klog.Background())
	ports, err := dir.ReadPorts()
	if err != nil {
		return err
	}
	ports.APIServer = port
	ids, err := openIdentities(dir, ports)
	if err != nil {
		return err
	}
	admin, err := ids.rest(identityAdmin)
	if err != nil {
		return err
	}
	if err := controlplane.WaitForAPIServer(asked, admin); err != nil {
		return err
	}
	ca, err := ids.store.Read(pki.ClusterCA)
	if err != nil {
		return err
	}
	own, err := ids.rest(identityControllers)
	if err != nil {
		return err
	}
	sched, err := ids.rest(identityScheduler)
	if err != nil {
		return err
	}
	jobSet, err := ids.rest(identityJobSet)
	if err != nil {
		return err
	}
	kueue, err := ids.rest(identityKueue)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(asked)
	group.Go(func() error { return controlplane.RunControllers(ctx, own, ca.Cert) })
	group.Go(func() error { return controlplane.RunScheduler(ctx, sched) })
	group.Go(func() error {
		return operators.Run(ctx, operators.Config{Ports: ports, Store: ids.store, Admin: admin, JobSet: jobSet, Kueue: kueue,
			KueueKubeconfig: ids.kueueKubeconfig(), Log: klog.Background(),
			Step:  func(s string) { parent.Send(supervise.Report{Step: s}) },
			Ready: func() { parent.Send(supervise.Report{Ready: true}) }})
	})
	if err := group.Wait(); asked.Err() == nil {
		return err
	}
	return nil
}
