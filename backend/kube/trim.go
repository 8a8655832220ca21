package kube

import (
	"unique"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/render/engine"
)

// The kinds that a view follows. What is trimmed off is what neither status nor stock nor queues read: a cluster
// may have 50,000 pods, and most of a pod is environment and volumes.
var (
	kindPods = kindOf[corev1.Pod, corev1.PodList]("pods", func(p *corev1.Pod) {
		for _, containers := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
			for i := range containers {
				containers[i] = corev1.Container{
					Name: containers[i].Name, Image: containers[i].Image,
					Resources: containers[i].Resources, RestartPolicy: containers[i].RestartPolicy,
				}
			}
		}
		p.Spec = corev1.PodSpec{
			InitContainers: p.Spec.InitContainers, Containers: p.Spec.Containers,
			Overhead: p.Spec.Overhead, Resources: p.Spec.Resources, NodeName: p.Spec.NodeName,
			Priority: p.Spec.Priority, PriorityClassName: p.Spec.PriorityClassName,
			SchedulingGates: p.Spec.SchedulingGates, RestartPolicy: p.Spec.RestartPolicy,
			Volumes: claimsOnly(p.Spec.Volumes),
		}
		p.Status.PodIPs, p.Status.HostIPs, p.Status.EphemeralContainerStatuses = nil, nil, nil
		for _, statuses := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
			for i := range statuses {
				one := &statuses[i]
				one.ContainerID, one.ImageID = "", ""
				one.AllocatedResources, one.AllocatedResourcesStatus, one.Resources, one.VolumeMounts, one.User = nil, nil, nil, nil, nil
			}
		}
		p.GenerateName, p.Finalizers = "", nil
		p.Labels, p.Annotations = only(p.Labels, podLabels(p)), only(p.Annotations, podAnnotations[:])
	})
	kindNodes = kindOf[corev1.Node, corev1.NodeList]("nodes", func(n *corev1.Node) {
		n.Annotations = nil
		n.Status.Images, n.Status.VolumesInUse, n.Status.VolumesAttached, n.Status.Addresses = nil, nil, nil, nil
		n.Status.Config = nil
	})
	kindNamespaces = kindOf[corev1.Namespace, corev1.NamespaceList]("namespaces", func(n *corev1.Namespace) {
		n.Annotations = nil
	})
	kindJobs = kindOf[batchv1.Job, batchv1.JobList]("jobs.batch", func(j *batchv1.Job) {
		trimTemplate(&j.Spec.Template)
	})
	kindJobSets = kindOf[jobset.JobSet, jobset.JobSetList]("jobsets.jobset.x-k8s.io", func(js *jobset.JobSet) {
		delete(js.Annotations, corev1.LastAppliedConfigAnnotation)
		for i := range js.Spec.ReplicatedJobs {
			trimTemplate(&js.Spec.ReplicatedJobs[i].Template.Spec.Template)
		}
	})
	// kindServices are the roots of the engine job.
	kindServices  = kindOf[corev1.Service, corev1.ServiceList]("services", nil)
	kindWorkloads = kindOf[kueue.Workload, kueue.WorkloadList]("workloads.kueue.x-k8s.io", func(w *kueue.Workload) {
		for i := range w.Spec.PodSets {
			trimTemplate(&w.Spec.PodSets[i].Template)
		}
	})
	kindLocalQueues   = kindOf[kueue.LocalQueue, kueue.LocalQueueList]("localqueues.kueue.x-k8s.io", nil)
	kindClusterQueues = kindOf[kueue.ClusterQueue, kueue.ClusterQueueList]("clusterqueues.kueue.x-k8s.io", nil)
	kindClaims        = kindOf[corev1.PersistentVolumeClaim, corev1.PersistentVolumeClaimList]("persistentvolumeclaims", nil)
)

// A map of more than eight entries takes several times the memory of one of eight, and a pod of a JobSet has twenty
// labels. Those that are read, here or by package status:
var (
	jobSetPodLabels = [...]string{
		jobset.JobSetNameKey, jobset.JobSetUIDKey, jobset.ReplicatedJobNameKey, jobset.JobIndexKey,
		"jobset.sigs.k8s.io/restart-attempt",
	}
	jobPodLabels   = [...]string{render.LabelJob, render.LabelRole, render.LabelRoleIndex, labelJobName}
	podAnnotations = [...]string{batchv1.JobCompletionIndexAnnotation, annotationContainer}
)

func podLabels(p *corev1.Pod) []string {
	if p.Labels[jobset.JobSetNameKey] != "" {
		return jobSetPodLabels[:]
	}
	return jobPodLabels[:]
}

// only keeps some entries of a map. Most values are those of many pods: each is held once.
func only(m map[string]string, keys []string) map[string]string {
	var kept map[string]string
	for _, key := range keys {
		if value, ok := m[key]; ok {
			if kept == nil {
				kept = make(map[string]string, len(keys))
			}
			kept[key] = unique.Make(value).Value()
		}
	}
	return kept
}

func trimTemplate(t *corev1.PodTemplateSpec) {
	for _, containers := range [][]corev1.Container{t.Spec.InitContainers, t.Spec.Containers} {
		for i := range containers {
			containers[i] = corev1.Container{
				Name: containers[i].Name, Image: containers[i].Image, Env: cardsVariable(containers[i].Env),
				Resources: containers[i].Resources, RestartPolicy: containers[i].RestartPolicy,
			}
		}
	}
	t.Spec.Volumes = claimsOnly(t.Spec.Volumes)
	t.Spec.Affinity, t.Spec.Tolerations, t.Spec.ImagePullSecrets = nil, nil, nil
}

// cardsVariable keeps the one variable that package status reads.
func cardsVariable(env []corev1.EnvVar) []corev1.EnvVar {
	for _, e := range env {
		if e.Name == "MUSTER_GPUS_PER_NODE" {
			return []corev1.EnvVar{{Name: e.Name, Value: e.Value}}
		}
	}
	return nil
}

// claimsOnly keeps the volumes that are claims: who uses a volume is shown.
func claimsOnly(volumes []corev1.Volume) []corev1.Volume {
	var claims []corev1.Volume
	for _, v := range volumes {
		if v.PersistentVolumeClaim != nil {
			claims = append(claims, v)
		}
	}
	return claims
}

// managed selects what muster made.
const (
	managedBy = engine.ManagedBy
	managed   = render.LabelManagedBy + "=" + managedBy
)
