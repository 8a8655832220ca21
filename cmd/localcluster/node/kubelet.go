package node

import (
	"context"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"muster.dev/muster/cmd/localcluster/forcedelete"
)

// kubelet runs the pods of all nodes.
type kubelet struct {
	*machine
	log      *slog.Logger
	statuses workqueue.TypedRateLimitingInterface[types.UID] // pods whose status is to be told

	mu   sync.Mutex
	pods map[types.UID]*pod
	dead map[string]bool // nodes
}

func newKubelet(m *machine, log *slog.Logger) *kubelet {
	k := &kubelet{machine: m, log: log, pods: map[types.UID]*pod{}, dead: map[string]bool{},
		statuses: workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[types.UID](50*time.Millisecond, 10*time.Second))}
	m.changed = func(p *pod) {
		p.mu.Lock()
		ready := p.readyLocked()
		p.mu.Unlock()
		m.names.ready(p.uid, ready)
		k.statuses.Add(p.uid)
	}
	return k
}

// create starts to run a pod.
func (k *kubelet) create(spec *corev1.Pod) *pod {
	p := newPod(k.machine, spec)
	k.mu.Lock()
	k.pods[p.uid] = p
	k.mu.Unlock()
	go p.run()
	return p
}

// delete asks a pod to end within a time.
func (k *kubelet) delete(p *pod, within time.Duration) { p.stop(within, verdict{}) }

// forget drops a pod that has ended, with its logs.
func (k *kubelet) forget(p *pod) {
	k.mu.Lock()
	delete(k.pods, p.uid)
	k.mu.Unlock()
	if err := forcedelete.All(p.dir); err != nil {
		k.log.Warn("a pod's files remain", "dir", p.dir, "error", err)
	}
}

func (k *kubelet) byUID(uid types.UID) *pod {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.pods[uid]
}

// byName returns the pods that have, or in earlier lives had, a name; usually one.
func (k *kubelet) byName(namespace, name string) []*pod {
	k.mu.Lock()
	defer k.mu.Unlock()
	var found []*pod
	for _, p := range k.pods {
		if spec := p.current(); spec.Namespace == namespace && spec.Name == name {
			found = append(found, p)
		}
	}
	return found
}

func (k *kubelet) all() []*pod {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := make([]*pod, 0, len(k.pods))
	for _, p := range k.pods {
		list = append(list, p)
	}
	return list
}

// isDead says whether a node plays dead.
func (k *kubelet) isDead(node string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.dead[node]
}

// setDead makes a node play dead, or come back; it says whether that is a change.
func (k *kubelet) setDead(ctx context.Context, node string, dead bool) bool {
	k.mu.Lock()
	if k.dead[node] == dead {
		k.mu.Unlock()
		return false
	}
	k.dead[node] = dead
	k.mu.Unlock()
	for _, p := range k.all() {
		p.mu.Lock()
		here, sandbox := p.spec.Spec.NodeName == node, p.sandbox
		p.mu.Unlock()
		if !here {
			continue
		}
		if sandbox != nil {
			if err := sandbox.Freeze(ctx, dead); err != nil {
				k.log.Debug("a pod is not there to be frozen", "pod", p.uid, "error", err)
			}
		}
		if !dead {
			k.statuses.Add(p.uid)
		}
	}
	return true
}

// close kills every pod and returns when they have ended.
func (k *kubelet) close() {
	pods := k.all()
	for _, p := range pods {
		p.stop(0, verdict{})
	}
	k.host.Close()
	for _, p := range pods {
		<-p.done
	}
}
