package podtemplate

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render/engine"
	"muster.dev/muster/backend/site"
)

// resources asks for exactly what the role says: requests equal limits for cards, RDMA devices, memory and CPU.
//
// Cards and devices allow nothing else. Memory above its request would be taken from others until a node under
// pressure kills somebody. CPU could go without a limit, but then the same job would run at another speed beside
// other neighbours, a namespace whose ResourceQuota has limits.cpu would refuse the pods (after the job was accepted:
// quota speaks at pod creation), and the pod would lose the Guaranteed class, which is evicted last and which a static CPU
// manager pins to cores of its own.
func resources(spec job.Spec, place site.Placement, role engine.Role) (corev1.ResourceRequirements, []job.Problem) {
	list := corev1.ResourceList{}
	var problems []job.Problem
	add := func(name corev1.ResourceName, field, code, value string) {
		if value == "" {
			return
		}
		q, err := resource.ParseQuantity(value)
		if err != nil || q.Sign() <= 0 {
			problems = append(problems, job.Problem{Path: role.Path + "." + field, Code: code, Args: map[string]string{"value": value}})
			return
		}
		if name == corev1.ResourceCPU && spec.CPUExclusive && q.MilliValue()%1000 != 0 {
			problems = append(problems, job.Problem{Path: role.Path + ".cpu", Code: job.CodeCPUNotWhole, Args: map[string]string{"value": value}})
		}
		list[name] = q
	}
	add(corev1.ResourceCPU, "cpu", job.CodeBadCPU, role.CPU)
	add(corev1.ResourceMemory, "memory", job.CodeBadMemory, role.Memory)
	if role.WholeNode && (role.CPU == "" || role.Memory == "" || role.GPUs == 0) {
		problems = append(problems, job.Problem{Path: role.Path + ".wholeNode", Code: job.CodeWholeNodeUnknown,
			Args: map[string]string{"role": role.Name, "cluster": spec.Cluster}})
	}
	if spec.CPUExclusive && role.CPU == "" {
		problems = append(problems, job.Problem{Path: role.Path + ".cpu", Code: CPUMissing, Args: map[string]string{"role": role.Name}})
	}
	if role.GPUs > 0 {
		list[corev1.ResourceName(place.CardResource)] = *resource.NewQuantity(int64(role.GPUs), resource.DecimalSI)
	}
	if n := place.RDMAPerPod(role.GPUs); n > 0 {
		list[corev1.ResourceName(place.RDMAResource)] = *resource.NewQuantity(int64(n), resource.DecimalSI)
	}
	return corev1.ResourceRequirements{Requests: list, Limits: list.DeepCopy()}, problems
}
