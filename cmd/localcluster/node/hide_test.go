package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestDataIsHidden: pods see this machine, but not the cluster's own data, other than the volumes that lie in it.
func TestDataIsHidden(t *testing.T) {
	home, err := os.UserHomeDir() // pods have a /tmp of their own: there everything is hidden
	if err != nil {
		t.Fatal(err)
	}
	base, err := os.MkdirTemp(home, ".muster-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	data := filepath.Join(base, "data")
	for file, text := range map[string]string{"data/pki/ca.key": "SECRET", "data/volumes/ns-nas/f": "code", "beside": "beside"} {
		path := filepath.Join(base, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(data, filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	b := newBench(t,
		&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "nas"}, Spec: corev1.PersistentVolumeClaimSpec{VolumeName: "pv"}},
		&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}, Spec: corev1.PersistentVolumeSpec{PersistentVolumeSource: corev1.PersistentVolumeSource{
			HostPath: &corev1.HostPathVolumeSource{Path: filepath.Join(data, "volumes", "ns-nas")}}}})
	b.dir, b.hide, b.shared = filepath.Join(data, "nodes"), []string{data, filepath.Join(base, "absent")}, filepath.Join(data, "volumes")
	script := fmt.Sprintf(`exec 2>&1; cd %s; cat beside; cat data/pki/ca.key link/pki/ca.key; ls -A data link/; touch data/x; umount data; cat /nas/f; echo new >/nas/g
unshare -Urm sh -c 'umount data; umount -l data; cat data/pki/ca.key'; cat data/pki/ca.key`, base)
	p := b.pod("p", script, func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "nas", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "nas"}}}}
		p.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "nas", MountPath: "/nas"}}
	})
	b.end(p)
	got := b.logged(p, "c", false)
	if strings.Contains(got, "SECRET") || !strings.HasPrefix(got, "beside\n") || !strings.Contains(got, "\ncode\n") || strings.Count(got, "No such file") < 3 {
		t.Errorf("%s", got)
	}
	if text, err := os.ReadFile(filepath.Join(data, "volumes", "ns-nas", "g")); string(text) != "new\n" {
		t.Errorf("on the volume: %q, %v", text, err)
	}

	// What could uncover it is refused.
	yes := true
	for name, context := range map[string]*corev1.SecurityContext{
		"privileged": {Privileged: &yes},
		"admin":      {Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"CAP_SYS_ADMIN"}}},
		"all":        {Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"ALL"}}},
	} {
		p := b.pod(name, "true", func(p *corev1.Pod) { p.Spec.Containers[0].SecurityContext = context })
		b.until(p, "refused", func(s corev1.PodStatus) bool {
			w := s.ContainerStatuses[0].State.Waiting
			return w != nil && w.Reason == "CreateContainerConfigError" && strings.Contains(w.Message, "no privileged containers")
		})
		b.delete(p, 0)
		b.end(p)
	}
	locking := b.pod("locking", "grep CapBnd /proc/self/status", func(p *corev1.Pod) {
		p.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"IPC_LOCK"}}}
	})
	b.end(locking)
	var bounding uint64
	if _, err := fmt.Sscanf(b.logged(locking, "c", false), "CapBnd: %x", &bounding); err != nil || bounding&(1<<14) == 0 {
		t.Errorf("IPC_LOCK, which RDMA needs, is not given: %v %q", err, b.logged(locking, "c", false))
	}
}
