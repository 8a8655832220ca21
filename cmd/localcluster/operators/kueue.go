package operators

import (
	"context"
	"fmt"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueuealpha "sigs.k8s.io/kueue/apis/kueue/v1alpha1"
	kueuev1beta1 "sigs.k8s.io/kueue/apis/kueue/v1beta1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/constants"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/controller/elasticjobs"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	"sigs.k8s.io/kueue/pkg/controller/tas"
	tasindexer "sigs.k8s.io/kueue/pkg/controller/tas/indexer"
	"sigs.k8s.io/kueue/pkg/features"
	kueuemetrics "sigs.k8s.io/kueue/pkg/metrics"
	"sigs.k8s.io/kueue/pkg/resources"
	"sigs.k8s.io/kueue/pkg/scheduler"
	preemptexpectations "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	"sigs.k8s.io/kueue/pkg/util/kubeversion"
	"sigs.k8s.io/kueue/pkg/webhooks"

	// The kinds of jobs that are queued.
	_ "sigs.k8s.io/kueue/pkg/controller/jobs/job"
	_ "sigs.k8s.io/kueue/pkg/controller/jobs/jobset"
)

const kueueNamespace = "kueue-system"

// kueueGates turns off what has no counterpart here: other clusters, and devices allocated by claims.
const kueueGates = "MultiKueue=false,KueueDRAIntegration=false,KueueDRAIntegrationExtendedResource=false," +
	"KueueDRAIntegrationPartitionableDevices=false"

// kueueParts is a Kueue that is set up: its manager, and the queues that the visibility API shows.
type kueueParts struct {
	manager ctrl.Manager
	queues  *qcache.Manager
}

// kueueConfig is Kueue's own configuration, the defaults of its release apart from addresses.
func kueueConfig(scheme *runtime.Scheme) configapi.Configuration {
	namespace, no := kueueNamespace, false
	cfg := configapi.Configuration{
		Namespace:              &namespace,
		InternalCertManagement: &configapi.InternalCertManagement{Enable: &no},
		Integrations:           &configapi.Integrations{Frameworks: []string{"batch/job", "jobset.x-k8s.io/jobset"}},
	}
	cfg.Controller = &configapi.ControllerConfigurationSpec{GroupKindConcurrency: map[string]int{
		"Job.batch": 5, "Workload.kueue.x-k8s.io": 10, "LocalQueue.kueue.x-k8s.io": 5, "Cohort.kueue.x-k8s.io": 1,
		"ClusterQueue.kueue.x-k8s.io": 5, "ResourceFlavor.kueue.x-k8s.io": 1}}
	scheme.Default(&cfg)
	return cfg
}

func kueueScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, kueue.AddToScheme, kueuev1beta1.AddToScheme,
		kueuealpha.AddToScheme, configapi.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, jobframework.ForEachIntegration(func(_ string, cb jobframework.IntegrationCallbacks) error {
		if cb.AddToScheme == nil {
			return nil
		}
		return cb.AddToScheme(scheme)
	})
}

// newKueue sets up Kueue's controllers, scheduler and webhooks.
func newKueue(ctx context.Context, config *rest.Config, hooks webhookConfig, log logr.Logger) (kueueParts, error) {
	var parts kueueParts
	scheme, err := kueueScheme()
	if err != nil {
		return parts, err
	}
	if err := utilfeature.DefaultMutableFeatureGate.Set(kueueGates); err != nil {
		return parts, err
	}
	cfg := kueueConfig(scheme)
	kueuemetrics.Register()
	skip := true
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		WebhookServer:          hooks.server(),
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		Cache:                  ctrlcache.Options{DefaultTransform: ctrlcache.TransformStripManagedFields()},
		Controller:             ctrlconfig.Controller{SkipNameValidation: &skip, GroupKindConcurrency: cfg.Controller.GroupKindConcurrency},
	})
	if err != nil {
		return parts, err
	}
	formatter := resources.NewResourceFormatter()
	local := kueuemetrics.NewLocalQueueMetricsConfig(cfg.Metrics.LocalQueueMetrics)
	expected := preemptexpectations.New()
	requeuer := qcache.NewRequeuer()
	if err := mgr.Add(requeuer); err != nil {
		return parts, err
	}
	cache := schdcache.New(mgr.GetClient(), schdcache.WithLocalQueueMetrics(local), schdcache.WithResourceFormatter(formatter))
	queues := qcache.NewManager(mgr.GetClient(), cache, requeuer, qcache.WithLocalQueueMetrics(local),
		qcache.WithResourceFormatter(formatter), qcache.WithPreemptionExpectations(expected))
	if err := kueueIndexes(ctx, mgr, cfg); err != nil {
		return parts, err
	}
	opts := core.SetupControllersOpts{PreemptionExpectations: expected, ResourceFormatter: formatter}
	if err := kueueControllers(ctx, mgr, cache, queues, &cfg, opts, log); err != nil {
		return parts, err
	}
	if failed, err := webhooks.Setup(mgr, nil); err != nil {
		return parts, fmt.Errorf("webhook %s: %w", failed, err)
	}
	err = mgr.Add(scheduler.New(queues, cache, mgr.GetClient(), mgr.GetEventRecorder(constants.AdmissionName),
		scheduler.WithPodsReadyRequeuingTimestamp(configapi.EvictionTimestamp),
		scheduler.WithQuotaCheckStrategy(configapi.QuotaCheckBlockUndeclared),
		scheduler.WithPreemptionExpectations(expected),
		scheduler.WithResourceFormatter(formatter)))
	if err != nil {
		return parts, err
	}
	go queues.CleanUpOnContext(ctx)
	go cache.CleanUpOnContext(ctx)
	return kueueParts{mgr, queues}, nil
}

func kueueIndexes(ctx context.Context, mgr ctrl.Manager, cfg configapi.Configuration) error {
	fields := mgr.GetFieldIndexer()
	if err := indexer.Setup(ctx, fields); err != nil {
		return err
	}
	if features.Enabled(features.TopologyAwareScheduling) {
		if err := tasindexer.SetupIndexes(ctx, fields); err != nil {
			return err
		}
	}
	return jobframework.SetupIndexes(ctx, fields, jobframework.WithEnabledFrameworks(cfg.Integrations.Frameworks))
}

func kueueControllers(ctx context.Context, mgr ctrl.Manager, cache *schdcache.Cache, queues *qcache.Manager,
	cfg *configapi.Configuration, opts core.SetupControllersOpts, log logr.Logger) error {
	kinds, err := discovery.NewDiscoveryClientForConfig(mgr.GetConfig())
	if err != nil {
		return err
	}
	version := kubeversion.NewServerVersionFetcher(kinds)
	if err := mgr.Add(version); err != nil {
		return err
	}
	if err := version.FetchServerVersion(); err != nil {
		return err
	}
	if failed, err := core.SetupControllers(mgr, queues, cache, cfg, opts); err != nil {
		return fmt.Errorf("controller %s: %w", failed, err)
	}
	if features.Enabled(features.TopologyAwareScheduling) {
		if failed, err := tas.SetupControllers(mgr, queues, cache, cfg, nil); err != nil {
			return fmt.Errorf("controller %s: %w", failed, err)
		}
	}
	if features.Enabled(features.ElasticJobsViaWorkloadSlices) {
		if failed, err := elasticjobs.SetupWithManager(mgr, cfg, nil); err != nil {
			return fmt.Errorf("controller %s: %w", failed, err)
		}
	}
	managed, err := metav1.LabelSelectorAsSelector(cfg.ManagedJobsNamespaceSelector)
	if err != nil {
		return err
	}
	return jobframework.SetupControllers(ctx, mgr, log,
		jobframework.WithManageJobsWithoutQueueName(cfg.ManageJobsWithoutQueueName),
		jobframework.WithManagedJobsNamespaceSelector(managed),
		jobframework.WithKubeServerVersion(version),
		jobframework.WithEnabledFrameworks(cfg.Integrations.Frameworks),
		jobframework.WithManagerName(constants.KueueName),
		jobframework.WithLabelKeysToCopy(sets.New(cfg.Integrations.LabelKeysToCopy...)),
		jobframework.WithAnnotationsToCopy(sets.New[string]()),
		jobframework.WithCache(cache),
		jobframework.WithQueues(queues),
		jobframework.WithObjectRetentionPolicies(cfg.ObjectRetentionPolicies),
	)
}
