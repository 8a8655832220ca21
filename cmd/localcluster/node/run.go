package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	vklog "github.com/virtual-kubelet/virtual-kubelet/log"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"muster.dev/muster/cmd/localcluster/node/sandbox"
)

// Run registers the nodes, serves the kubelet API on a free loopback port and runs pods until ctx ends; then it ends every process that
// it started. started is closed when all nodes are Ready.
func Run(ctx context.Context, cfg Config, started chan<- struct{}) error {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	restConfig := rest.CopyConfig(cfg.REST)
	restConfig.QPS, restConfig.Burst = 200, 400 // the limits of many kubelets together
	client, err := kubernetes.NewForConfig(restConfig)
	if err != nil {
		return err
	}
	host, err := sandbox.Start(ctx)
	if err != nil {
		return err
	}
	defer host.Close()
	n := newNodes(cfg, client, host, dir, caOf(restConfig))
	return n.run(ctx, cfg, started)
}

// caOf is the API server's certificate authority, for pods that want to know it.
func caOf(c *rest.Config) []byte {
	if len(c.CAData) > 0 || c.CAFile == "" {
		return c.CAData
	}
	b, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil // pods can do without
	}
	return b
}

// nodes is everything that Run runs.
type nodes struct {
	*kubelet
	client   kubernetes.Interface
	members  map[string]*member
	pods     informers.SharedInformerFactory
	others   informers.SharedInformerFactory
	recorder map[string]record.EventRecorder // of each node
	events   record.EventBroadcaster
}

func newNodes(cfg Config, client kubernetes.Interface, host *sandbox.Host, dir string, ca []byte) *nodes {
	n := &nodes{client: client, members: map[string]*member{}, recorder: map[string]record.EventRecorder{}, events: record.NewBroadcaster()}
	n.pods = informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(trim), informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.FieldSelector = fields.OneTermNotEqualSelector("spec.nodeName", "").String()
	}))
	n.others = informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(trim))
	capacity := map[string]corev1.ResourceList{}
	for _, spec := range cfg.Nodes {
		capacity[spec.Name] = capacityOf(spec)
		n.recorder[spec.Name] = n.events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "kubelet", Host: spec.Name})
	}
	services := n.others.Core().V1().Services().Lister()
	m := &machine{host: host, objects: &objects{client: client, ca: ca}, dir: dir, hide: cfg.Hide, shared: cfg.Volumes, path: containerPath(os.Getenv("PATH")), delays: kubeletDelays(),
		allocatable: func(node string) corev1.ResourceList { return capacity[node] },
		names: newNames(func(namespace string) []*corev1.Service {
			list, err := services.Services(namespace).List(labels.Everything())
			if err != nil {
				cfg.Log.Warn("services cannot be listed", "namespace", namespace, "error", err)
			}
			return list
		}),
		event: func(pod *corev1.Pod, kind, reason, message string) {
			if r := n.recorder[pod.Spec.NodeName]; r != nil {
				r.Event(pod, kind, reason, message)
			}
		}}
	n.kubelet = newKubelet(m, cfg.Log)
	return n
}

// trim leaves out what nobody here reads.
func trim(o any) (any, error) {
	if m, ok := o.(metav1.Object); ok {
		m.SetManagedFields(nil)
	}
	return o, nil
}

// containerPath is this program's PATH, since this machine is the image, with the usual directories behind.
func containerPath(own string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(own), func(d string) bool { return !filepath.IsAbs(d) })
	for _, usual := range []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"} {
		if !slices.Contains(dirs, usual) {
			dirs = append(dirs, usual)
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

func (n *nodes) run(ctx context.Context, cfg Config, started chan<- struct{}) error {
	ctx, cancel := context.WithCancelCause(vklog.WithLogger(ctx, vkLogger{cfg.Log}))
	defer cancel(nil)
	listener, err := net.Listen("tcp", net.JoinHostPort(hostIP, "0"))
	if err != nil {
		return err
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	known := map[string]bool{}
	for _, spec := range cfg.Nodes {
		known[spec.Name] = true
		n.members[spec.Name] = &member{kubelet: n.kubelet, object: nodeObject(spec, port), client: n.client}
	}
	n.events.StartRecordingToSink(&corev1client.EventSinkImpl{Interface: n.client.CoreV1().Events("")})
	defer n.events.Shutdown()

	podLister := n.pods.Core().V1().Pods().Lister()
	syncer := newSyncer(n.kubelet, n.client, podLister, known)
	if err := n.watch(ctx, syncer); err != nil {
		return err
	}
	pods, err := podLister.List(labels.Everything())
	if err != nil {
		return err
	}
	syncer.sweep(pods)

	var running sync.WaitGroup
	defer running.Wait()
	defer n.close()
	running.Go(func() { n.names.run(ctx) })
	running.Go(func() { syncer.run(ctx) })
	running.Go(func() {
		server := &server{kubelet: n.kubelet, pods: podLister}
		if err := server.serve(ctx, listener, cfg.ServingCert, cfg.ClientCAs); err != nil {
			cancel(fmt.Errorf("the kubelet API has ended: %w", err))
		}
	})
	ready := make(chan struct{}, len(n.members))
	for _, m := range n.members {
		running.Go(func() { m.run(ctx, sync.OnceFunc(func() { ready <- struct{}{} })) })
	}
	running.Go(func() {
		for range n.members {
			select {
			case <-ready:
			case <-ctx.Done():
				return
			}
		}
		close(started)
	})
	select {
	case <-ctx.Done():
	case <-n.host.Done():
		cancel(errors.New("the pods' holder has ended, and with it all pods"))
	}
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return nil
}

// watch starts the informers and returns when they know everything.
func (n *nodes) watch(ctx context.Context, syncer *syncer) error {
	if _, err := n.pods.Core().V1().Pods().Informer().AddEventHandler(syncer.handler()); err != nil {
		return err
	}
	changed := func(o any) {
		if s, ok := o.(*corev1.Service); ok {
			n.names.changed(s.Namespace)
		}
	}
	_, err := n.others.Core().V1().Services().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: changed, UpdateFunc: func(_, o any) { changed(o) }, DeleteFunc: func(o any) {
			if d, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = d.Obj
			}
			changed(o)
		}})
	if err != nil {
		return err
	}
	seen := func(o any) {
		if node, ok := o.(*corev1.Node); ok && n.members[node.Name] != nil {
			n.watchDead(ctx, node, syncer)
		}
	}
	if _, err := n.others.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: seen, UpdateFunc: func(_, o any) { seen(o) }}); err != nil {
		return err
	}
	for _, f := range []informers.SharedInformerFactory{n.others, n.pods} {
		f.Start(ctx.Done())
		for kind, synced := range f.WaitForCacheSync(ctx.Done()) {
			if !synced {
				return fmt.Errorf("reading %v: %w", kind, context.Cause(ctx))
			}
		}
	}
	return nil
}

// watchDead lets a node play dead, or come back, as its annotation says.
func (n *nodes) watchDead(ctx context.Context, node *corev1.Node, syncer *syncer) {
	dead := node.Annotations[AnnotationDead] == "true"
	if !n.setDead(ctx, node.Name, dead) {
		return
	}
	n.log.Info("a node plays dead or comes back", "node", node.Name, "dead", dead)
	if dead {
		return
	}
	go n.members[node.Name].revived(ctx)
	pods, err := syncer.pods.List(labels.Everything())
	if err != nil {
		return // listing a cache does not fail
	}
	for _, p := range pods {
		if p.Spec.NodeName == node.Name {
			syncer.queue.Add(cache.MetaObjectToName(p))
		}
	}
	for _, p := range n.all() { // those that were deleted meanwhile
		spec := p.current()
		syncer.queue.Add(cache.MetaObjectToName(spec))
	}
}
