// Package jobset renders a job as one JobSet (jobset.x-k8s.io/v1alpha2), queued by Kueue. Pure.
//
// Rules are from the source of JobSet 0.12.0 (pkg/controllers, pkg/webhooks) and Kueue 0.19.0
// (pkg/controller/jobs/jobset).
package jobset

import (
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	jobsetapi "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render/engine"
	"muster.dev/muster/backend/render/podtemplate"
)

// Render gives the JobSet: one replicated job a role, each of its Jobs one pod, so that JobSet itself numbers the
// pods over all roles (job-global-index is the rank) and within the role (job-index).
func Render(in engine.Input) (engine.Output, []job.Problem) {
	roles := engine.Roles(in.Spec)
	builder, problems := podtemplate.New(in)
	meta, more := podtemplate.RootMeta(in)
	problems = append(problems, more...)
	problems = append(problems, names(in.Spec.Name, roles)...)
	queued := in.Spec.Submission.Mode == job.Queue
	if queued {
		problems = append(problems, podtemplate.Enqueue(in, meta.Labels)...)
		if len(roles) > maxQueuedRoles {
			problems = append(problems, job.Problem{Path: "roles", Code: TooManyRoles, Args: map[string]string{
				"roles": strconv.Itoa(len(roles)), "max": strconv.Itoa(maxQueuedRoles),
			}})
		}
	}

	js := &jobsetapi.JobSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: jobsetapi.GroupVersion.String(), Kind: "JobSet"},
		ObjectMeta: meta,
		Spec: jobsetapi.JobSetSpec{
			Network:       &jobsetapi.Network{EnableDNSHostnames: yes(), PublishNotReadyAddresses: yes()},
			SuccessPolicy: &jobsetapi.SuccessPolicy{Operator: jobsetapi.OperatorAll},
			FailurePolicy: failurePolicy(in.Spec.FaultTolerance.MaxRestarts),
		},
	}
	if queued {
		// Kueue's webhook suspends what it manages; should it be away or not watch this namespace, nothing may run
		// past the queue. Kueue resumes a JobSet created suspended as any other.
		js.Spec.Suspend = yes()
	}

	peers := podtemplate.Peers{
		Nodes:     engine.Nodes(roles),
		Rank:      podtemplate.Value{Field: "metadata.labels['" + jobsetapi.JobGlobalIndexKey + "']"},
		RoleIndex: podtemplate.Value{Field: "metadata.labels['" + jobsetapi.JobIndexKey + "']"},
	}
	if len(roles) > 0 {
		peers.MasterAddr = PodHost(in.Spec.Name, roles[0].Name, 0)
	}
	for _, role := range roles {
		template, more := builder.Template(role, peers)
		problems = append(problems, more...)
		child := podtemplate.Meta(in)
		child.Labels[engine.LabelRole] = role.Name
		js.Spec.ReplicatedJobs = append(js.Spec.ReplicatedJobs, jobsetapi.ReplicatedJob{
			Name:     role.Name,
			Replicas: int32(role.Replicas),
			Template: batchv1.JobTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: child.Labels, Annotations: child.Annotations},
				Spec: batchv1.JobSpec{
					Parallelism:           one(),
					Completions:           one(),
					CompletionMode:        indexed(),
					BackoffLimit:          new(int32),
					PodFailurePolicy:      podFailurePolicy(),
					ActiveDeadlineSeconds: podtemplate.Deadline(in.Spec),
					Template:              template,
				},
			},
		})
	}

	out := engine.Output{Engine: engine.JobSet, Root: js}
	secret, more := podtemplate.Secret(in)
	problems = append(problems, more...)
	if secret != nil {
		out.Dependents = []runtime.Object{secret}
	}
	return out, problems
}

// PodHost is the DNS name of a role's pod, within the workspace: JobSet's headless Service has the JobSet's name, and
// each Job has one pod, of completion index 0.
func PodHost(jobName, role string, index int) string {
	return jobName + "-" + role + "-" + strconv.Itoa(index) + "-0." + jobName
}

// What a valid spec may still not be on this engine.
const (
	TooManyRoles = "TooManyRoles" // args roles, max
)

// Kueue counts each role as one pod set of a Workload, which may have so many in every version since 0.6
// (18 in 0.19, but a cluster may run an older one).
const maxQueuedRoles = 8

// names checks what JobSet derives: pods are named <job>-<role>-<index>-0-xxxxx.
func names(jobName string, roles []engine.Role) []job.Problem {
	longest := ""
	for _, r := range roles {
		longest = podtemplate.Longest(longest, jobName+"-"+r.Name+"-"+strconv.Itoa(r.Replicas-1)+"-0-abcde")
	}
	return podtemplate.CheckName(jobName, longest)
}

func yes() *bool { b := true; return &b }

func one() *int32 { n := int32(1); return &n }

func indexed() *batchv1.CompletionMode { m := batchv1.IndexedCompletion; return &m }
