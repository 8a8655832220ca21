package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"muster.dev/muster/cmd/localcluster/controlplane"
	"muster.dev/muster/cmd/localcluster/manifest"
	"muster.dev/muster/cmd/localcluster/seed"
)

// start brings the cluster up, and returns when a job can be created and run.
func (d *Daemon) start(ctx context.Context, nodes *nodes) error {
	d.step("API server")
	if err := errors.Join(d.api.Start(), d.managers.Start()); err != nil {
		return err
	}
	if err := d.orBroken(ctx, func(ctx context.Context) error { return controlplane.WaitForAPIServer(ctx, d.admin) }); err != nil {
		return fmt.Errorf("%w; its log is %s", err, d.opts.Dir.Log(APIServer))
	}
	if err := nodes.start(); err != nil {
		return err
	}
	err := d.orBroken(ctx, func(ctx context.Context) error {
		select {
		case <-d.operable:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("JobSet and Kueue are not ready: %w", ctx.Err())
		}
	})
	if err != nil {
		return fmt.Errorf("%w; their log is %s", err, d.opts.Dir.Log(Controllers))
	}
	d.step("Workspaces, queues, volumes, users")
	applier, err := manifest.NewApplier(d.admin)
	if err != nil {
		return err
	}
	if err := seed.Apply(ctx, applier, d.opts.Dir.Path("volumes")); err != nil {
		return err
	}
	d.step("Nodes")
	return d.orBroken(ctx, func(ctx context.Context) error {
		if err := nodes.wait(ctx); err != nil {
			return err
		}
		return d.waitUsable(ctx)
	})
}

// orBroken ends a wait as soon as a component says that it cannot go on.
func (d *Daemon) orBroken(ctx context.Context, wait func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- wait(ctx) }()
	select {
	case err := <-done:
		return err
	case err := <-d.broken:
		cancel(err)
		<-done
		return err
	}
}

// waitUsable waits for what a first job would stumble over: default service accounts, bound volumes, nodes on which
// pods may be put, the queues.
func (d *Daemon) waitUsable(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(d.admin)
	if err != nil {
		return err
	}
	for _, check := range []func(context.Context, kubernetes.Interface) (string, error){accountsMissing, volumesUnbound, nodesUnready} {
		for {
			missing, err := check(ctx, client)
			if err == nil && missing == "" {
				break
			}
			select {
			case <-ctx.Done():
				return errors.Join(errors.New(missing), err, ctx.Err())
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}

func accountsMissing(ctx context.Context, client kubernetes.Interface) (string, error) {
	for _, ns := range seed.Workspaces() {
		if _, err := client.CoreV1().ServiceAccounts(ns).Get(ctx, "default", metav1.GetOptions{}); err != nil {
			return "no default ServiceAccount in " + ns, err
		}
	}
	return "", nil
}

func volumesUnbound(ctx context.Context, client kubernetes.Interface) (string, error) {
	claims, err := client.CoreV1().PersistentVolumeClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for _, c := range claims.Items {
		// Others may be there and wait for whatever their owners wait for.
		if c.Spec.StorageClassName != nil && *c.Spec.StorageClassName == seed.StorageClass && c.Status.Phase != corev1.ClaimBound {
			return "volume " + c.Namespace + "/" + c.Name + " is not bound", nil
		}
	}
	return "", nil
}

func nodesUnready(ctx context.Context, client kubernetes.Interface) (string, error) {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	ready := map[string]bool{}
	for _, n := range nodes.Items {
		ready[n.Name] = usable(&n)
	}
	for _, spec := range seed.Nodes() {
		if !ready[spec.Name] {
			return "node " + spec.Name + " is not ready", nil
		}
	}
	return "", nil
}

// usable says whether the scheduler puts pods on a node: it is ready, and the taint is off that every new node has until
// a controller has seen that.
func usable(n *corev1.Node) bool {
	for _, t := range n.Spec.Taints {
		if t.Key == corev1.TaintNodeNotReady || t.Key == corev1.TaintNodeUnreachable {
			return false
		}
	}
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
