package node

import (
	"context"
	"fmt"
	"maps"
	goruntime "runtime"
	"sync"
	"time"

	vknode "github.com/virtual-kubelet/virtual-kubelet/node"
	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/version"
)

// pingInterval is how soon a node notices that it is to play dead, or to live again.
const pingInterval = 3 * time.Second

// nodeObject is a node as it registers.
func nodeObject(spec Spec, port int) *corev1.Node {
	labels := map[string]string{corev1.LabelHostname: spec.Name, corev1.LabelOSStable: goruntime.GOOS, corev1.LabelArchStable: goruntime.GOARCH}
	maps.Copy(labels, spec.Labels)
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: spec.Name, Labels: labels, Annotations: map[string]string{}}, Spec: corev1.NodeSpec{Taints: spec.Taints}}
	n.Status.Capacity, n.Status.Allocatable = capacityOf(spec), capacityOf(spec)
	n.Status.Images = spec.Images
	n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: hostIP}}
	n.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(port)
	n.Status.NodeInfo = corev1.NodeSystemInfo{KubeletVersion: version.Get().GitVersion, OperatingSystem: goruntime.GOOS, Architecture: goruntime.GOARCH,
		ContainerRuntimeVersion: "localcluster://1", OSImage: "this machine", KernelVersion: kernel()}
	now := metav1.Now()
	condition := func(kind corev1.NodeConditionType, status corev1.ConditionStatus, reason, message string) {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: kind, Status: status, Reason: reason, Message: message, LastHeartbeatTime: now, LastTransitionTime: now})
	}
	condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available")
	condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure")
	condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available")
	condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status")
	return n
}

// kernel is the release of this machine's.
func kernel() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Release[:])
}

// capacityOf is what a node has; a node that says nothing of pods takes 110, as the kubelet does.
func capacityOf(spec Spec) corev1.ResourceList {
	list := spec.Capacity.DeepCopy()
	if list == nil {
		list = corev1.ResourceList{}
	}
	if _, ok := list[corev1.ResourcePods]; !ok {
		list[corev1.ResourcePods] = resource.MustParse("110")
	}
	return list
}

// member is one node to virtual-kubelet.
type member struct {
	kubelet *kubelet
	object  *corev1.Node
	client  kubernetes.Interface

	mu     sync.Mutex
	notify func(*corev1.Node)
}

// Ping says whether the node lives: only then its heart beats.
func (m *member) Ping(context.Context) error {
	if m.kubelet.isDead(m.object.Name) {
		return &deadError{m.object.Name}
	}
	return nil
}

// NotifyNodeStatus takes the way to tell of changes.
func (m *member) NotifyNodeStatus(_ context.Context, f func(*corev1.Node)) {
	m.mu.Lock()
	m.notify = f
	m.mu.Unlock()
}

// revived tells that the node is ready again, once the ping has noticed it.
func (m *member) revived(ctx context.Context) {
	if !sleep(ctx, pingInterval+time.Second) {
		return
	}
	m.mu.Lock()
	notify := m.notify
	m.mu.Unlock()
	if notify != nil {
		notify(m.object.DeepCopy())
	}
}

// run keeps the node registered until ctx ends; ready is called when it first is.
func (m *member) run(ctx context.Context, ready func()) {
	for delay := (backoff{first: time.Second, last: 30 * time.Second}); ctx.Err() == nil; sleep(ctx, delay.next()) {
		if err := m.register(ctx, ready); err != nil && ctx.Err() == nil {
			m.kubelet.log.Warn("a node is not registered; it will be tried again", "node", m.object.Name, "error", err)
		}
	}
}

func (m *member) register(ctx context.Context, ready func()) error {
	controller, err := vknode.NewNodeController(m, m.object.DeepCopy(), m.client.CoreV1().Nodes(),
		vknode.WithNodeEnableLeaseV1(m.client.CoordinationV1().Leases(corev1.NamespaceNodeLease), vknode.DefaultLeaseDuration),
		vknode.WithNodePingInterval(pingInterval),
		vknode.WithNodeStatusUpdateErrorHandler(m.recreate))
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- controller.Run(ctx) }()
	select {
	case <-controller.Ready():
		ready()
		return <-ended
	case err := <-ended:
		return err
	}
}

// recreate brings back a node that somebody deleted, as a kubelet does.
func (m *member) recreate(ctx context.Context, err error) error {
	if !apierrors.IsNotFound(err) {
		return err
	}
	if _, err := m.client.CoreV1().Nodes().Create(ctx, m.object.DeepCopy(), metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("registering the node again: %w", err)
	}
	return nil
}
