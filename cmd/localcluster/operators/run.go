package operators

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"muster.dev/muster/cmd/localcluster/instance"
	"muster.dev/muster/cmd/localcluster/manifest"
	"muster.dev/muster/cmd/localcluster/pki"
)

// JobSetIdentity is the user as which JobSet's controllers come: their own service account, so that they work with the
// rights that their release gives them.
func JobSetIdentity() pki.Request {
	return serviceAccount("jobset-system", "jobset-controller-manager")
}

// KueueIdentity is the user as which Kueue's come.
func KueueIdentity() pki.Request { return serviceAccount(kueueNamespace, "kueue-controller-manager") }

func serviceAccount(namespace, name string) pki.Request {
	return pki.Request{Name: "system:serviceaccount:" + namespace + ":" + name,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}}
}

// ServingCert is the certificate of the webhooks and of the visibility API, by its name in the store.
const ServingCert = "operators"

// ServingRequest is what it is for.
func ServingRequest() pki.Request {
	return pki.Request{Name: ServingCert, Hosts: []string{"127.0.0.1", "localhost", visibilityName + "." + kueueNamespace + ".svc"}}
}

// Config says with what the operators run.
type Config struct {
	Ports           instance.Ports
	Store           pki.Store
	Admin           *rest.Config // to install them
	JobSet          *rest.Config
	Kueue           *rest.Config
	KueueKubeconfig string // the same as a file
	Log             logr.Logger
	Step            func(string) // called when something begins
	Ready           func()       // called when jobs can be queued
}

// webhookConfig is where an operator's webhooks are served.
type webhookConfig struct {
	port  int
	store string // folder of the serving certificate
}

func (c webhookConfig) server() webhook.Server {
	return webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: c.port, CertDir: c.store,
		CertName: ServingCert + ".crt", KeyName: ServingCert + ".key"})
}

// Run installs the operators into the cluster and runs them until the context ends or one fails.
func Run(ctx context.Context, cfg Config) error {
	ca, err := cfg.Store.Read(pki.ClusterCA)
	if err != nil {
		return err
	}
	applier, err := manifest.NewApplier(cfg.Admin)
	if err != nil {
		return err
	}
	in, err := newInstallation(cfg.Ports, ca.Cert)
	if err != nil {
		return err
	}
	installed, err := applier.Done(ctx, doneOperators, in.hash)
	if err != nil {
		return err
	}
	if !installed {
		cfg.Step("Definitions of JobSet and Kueue")
		if err := in.define(ctx, applier); err != nil {
			return err
		}
	}
	cfg.Step("JobSet and Kueue")
	jobSet, err := newJobSet(ctx, cfg.JobSet, webhookConfig{cfg.Ports.JobSetWebhook, cfg.Store.Dir()})
	if err != nil {
		return fmt.Errorf("starting JobSet: %w", err)
	}
	kueue, err := newKueue(ctx, cfg.Kueue, webhookConfig{cfg.Ports.KueueWebhook, cfg.Store.Dir()}, cfg.Log)
	if err != nil {
		return fmt.Errorf("starting Kueue: %w", err)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return named("JobSet", jobSet.Start(ctx)) })
	group.Go(func() error { return named("Kueue", kueue.manager.Start(ctx)) })
	group.Go(func() error {
		return named("Kueue", serveVisibility(ctx, visibilityConfig{port: cfg.Ports.Visibility, certFile: cfg.Store.CertFile(ServingCert),
			keyFile: cfg.Store.KeyFile(ServingCert), kubeconfig: cfg.KueueKubeconfig}, cfg.Kueue, kueue.queues))
	})
	group.Go(func() error {
		if err := waitServing(ctx, jobSet, kueue.manager); err != nil {
			return err
		}
		if !installed {
			if err := in.open(ctx, applier); err != nil {
				return err
			}
		}
		if err := in.waitOpen(ctx, applier); err != nil {
			return err
		}
		if !installed {
			if err := applier.MarkDone(ctx, doneOperators, in.hash); err != nil {
				return err
			}
		}
		cfg.Ready()
		return nil
	})
	return group.Wait()
}

func named(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// waitServing returns when the managers' webhooks answer and their caches are filled.
func waitServing(ctx context.Context, managers ...ctrl.Manager) error {
	for _, m := range managers {
		for m.GetWebhookServer().StartedChecker()(nil) != nil {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(20 * time.Millisecond):
			}
		}
		if !m.GetCache().WaitForCacheSync(ctx) {
			return ctx.Err()
		}
	}
	return nil
}
