package kube

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
	"k8s.io/client-go/util/connrotation"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// link is the connection to one API server with one set of credentials.
type link struct {
	host      string
	context   string
	namespace string
	known     []string // namespaces that the kubeconfig names
	secrets   *redactions
	client    client.WithWatch
	core      rest.Interface // core/v1, for logs and plain paths
	tracker   *connrotation.ConnectionTracker
}

// Limits of the transport.
const (
	dialTimeout = 5 * time.Second
	// A connection over which nothing came for this long is asked for a sign of life, and given up without one.
	pingAfter   = 10 * time.Second
	pingTimeout = 5 * time.Second
	// What the server may send ahead on one stream that is not read: it bounds memory when 128 logs wait for a slow
	// reader.
	streamBuffer = 256 << 10
)

func newLink(config *rest.Config) (_ *link, err error) {
	defer func() {
		if err != nil {
			// It may be about the server's URL, which may carry a password.
			err = errors.New(anyUser.ReplaceAllString(err.Error(), "${1}"+removed+"@"))
		}
	}()
	// A token bucket here would hold 128 log streams back for seconds. The server's own fairness protects it.
	config.QPS, config.Burst = -1, -1
	config.Timeout = 0
	config.WarningHandler = nil
	config.WarningHandlerWithContext = noteTaker{}
	tracker := connrotation.NewConnectionTracker()
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}
	config.Dial = connrotation.NewDialerWithTracker(dialer.DialContext, tracker).DialContext

	shape, err := config.TransportConfig()
	if err != nil {
		return nil, err
	}
	tls, err := transport.TLSConfigFor(shape)
	if err != nil {
		return nil, err
	}
	proxy := http.ProxyFromEnvironment
	if config.Proxy != nil {
		proxy = config.Proxy
	}
	base := &http.Transport{
		Proxy:                 proxy,
		DialContext:           shape.DialHolder.Dial,
		TLSClientConfig:       tls,
		TLSHandshakeTimeout:   10 * time.Second,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   25,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
		HTTP2: &http.HTTP2Config{
			SendPingTimeout: pingAfter, PingTimeout: pingTimeout, MaxReceiveBufferPerStream: streamBuffer,
		},
	}
	seen := &redactions{}
	seen.add(config.BearerToken, config.Password)
	if server, err := url.Parse(config.Host); err == nil {
		seen.addURL(server)
		if through, err := proxy(&http.Request{URL: server}); err == nil {
			seen.addURL(through)
		}
	}
	wrapped, err := transport.HTTPWrappersForConfig(shape, &witness{next: base, seen: seen})
	if err != nil {
		return nil, err
	}
	httpClient := &http.Client{Transport: wrapped}

	scheme, mapper, err := kinds()
	if err != nil {
		return nil, err
	}
	made, err := client.NewWithWatch(config, client.Options{HTTPClient: httpClient, Scheme: scheme, Mapper: mapper})
	if err != nil {
		return nil, err
	}
	core := rest.CopyConfig(config)
	core.GroupVersion = &schema.GroupVersion{Version: "v1"}
	core.APIPath = "/api"
	core.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	plain, err := rest.RESTClientForConfigAndClient(core, httpClient)
	if err != nil {
		return nil, err
	}
	return &link{
		host: bareHost(config.Host), secrets: seen,
		client: made, core: plain, tracker: tracker,
	}, nil
}

// kinds are the types that muster handles. Resources are known beforehand, so that no discovery stands before the
// first request.
func kinds() (*runtime.Scheme, meta.RESTMapper, error) {
	scheme := runtime.NewScheme()
	for _, add := range groups {
		if err := add(scheme); err != nil {
			return nil, nil, err
		}
	}
	mapper := meta.NewDefaultRESTMapper(scheme.PrioritizedVersionsAllGroups())
	for gvk := range scheme.AllKnownTypes() {
		scope := meta.RESTScopeNamespace
		if clusterScoped[gvk.Kind] {
			scope = meta.RESTScopeRoot
		}
		mapper.Add(gvk, scope)
	}
	return scheme, mapper, nil
}

// notes collects the API server's warnings of one call.
type notes struct {
	mu    sync.Mutex
	texts []string
}

type notesKey struct{}

func withNotes(ctx context.Context) (context.Context, *notes) {
	n := &notes{}
	return context.WithValue(ctx, notesKey{}, n), n
}

func (n *notes) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.texts...)
}

// noteTaker hands warnings to the notes of the call that they belong to; others are not printed: the terminal is
// not this package's.
type noteTaker struct{}

func (noteTaker) HandleWarningHeaderWithContext(ctx context.Context, _ int, _, text string) {
	n, ok := ctx.Value(notesKey{}).(*notes)
	if !ok || text == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, known := range n.texts {
		if known == text {
			return
		}
	}
	n.texts = append(n.texts, text)
}

// resource is an object's plural name, with its group unless core: as rights and errors name it.
func (l *link) resource(object client.Object) string {
	gvk, err := apiutil.GVKForObject(object, l.client.Scheme())
	if err != nil {
		return "objects"
	}
	mapping, err := l.client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return gvk.Kind
	}
	return mapping.Resource.GroupResource().String()
}
