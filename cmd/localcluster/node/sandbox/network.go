package sandbox

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

const bridgeName = "pods"

// network is the bridge on which all pods are, and the addresses given out.
type network struct {
	handle *netlink.Handle // of the holder's own namespace
	bridge netlink.Link
	mu     sync.Mutex
	next   netip.Addr
	used   map[netip.Addr]bool
	count  int
}

// address is a pod's place in the network.
type address struct {
	netip.Addr
	link string // the near end of the pod's veth pair
}

// prefix of the pods' addresses. The bridge has the first.
func prefix() netip.Prefix { return netip.MustParsePrefix("10.244.0.1/16") }

func newNetwork() (*network, error) {
	handle, err := netlink.NewHandle()
	if err != nil {
		return nil, err
	}
	n := &network{handle: handle, used: map[netip.Addr]bool{}, next: prefix().Addr()}
	lo, err := handle.LinkByName("lo")
	if err != nil {
		return nil, err
	}
	if err := handle.LinkSetUp(lo); err != nil {
		return nil, err
	}
	if err := handle.LinkAdd(&netlink.Bridge{LinkAttrs: named(bridgeName)}); err != nil {
		return nil, fmt.Errorf("adding a bridge: %w", err)
	}
	if n.bridge, err = handle.LinkByName(bridgeName); err != nil {
		return nil, err
	}
	if err := handle.AddrAdd(n.bridge, netlinkAddr(prefix())); err != nil {
		return nil, err
	}
	return n, handle.LinkSetUp(n.bridge)
}

func named(name string) netlink.LinkAttrs {
	a := netlink.NewLinkAttrs()
	a.Name = name
	return a
}

func netlinkAddr(p netip.Prefix) *netlink.Addr {
	return &netlink.Addr{IPNet: &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}}
}

// take gives out an address; the one given back last is the last to be given again, so that a name which still
// stands somewhere does not soon lead to another pod.
func (n *network) take() (*address, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := prefix()
	for range 1 << (32 - p.Bits()) {
		n.next = n.next.Next()
		if last := n.next.As4(); !p.Contains(n.next) || last[2] == 255 && last[3] == 255 {
			n.next = p.Addr()
			continue
		}
		if n.next != p.Addr() && !n.used[n.next] {
			n.used[n.next] = true
			n.count++
			return &address{Addr: n.next, link: fmt.Sprintf("v%d", n.count)}, nil
		}
	}
	return nil, errors.New("the pods' network has no free address")
}

// join puts the calling thread's network namespace, which ns is, on the bridge.
func (n *network) join(ns *os.File) (a *address, err error) {
	if a, err = n.take(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			n.leave(a)
		}
	}()
	pair := &netlink.Veth{LinkAttrs: named(a.link), PeerName: "eth0", PeerNamespace: netlink.NsFd(int(ns.Fd()))}
	pair.MasterIndex = n.bridge.Attrs().Index
	if err := n.handle.LinkAdd(pair); err != nil {
		return nil, fmt.Errorf("adding a veth pair: %w", err)
	}
	near, err := n.handle.LinkByName(a.link)
	if err != nil {
		return nil, err
	}
	if err := n.handle.LinkSetUp(near); err != nil {
		return nil, err
	}
	inside, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, err
	}
	defer inside.Close()
	for _, name := range []string{"lo", "eth0"} {
		link, err := inside.LinkByName(name)
		if err != nil {
			return nil, err
		}
		if name == "eth0" {
			if err := inside.AddrAdd(link, netlinkAddr(netip.PrefixFrom(a.Addr, prefix().Bits()))); err != nil {
				return nil, err
			}
		}
		if err := inside.LinkSetUp(link); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// leave takes a pod off the bridge and its address back. The pair would go with the pod's namespace, but only when its
// last process has: the address must not be in use twice until then.
func (n *network) leave(a *address) {
	if link, err := n.handle.LinkByName(a.link); err == nil {
		_ = n.handle.LinkDel(link)
	}
	n.mu.Lock()
	delete(n.used, a.Addr)
	n.mu.Unlock()
}

// cut takes a pod's link down or up again.
func (n *network) cut(a *address, down bool) error {
	link, err := n.handle.LinkByName(a.link)
	if err != nil {
		return err
	}
	if down {
		return n.handle.LinkSetDown(link)
	}
	return n.handle.LinkSetUp(link)
}

// dial connects to a port of the pod's loopback. A listener on 127.0.0.1 alone is reached too, as the kubelet does.
func (p *heldPod) dial(port int) (*os.File, error) {
	var f *os.File
	shared, err := p.open("")
	if err != nil {
		return nil, err
	}
	defer shared.close()
	err = onOwnThread(func() error {
		if err := shared.enter(); err != nil {
			return err
		}
		var err error
		if f, err = connect(unix.AF_INET, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err == nil {
			return nil
		}
		var v6 error
		if f, v6 = connect(unix.AF_INET6, &unix.SockaddrInet6{Port: port, Addr: [16]byte{15: 1}}); v6 == nil {
			return nil
		}
		return fmt.Errorf("connecting to port %d: %w", port, err)
	})
	return f, err
}

func connect(family int, to unix.Sockaddr) (*os.File, error) {
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Connect(fd, to); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "pod's port"), nil
}
