package operators

import (
	"context"
	"fmt"
	"net"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/compatibility"
	"k8s.io/component-base/version"
	generatedopenapi "sigs.k8s.io/kueue/apis/visibility/openapi"
	visibilityv1beta1 "sigs.k8s.io/kueue/apis/visibility/v1beta1"
	visibility "sigs.k8s.io/kueue/apis/visibility/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	"sigs.k8s.io/kueue/pkg/visibility/storage"
)

// visibilityConfig says where Kueue's aggregated API is served. Kueue's own start of it keeps its certificate at a fixed
// path outside of any data directory.
type visibilityConfig struct {
	port       int
	certFile   string
	keyFile    string
	kubeconfig string // with which it has its callers authenticated and authorised
}

// serveVisibility serves the positions of waiting workloads until the context ends.
func serveVisibility(ctx context.Context, cfg visibilityConfig, config *rest.Config, queues *qcache.Manager) error {
	scheme := runtime.NewScheme()
	if err := visibility.AddToScheme(scheme); err != nil {
		return err
	}
	if err := visibilityv1beta1.AddToScheme(scheme); err != nil {
		return err
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	codecs := serializer.NewCodecFactory(scheme)

	server := genericapiserver.NewRecommendedConfig(codecs)
	server.ClientConfig = rest.CopyConfig(config)
	server.EffectiveVersion = compatibility.NewEffectiveVersionFromString(version.Get().String(), "", "")
	names := openapinamer.NewDefinitionNamer(scheme)
	server.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(generatedopenapi.GetOpenAPIDefinitions, names)
	server.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(generatedopenapi.GetOpenAPIDefinitions, names)
	server.OpenAPIConfig.Info.Title, server.OpenAPIV3Config.Info.Title = "Kueue visibility", "Kueue visibility"

	o := genericoptions.NewRecommendedOptions("", codecs.LegacyCodec(visibility.SchemeGroupVersion, visibilityv1beta1.SchemeGroupVersion))
	o.Etcd, o.Admission = nil, nil // it stores nothing
	o.Features.EnablePriorityAndFairness = false
	o.SecureServing.BindAddress, o.SecureServing.BindPort = net.IPv4(127, 0, 0, 1), cfg.port
	o.SecureServing.ServerCert.CertKey.CertFile, o.SecureServing.ServerCert.CertKey.KeyFile = cfg.certFile, cfg.keyFile
	o.Authentication.RemoteKubeConfigFile = cfg.kubeconfig
	o.Authorization.RemoteKubeConfigFile = cfg.kubeconfig
	o.CoreAPI.CoreAPIKubeconfigPath = cfg.kubeconfig
	if err := o.ApplyTo(server); err != nil {
		return fmt.Errorf("visibility API: %w", err)
	}
	s, err := server.Complete().New("kueue-visibility", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return fmt.Errorf("visibility API: %w", err)
	}
	group := genericapiserver.NewDefaultAPIGroupInfo(visibility.SchemeGroupVersion.Group, scheme, runtime.NewParameterCodec(scheme), codecs)
	resources := storage.NewStorage(queues)
	group.VersionedResourcesStorageMap[visibility.SchemeGroupVersion.Version] = resources
	group.VersionedResourcesStorageMap[visibilityv1beta1.SchemeGroupVersion.Version] = resources
	group.PrioritizedVersions = []schema.GroupVersion{visibility.SchemeGroupVersion, visibilityv1beta1.SchemeGroupVersion}
	if err := s.InstallAPIGroups(&group); err != nil {
		return fmt.Errorf("visibility API: %w", err)
	}
	return s.PrepareRun().RunWithContext(ctx)
}
