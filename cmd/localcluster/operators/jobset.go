package operators

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	jobsetapi "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/jobset/pkg/controllers"
	jobsetmetrics "sigs.k8s.io/jobset/pkg/metrics"
	"sigs.k8s.io/jobset/pkg/webhooks"
)

// newJobSet sets up JobSet's controllers and webhooks.
func newJobSet(ctx context.Context, cfg *rest.Config, hooks webhookConfig) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := jobsetapi.AddToScheme(scheme); err != nil {
		return nil, err
	}
	jobsetmetrics.Register()
	skip := true
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:                 scheme,
		WebhookServer:          hooks.server(),
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		// Names are checked for the whole process, where Kueue has controllers of the same.
		Controller: config.Controller{SkipNameValidation: &skip},
	})
	if err != nil {
		return nil, err
	}
	if err := controllers.SetupJobSetIndexes(ctx, mgr.GetFieldIndexer()); err != nil {
		return nil, err
	}
	if err := controllers.SetupPodIndexes(ctx, mgr.GetFieldIndexer()); err != nil {
		return nil, err
	}
	jobSets := controllers.NewJobSetReconciler(mgr.GetClient(), mgr.GetScheme(), mgr.GetEventRecorder("jobset"))
	if err := jobSets.SetupWithManager(mgr); err != nil {
		return nil, fmt.Errorf("controller of JobSets: %w", err)
	}
	pods := controllers.NewPodReconciler(mgr.GetClient(), mgr.GetScheme(), mgr.GetEventRecorder("pod"))
	if err := pods.SetupWithManager(mgr); err != nil {
		return nil, fmt.Errorf("controller of pods: %w", err)
	}
	return mgr, webhooks.Setup(mgr)
}
