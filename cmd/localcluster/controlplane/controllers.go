package controlplane

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/resourcequota"
	quotainstall "k8s.io/kubernetes/pkg/quota/v1/install"
)

// resync is how often informers hand everything to the controllers again.
const resync = 12 * time.Hour

// controllers is what every controller is made from.
type controllers struct {
	ctx       context.Context
	config    *rest.Config
	informers informers.SharedInformerFactory
	all       informerfactory.InformerFactory // of kinds without types too
	mapper    meta.ResettableRESTMapper
	rootCA    []byte
	started   chan struct{} // closed when the informers run
	runs      []func(context.Context)
}

// RunControllers runs the controllers that kube-controller-manager would, those of them that matter without a cloud, and
// returns when all have ended, which they do with the context.
func RunControllers(ctx context.Context, config *rest.Config, rootCA []byte) error {
	trim := func(obj any) (any, error) {
		if o, err := meta.Accessor(obj); err == nil {
			o.SetManagedFields(nil)
		}
		return obj, nil
	}
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(rest.CopyConfig(config), "shared-informers"))
	if err != nil {
		return err
	}
	metadataClient, err := metadata.NewForConfig(rest.AddUserAgent(rest.CopyConfig(config), "metadata-informers"))
	if err != nil {
		return err
	}
	shared := informers.NewSharedInformerFactoryWithOptions(client, resync, informers.WithTransform(trim))
	partial := metadatainformer.NewSharedInformerFactoryWithOptions(metadataClient, resync, metadatainformer.WithTransform(trim))
	c := &controllers{
		ctx: ctx, config: config, rootCA: rootCA, informers: shared,
		all:     informerfactory.NewInformerFactory(shared, partial),
		mapper:  restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery())),
		started: make(chan struct{}),
	}
	for _, add := range []struct {
		name string
		add  func(kubernetes.Interface) error
	}{
		{"generic-garbage-collector", c.addGarbageCollector},
		{"namespace-controller", c.addNamespaces},
		{"resourcequota-controller", c.addQuota},
		{"service-account-controller", c.addServiceAccounts},
		{"clusterrole-aggregation-controller", c.addRoleAggregation},
		{"node-controller", c.addNodes},
		{"persistent-volume-binder", c.addVolumes},
		{"pod-garbage-collector", c.addPodCollector},
		{"job-controller", c.addJobs},
		{"workload-controller", c.addWorkloads},
		{"endpointslice-controller", c.addEndpointSlices},
		{"disruption-controller", c.addDisruption},
	} {
		client, err := kubernetes.NewForConfig(rest.AddUserAgent(rest.CopyConfig(config), add.name))
		if err != nil {
			return err
		}
		if err := add.add(client); err != nil {
			return fmt.Errorf("%s: %w", add.name, err)
		}
	}
	shared.Start(ctx.Done())
	partial.Start(ctx.Done())
	close(c.started)
	var wg sync.WaitGroup
	for _, run := range c.runs {
		wg.Go(func() { run(ctx) })
	}
	// Kinds come and go with custom resources; nothing tells the mapper.
	wg.Go(func() {
		for tick := time.NewTicker(30 * time.Second); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				c.mapper.Reset()
			}
		}
	})
	wg.Wait()
	return ctx.Err()
}

func (c *controllers) run(f func(context.Context)) { c.runs = append(c.runs, f) }

// workers runs a controller with a number of workers.
func (c *controllers) workers(n int, f func(context.Context, int)) {
	c.run(func(ctx context.Context) { f(ctx, n) })
}

func (c *controllers) addGarbageCollector(client kubernetes.Interface) error {
	metadataClient, err := metadata.NewForConfig(rest.AddUserAgent(rest.CopyConfig(c.config), "generic-garbage-collector"))
	if err != nil {
		return err
	}
	ignored := map[schema.GroupResource]struct{}{{Resource: "events"}: {}, {Group: "events.k8s.io", Resource: "events"}: {}}
	graph := garbagecollector.NewDependencyGraphBuilder(c.ctx, metadataClient, c.mapper, ignored, c.all, c.started)
	gc, err := garbagecollector.NewComposedGarbageCollector(c.ctx, client, metadataClient, c.mapper, graph)
	if err != nil {
		return err
	}
	const period = 30 * time.Second
	c.run(func(ctx context.Context) { gc.Run(ctx, 10, period) })
	// It learns of new kinds here. Five seconds, not the usual 30: the custom resources of a fresh cluster are made while
	// this runs, and jobs that are deleted before the collector knows their kind leave their pods behind for as long.
	c.run(func(ctx context.Context) { gc.Sync(ctx, client.Discovery(), 5*time.Second) })
	return nil
}

func (c *controllers) addNamespaces(client kubernetes.Interface) error {
	metadataClient, err := metadata.NewForConfig(rest.AddUserAgent(rest.CopyConfig(c.config), "namespace-controller"))
	if err != nil {
		return err
	}
	ns := namespace.NewNamespaceController(c.ctx, client, metadataClient, client.Discovery().ServerPreferredNamespacedResources,
		c.informers.Core().V1().Namespaces(), 5*time.Minute, corev1.FinalizerKubernetes)
	c.workers(5, ns.Run)
	return nil
}

func (c *controllers) addQuota(client kubernetes.Interface) error {
	var kinds discovery.DiscoveryInterface = client.Discovery()
	quota, err := quotainstall.NewQuotaConfigurationForControllers(generic.ListerFuncForResourceFunc(c.informers.ForResource), c.informers)
	if err != nil {
		return err
	}
	rq, err := resourcequota.NewController(c.ctx, &resourcequota.ControllerOptions{
		QuotaClient:               client.CoreV1(),
		ResourceQuotaInformer:     c.informers.Core().V1().ResourceQuotas(),
		ResyncPeriod:              controller.StaticResyncPeriodFunc(5 * time.Minute),
		InformerFactory:           c.all,
		ReplenishmentResyncPeriod: controller.StaticResyncPeriodFunc(resync),
		DiscoveryFunc:             kinds.ServerPreferredNamespacedResources,
		IgnoredResourcesFunc:      quota.IgnoredResources,
		InformersStarted:          c.started,
		Registry:                  generic.NewRegistry(quota.Evaluators()),
		UpdateFilter:              quotainstall.DefaultUpdateFilter(),
	})
	if err != nil {
		return err
	}
	c.workers(5, rq.Run)
	c.run(func(ctx context.Context) { rq.Sync(ctx, kinds.ServerPreferredNamespacedResources, 30*time.Second) })
	return nil
}

// logger is what the controllers ask for that take no context.
func (c *controllers) logger() klog.Logger { return klog.FromContext(c.ctx) }
