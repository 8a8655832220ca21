package podtemplate

import (
	"path"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
)

// storage gives the volumes and where they are mounted: /dev/shm first, then the user's mounts in their order. A
// claim mounted several times is one volume, since a pod may not name a claim's volume twice on some storage drivers.
func storage(s site.Site, spec job.Spec) ([]corev1.Volume, []corev1.VolumeMount, []job.Problem) {
	shm := corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}
	var problems []job.Problem
	if spec.SharedMemory != "" {
		q, err := resource.ParseQuantity(spec.SharedMemory)
		if err != nil || q.Sign() <= 0 {
			problems = append(problems, job.Problem{Path: "sharedMemory", Code: job.CodeBadMemory, Args: map[string]string{"value": spec.SharedMemory}})
		} else {
			shm.SizeLimit = &q
		}
	}
	// Without a size limit the kubelet bounds it by the pod's memory.
	volumes := []corev1.Volume{{Name: "shm", VolumeSource: corev1.VolumeSource{EmptyDir: &shm}}}
	mounts := []corev1.VolumeMount{{Name: "shm", MountPath: "/dev/shm"}}

	volumeOf := map[string]string{} // claim → volume name
	for _, m := range spec.Storage {
		claim := s.Claim(m.Volume)
		name, known := volumeOf[claim]
		if !known {
			name = "nas-" + strconv.Itoa(len(volumeOf))
			volumeOf[claim] = name
			volumes = append(volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
			}})
		}
		mounts = append(mounts, corev1.VolumeMount{
			Name: name, MountPath: path.Clean(m.MountPath), SubPath: subPath(m.Path), ReadOnly: m.ReadOnly,
		})
	}
	return volumes, mounts, problems
}

// subPath is a volume's path as Kubernetes wants it: relative, "" for the whole volume.
func subPath(p string) string {
	p = strings.TrimLeft(path.Clean("/"+p), "/")
	return p
}
