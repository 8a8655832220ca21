package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

// testHidden: a restricted user is no more in a pod than outside, though pods run as whoever started the cluster.
func testHidden(t *testing.T, c *cluster) {
	script := fmt.Sprintf("exec 2>&1; cd %s && test -d data && ls -A data && cat data/pki/ca.key data/kubeconfig/admin.yaml; echo end", filepath.Dir(c.data))
	c.createJobSet("alice", "research", simpleJobSet("nosy", "", 1, 1, script))
	c.waitJobSet("alice", "research", "nosy", jobset.JobSetCompleted)
	pods, err := c.kube("alice").CoreV1().Pods("research").List(t.Context(), metav1.ListOptions{LabelSelector: "jobset.sigs.k8s.io/jobset-name=nosy"})
	if err != nil || len(pods.Items) != 1 {
		t.Fatalf("%d pods, %v", len(pods.Items), err)
	}
	lines := strings.Split(strings.TrimSpace(c.log("alice", &pods.Items[0])), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], "ca.key: No such file") || !strings.Contains(lines[1], "admin.yaml: No such file") || lines[2] != "end" {
		t.Errorf("the pod sees\n%s", strings.Join(lines, "\n"))
	}
	// A volume that would show it is refused in words.
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "peeking"}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "main", Image: "registry.local/library/busybox:1.37", Command: []string{"cat", "/machine/ca.key"},
			VolumeMounts: []corev1.VolumeMount{{Name: "machine", MountPath: "/machine"}}}},
		Volumes: []corev1.Volume{{Name: "machine", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: filepath.Join(c.data, "pki")}}}}}}
	alice := c.kube("alice").CoreV1()
	if _, err := alice.Pods("research").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the hostPath volume is refused", 2*time.Minute, func(ctx context.Context) error {
		events, err := alice.Events("research").List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=peeking,reason=FailedMount"})
		if err == nil && (len(events.Items) == 0 || !strings.Contains(events.Items[0].Message, "hostPath volumes are refused")) {
			err = fmt.Errorf("events %v", events.Items)
		}
		return err
	})
	if err := alice.Pods("research").Delete(t.Context(), "peeking", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	background := metav1.DeletePropagationBackground
	if err := c.jobSets("alice").JobsetV1alpha2().JobSets("research").Delete(t.Context(), "nosy", metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		t.Error(err)
	}
}
