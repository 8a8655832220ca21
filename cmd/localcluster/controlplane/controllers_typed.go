package controlplane

import (
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/kubernetes/pkg/controller/endpointslice"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
	"k8s.io/kubernetes/pkg/controller/ttlafterfinished"
	"k8s.io/kubernetes/pkg/controller/volume/persistentvolume"
	"k8s.io/kubernetes/pkg/controller/volume/pvcprotection"
	"k8s.io/kubernetes/pkg/controller/volume/pvprotection"
)

func (c *controllers) addServiceAccounts(client kubernetes.Interface) error {
	core := c.informers.Core().V1()
	accounts, err := serviceaccount.NewServiceAccountsController(c.logger(), core.ServiceAccounts(), core.Namespaces(), client,
		serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return err
	}
	publisher, err := rootcacertpublisher.NewPublisher(core.ConfigMaps(), core.Namespaces(), client, c.rootCA)
	if err != nil {
		return err
	}
	c.workers(1, accounts.Run)
	c.workers(1, publisher.Run)
	return nil
}

func (c *controllers) addRoleAggregation(client kubernetes.Interface) error {
	c.workers(5, clusterroleaggregation.NewClusterRoleAggregation(c.informers.Rbac().V1().ClusterRoles(), client.RbacV1()).Run)
	return nil
}

// addNodes watches the nodes' leases, marks the nodes that are lost, and evicts pods from them. The figures are
// kube-controller-manager's defaults.
func (c *controllers) addNodes(client kubernetes.Interface) error {
	core := c.informers.Core().V1()
	lifecycle, err := nodelifecycle.NewNodeLifecycleController(c.ctx, c.informers.Coordination().V1().Leases(), core.Pods(), core.Nodes(),
		c.informers.Apps().V1().DaemonSets(), client, 5*time.Second, time.Minute, 50*time.Second, 0.1, 0.01, 50, 0.55)
	if err != nil {
		return err
	}
	eviction, err := tainteviction.New(c.ctx, client, core.Pods(), core.Nodes(), "taint-eviction-controller")
	if err != nil {
		return err
	}
	c.run(lifecycle.Run)
	c.run(eviction.Run)
	return nil
}

// addVolumes binds claims to volumes that are there. There is no plugin to make volumes.
func (c *controllers) addVolumes(client kubernetes.Interface) error {
	core := c.informers.Core().V1()
	binder, err := persistentvolume.NewController(c.ctx, persistentvolume.ControllerParameters{
		KubeClient:     client,
		SyncPeriod:     2 * time.Second, // a claim that came before its volume waits for the next round
		VolumeInformer: core.PersistentVolumes(),
		ClaimInformer:  core.PersistentVolumeClaims(),
		ClassInformer:  c.informers.Storage().V1().StorageClasses(),
		PodInformer:    core.Pods(),
		NodeInformer:   core.Nodes(),
	})
	if err != nil {
		return err
	}
	claims, err := pvcprotection.NewPVCProtectionController(c.logger(), core.PersistentVolumeClaims(), core.Pods(), client)
	if err != nil {
		return err
	}
	c.run(binder.Run)
	c.workers(1, claims.Run)
	c.workers(1, pvprotection.NewPVProtectionController(c.logger(), core.PersistentVolumes(), client).Run)
	return nil
}

func (c *controllers) addJobs(client kubernetes.Interface) error {
	jobs, err := job.NewController(c.ctx, client, c.informers.Core().V1().Pods(), c.informers.Batch().V1().Jobs(), nil, nil)
	if err != nil {
		return err
	}
	c.workers(5, jobs.Run)
	c.workers(5, ttlafterfinished.New(c.ctx, c.informers.Batch().V1().Jobs(), client).Run)
	return nil
}

// addWorkloads runs what training jobs do not need, and what runs beside them does: a Deployment for a service, a
// DaemonSet for pulling images.
func (c *controllers) addWorkloads(client kubernetes.Interface) error {
	core, apps := c.informers.Core().V1(), c.informers.Apps().V1()
	daemons, err := daemon.NewDaemonSetsController(c.ctx, apps.DaemonSets(), apps.ControllerRevisions(), core.Pods(), core.Nodes(), client,
		flowcontrol.NewBackOff(time.Second, 15*time.Minute))
	if err != nil {
		return err
	}
	deployments, err := deployment.NewDeploymentController(c.ctx, apps.Deployments(), apps.ReplicaSets(), core.Pods(), client)
	if err != nil {
		return err
	}
	c.workers(2, daemons.Run)
	c.workers(5, deployments.Run)
	c.workers(5, replicaset.NewReplicaSetController(c.ctx, apps.ReplicaSets(), core.Pods(), client, replicaset.BurstReplicas).Run)
	return nil
}

func (c *controllers) addEndpointSlices(client kubernetes.Interface) error {
	core := c.informers.Core().V1()
	slices := endpointslice.NewController(c.ctx, core.Pods(), core.Services(), core.Nodes(), c.informers.Discovery().V1().EndpointSlices(),
		100, client, 0)
	c.workers(5, slices.Run)
	return nil
}

func (c *controllers) addDisruption(client kubernetes.Interface) error {
	config := rest.AddUserAgent(rest.CopyConfig(c.config), "disruption-controller")
	scaler, err := scale.NewForConfig(config, c.mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(client.Discovery()))
	if err != nil {
		return err
	}
	core, apps := c.informers.Core().V1(), c.informers.Apps().V1()
	c.run(disruption.NewDisruptionController(c.ctx, core.Pods(), c.informers.Policy().V1().PodDisruptionBudgets(), core.ReplicationControllers(),
		apps.ReplicaSets(), apps.Deployments(), apps.StatefulSets(), client, c.mapper, scaler, client.Discovery()).Run)
	return nil
}
