package hosts

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func service(name string, publish bool, selector map[string]string) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{Selector: selector, PublishNotReadyAddresses: publish}}
}

func TestEntries(t *testing.T) {
	job := map[string]string{"job": "j"}
	master := map[string]string{"job": "j", "role": "master"}
	pods := []Pod{
		{Hostname: "j-master-0", Subdomain: "j", IP: "10.244.0.2", Labels: master, Ready: true},
		{Hostname: "j-worker-0", Subdomain: "j", IP: "10.244.0.3", Labels: job},
		{IP: "10.244.0.4", Labels: map[string]string{"other": "x"}, Ready: true},
	}
	tests := []struct {
		name     string
		services []*corev1.Service
		want     string
	}{
		{"no Service, no names", nil, ""},
		{"host names", []*corev1.Service{service("j", true, job)},
			"10.244.0.2\tj-master-0.j.ns.svc.cluster.local j-master-0.j.ns.svc j-master-0.j.ns j-master-0.j j.ns.svc.cluster.local j.ns.svc j.ns j\n" +
				"10.244.0.3\tj-worker-0.j.ns.svc.cluster.local j-worker-0.j.ns.svc j-worker-0.j.ns j-worker-0.j j.ns.svc.cluster.local j.ns.svc j.ns j\n"},
		{"only ready pods", []*corev1.Service{service("j", false, job)},
			"10.244.0.2\tj-master-0.j.ns.svc.cluster.local j-master-0.j.ns.svc j-master-0.j.ns j-master-0.j j.ns.svc.cluster.local j.ns.svc j.ns j\n"},
		{"a Service of another name than the subdomain", []*corev1.Service{service("j-master-0", true, master)},
			"10.244.0.2\tj-master-0.ns.svc.cluster.local j-master-0.ns.svc j-master-0.ns j-master-0\n"},
		{"without a selector", []*corev1.Service{service("j", true, nil)}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(Entries("ns", test.services, pods)); got != test.want {
				t.Errorf("%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestFile(t *testing.T) {
	const head = "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"
	if got := string(File("ns", "h", "s", "10.244.0.2", nil, []byte("x\ty\n"))); got != head+"10.244.0.2\th.s.ns.svc.cluster.local\th\nx\ty\n" {
		t.Error(got)
	}
	aliases := []corev1.HostAlias{{IP: "1.2.3.4", Hostnames: []string{"a", "b"}}}
	if got := string(File("ns", "h", "", "10.244.0.2", aliases, nil)); got != head+"10.244.0.2\th\n1.2.3.4\ta\tb\n" {
		t.Error(got)
	}
}
