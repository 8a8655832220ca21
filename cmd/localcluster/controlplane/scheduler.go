package controlplane

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// RunScheduler runs kube-scheduler with its default profile until the context ends.
func RunScheduler(ctx context.Context, config *rest.Config) error {
	config = rest.AddUserAgent(rest.CopyConfig(config), "kube-scheduler")
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	cfg, err := latest.Default()
	if err != nil {
		return err
	}
	broadcaster := events.NewEventBroadcasterAdapterWithContext(ctx, client)
	kinds := scheduler.NewInformerFactory(client, 0)
	dynamicKinds := dynamicinformer.NewDynamicSharedInformerFactory(dynamicClient, 0)
	var recorders profile.RecorderFactory = func(name string) events.EventRecorderLogger { return broadcaster.NewRecorder(name) }
	s, err := scheduler.New(ctx, client, kinds, dynamicKinds, recorders,
		scheduler.WithComponentConfigVersion(cfg.APIVersion),
		scheduler.WithKubeConfig(config),
		scheduler.WithProfiles(cfg.Profiles...),
		scheduler.WithPercentageOfNodesToScore(cfg.PercentageOfNodesToScore),
		scheduler.WithPodMaxBackoffSeconds(cfg.PodMaxBackoffSeconds),
		scheduler.WithPodInitialBackoffSeconds(cfg.PodInitialBackoffSeconds),
		scheduler.WithParallelism(cfg.Parallelism),
	)
	if err != nil {
		return fmt.Errorf("scheduler: %w", err)
	}
	broadcaster.StartRecordingToSink(ctx.Done())
	defer broadcaster.Shutdown()
	kinds.Start(ctx.Done())
	dynamicKinds.Start(ctx.Done())
	kinds.WaitForCacheSync(ctx.Done())
	dynamicKinds.WaitForCacheSync(ctx.Done())
	if err := s.WaitForHandlersSync(ctx); err != nil {
		return errors.Join(err, ctx.Err())
	}
	s.Run(ctx)
	return ctx.Err()
}
