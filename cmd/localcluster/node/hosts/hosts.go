// Package hosts writes the /etc/hosts of pods, which stands in for a cluster's DNS.
package hosts

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

const clusterDomain = "cluster.local"

// Pod is a pod that has an address.
type Pod struct {
	Hostname, Subdomain, IP string
	Labels                  map[string]string
	Ready                   bool
}

// Entries are the names in one namespace, as lines: of each pod, under the Services that select it. As in DNS, a pod's
// own name exists only in the Service that its subdomain names, and a pod that is not ready has names only in Services
// that publish such pods.
func Entries(namespace string, services []*corev1.Service, pods []Pod) []byte {
	services = slices.Clone(services)
	slices.SortFunc(services, func(a, b *corev1.Service) int { return strings.Compare(a.Name, b.Name) })
	var out bytes.Buffer
	for _, pod := range pods {
		var names []string
		for _, s := range services {
			if len(s.Spec.Selector) == 0 || !labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(pod.Labels)) {
				continue
			}
			if !pod.Ready && !s.Spec.PublishNotReadyAddresses {
				continue
			}
			own := qualified(s.Name, namespace)
			if pod.Hostname != "" && pod.Subdomain == s.Name {
				own = append(qualified(pod.Hostname+"."+s.Name, namespace), own...)
			}
			names = append(names, own...)
		}
		if len(names) > 0 {
			fmt.Fprintf(&out, "%s\t%s\n", pod.IP, strings.Join(names, " "))
		}
	}
	return out.Bytes()
}

// qualified is a name in every length under which pods of the namespace find it, the longest, the canonical one, first.
func qualified(name, namespace string) []string {
	name += "."
	return []string{name + namespace + ".svc." + clusterDomain, name + namespace + ".svc", name + namespace, strings.TrimSuffix(name, ".")}
}

// Domain is what follows the host name of a pod with a subdomain.
func Domain(namespace, subdomain string) string {
	return subdomain + "." + namespace + ".svc." + clusterDomain
}

// File is the whole file of one pod.
func File(namespace, hostname, subdomain, ip string, aliases []corev1.HostAlias, entries []byte) []byte {
	var out bytes.Buffer
	out.WriteString("# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n")
	if subdomain != "" {
		fmt.Fprintf(&out, "%s\t%s.%s\t%s\n", ip, hostname, Domain(namespace, subdomain), hostname)
	} else {
		fmt.Fprintf(&out, "%s\t%s\n", ip, hostname)
	}
	for _, a := range aliases {
		fmt.Fprintf(&out, "%s\t%s\n", a.IP, strings.Join(a.Hostnames, "\t"))
	}
	out.Write(entries)
	return out.Bytes()
}

// Resolv is the resolv.conf of a pod: the search list of a cluster, and no server, so that a name that is not in the
// hosts file is answered with no at once.
func Resolv(namespace string) []byte {
	return fmt.Appendf(nil, "search %[1]s.svc.%[2]s svc.%[2]s %[2]s\noptions ndots:5 timeout:1 attempts:1\n", namespace, clusterDomain)
}
