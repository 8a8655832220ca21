package kube

import (
	"encoding/json"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/status"
)

// statusOf works out a job's status; ok is false when there is no root object: what is left of it is going away.
// v.mu is held.
func statusOf(v *view, key types.NamespacedName) (job.Status, bool) {
	objects := v.jobs[key]
	jobs := sorted[*batchv1.Job](objects[kindJobs])
	pods := sorted[*corev1.Pod](objects[kindPods])
	if o, ok := objects[kindJobSets][key]; ok {
		return status.FromJobSet(o.(*jobset.JobSet), jobs, pods, v.workloadOf(o)), true
	}
	if o, ok := objects[kindServices][key]; ok {
		owners := []client.Object{o}
		for _, j := range jobs {
			owners = append(owners, j)
		}
		return status.FromJobs(o.(*corev1.Service), jobs, pods, v.workloadOf(owners...)), true
	}
	for _, j := range jobs {
		if j.Name == key.Name && metav1.GetControllerOf(j) == nil {
			return status.ForeignJob(j, pods, v.workloadOf(j)), true
		}
	}
	return job.Status{}, false
}

// volumeOf is a claim as a volume; the site may know it under a name of its own.
func volumeOf(s site.Site, claim *corev1.PersistentVolumeClaim, users []string) snapshot.Volume {
	v := snapshot.Volume{
		Name: claim.Name, Claim: claim.Name, Workspace: claim.Namespace,
		Phase: string(claim.Status.Phase), UsedBy: users, AccessModes: []string{},
	}
	for _, known := range s.Volumes {
		if known.Claim == claim.Name {
			v.Name = known.Name
		}
	}
	size := claim.Status.Capacity[corev1.ResourceStorage]
	if size.IsZero() {
		size = claim.Spec.Resources.Requests[corev1.ResourceStorage]
	}
	v.Capacity = size.String()
	modes := claim.Status.AccessModes
	if len(modes) == 0 {
		modes = claim.Spec.AccessModes
	}
	for _, m := range modes {
		v.AccessModes = append(v.AccessModes, string(m))
	}
	return v
}

func decodeJSON(data []byte, into any) error { return json.Unmarshal(data, into) }
