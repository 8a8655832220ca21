package node

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"muster.dev/muster/cmd/localcluster/node/hosts"
)

// namesDelay is for how long changes are gathered before the hosts files are written.
const namesDelay = 20 * time.Millisecond

// names keeps the hosts files of all pods up to date.
type names struct {
	services func(namespace string) []*corev1.Service
	wake     chan struct{}

	mu    sync.Mutex
	pods  map[types.UID]*namedPod
	dirty map[string]bool // namespaces
	count int
}

// named is a pod as others find it, and its own hosts file.
type named struct {
	uid                       types.UID
	namespace, file, hostname string
	aliases                   []corev1.HostAlias
	pod                       hosts.Pod
}

type namedPod struct {
	named
	order   int           // new pods come last, so that most changes only append
	content []byte        // of the file; only the writer's
	written chan struct{} // closed when the file is there
}

func newNames(services func(namespace string) []*corev1.Service) *names {
	return &names{services: services, wake: make(chan struct{}, 1), pods: map[types.UID]*namedPod{}, dirty: map[string]bool{}}
}

// set adds a pod or changes how it is found, and returns when the pod's own file is there.
func (n *names) set(ctx context.Context, what named) error {
	n.mu.Lock()
	p := n.pods[what.uid]
	if p == nil {
		n.count++
		p = &namedPod{order: n.count, written: make(chan struct{})}
		n.pods[what.uid] = p
	}
	p.named = what
	n.mu.Unlock()
	n.changed(what.namespace)
	select {
	case <-p.written:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ready changes a pod's readiness, if it is known.
func (n *names) ready(uid types.UID, ready bool) {
	n.mu.Lock()
	p := n.pods[uid]
	if p == nil || p.pod.Ready == ready {
		n.mu.Unlock()
		return
	}
	p.pod.Ready = ready
	namespace := p.namespace
	n.mu.Unlock()
	n.changed(namespace)
}

func (n *names) remove(uid types.UID) {
	n.mu.Lock()
	p := n.pods[uid]
	delete(n.pods, uid)
	n.mu.Unlock()
	if p != nil {
		n.changed(p.namespace)
	}
}

// changed says that names in a namespace are not what they were.
func (n *names) changed(namespace string) {
	n.mu.Lock()
	n.dirty[namespace] = true
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// run writes the files until ctx ends. It alone writes them.
func (n *names) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.wake:
		}
		if !sleep(ctx, namesDelay) {
			return
		}
		n.mu.Lock()
		dirty := n.dirty
		n.dirty = map[string]bool{}
		n.mu.Unlock()
		for namespace := range dirty {
			n.write(namespace)
		}
	}
}

// write brings the files of one namespace up to date.
func (n *names) write(namespace string) {
	type file struct {
		*namedPod
		named
	}
	var files []file
	n.mu.Lock()
	for _, p := range n.pods {
		if p.namespace == namespace {
			files = append(files, file{p, p.named})
		}
	}
	n.mu.Unlock()
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.order, b.order) })
	pods := make([]hosts.Pod, len(files))
	for i, f := range files {
		pods[i] = f.named.pod
	}
	entries := hosts.Entries(namespace, n.services(namespace), pods)
	for _, f := range files {
		content := hosts.File(namespace, f.named.hostname, f.named.pod.Subdomain, f.named.pod.IP, f.named.aliases, entries)
		if f.content != nil && bytes.Equal(f.content, content) {
			continue
		}
		if err := writeInPlace(f.named.file, f.content, content); err != nil {
			continue // the pod has just gone, with its directory; else the next change tries again
		}
		if f.content == nil {
			close(f.written)
		}
		f.namedPod.content = content
	}
}

// writeInPlace changes a file that is mounted in containers and so cannot be replaced. What was there and stays is not
// touched: who reads meanwhile sees whole old lines, then new ones.
func writeInPlace(path string, old, content []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	same := 0
	for same < len(old) && same < len(content) && old[same] == content[same] {
		same++
	}
	if _, err := f.WriteAt(content[same:], int64(same)); err != nil {
		return err
	}
	return f.Truncate(int64(len(content)))
}
