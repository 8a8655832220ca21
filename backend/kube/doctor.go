package kube

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"golang.org/x/sync/errgroup"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/queue"
	"muster.dev/muster/backend/site"
)

// Grade is how a check of [Cluster.Doctor] came out.
type Grade string

// OK: works. Warn: something is missing that a job can do without. Fail: jobs can't run.
const (
	OK   Grade = "ok"
	Warn Grade = "warn"
	Fail Grade = "fail"
)

// Mender is who can mend what a check found.
type Mender string

// The menders: the user; who holds the workspace; the cluster's administrator.
const (
	Nobody        Mender = ""
	User          Mender = "user"
	WorkspaceHead Mender = "workspace"
	Administrator Mender = "administrator"
)

// Check is one finding of Doctor. Its text stands in the catalogue under "doctor.<Area>.<Name>".
type Check struct {
	Area   string // cluster, user, right, engine, queue, site, volume, priority, pods
	Name   string // what was looked at, a code
	Grade  Grade
	Mender Mender            // who can mend it, when not OK
	Args   map[string]string // what was found: verb, resource, workspace, version, message, …
}

// right is one thing that muster asks the server for.
type right struct {
	verb, group, resource string
	need                  Grade // what it means when it lacks
	cluster               bool  // asked for all namespaces
}

// rights are those that muster uses, in the order in which a job needs them.
var rights = [...]right{
	{"create", "jobset.x-k8s.io", "jobsets", Warn, false},
	{"get", "jobset.x-k8s.io", "jobsets", Warn, false},
	{"list", "jobset.x-k8s.io", "jobsets", Warn, false},
	{"watch", "jobset.x-k8s.io", "jobsets", Warn, false},
	{"patch", "jobset.x-k8s.io", "jobsets", Warn, false},
	{"delete", "jobset.x-k8s.io", "jobsets", Warn, false},
	{"create", "batch", "jobs", Warn, false},
	{"get", "batch", "jobs", Warn, false},
	{"list", "batch", "jobs", Fail, false},
	{"watch", "batch", "jobs", Fail, false},
	{"patch", "batch", "jobs", Warn, false},
	{"delete", "batch", "jobs", Warn, false},
	{"create", "", "services", Warn, false},
	{"get", "", "services", Warn, false},
	{"list", "", "services", Warn, false},
	{"watch", "", "services", Warn, false},
	{"delete", "", "services", Warn, false},
	{"create", "", "secrets", Warn, false},
	{"get", "", "secrets", Warn, false},
	{"patch", "", "secrets", Warn, false},
	{"delete", "", "secrets", Warn, false},
	{"get", "", "pods", Warn, false},
	{"list", "", "pods", Fail, false},
	{"watch", "", "pods", Fail, false},
	{"get", "", "pods/log", Fail, false},
	{"create", "", "pods/exec", Warn, false},
	{"list", "", "events", Warn, false},
	{"list", "", "persistentvolumeclaims", Warn, false},
	{"list", kueueGroup, "localqueues", Warn, false},
	{"list", kueueGroup, "workloads", Warn, false},
	{"patch", kueueGroup, "workloads", Warn, false},
	{"get", visibilityGroup, "localqueues/pendingworkloads", Warn, false},
	{"list", "", "nodes", Warn, true},
	{"list", "", "pods", Warn, true},
	{"list", "", "namespaces", Warn, true},
	{"list", kueueGroup, "clusterqueues", Warn, true},
}

// Doctor looks at everything that a job needs and says what works, what is missing and who can mend it. It creates
// nothing. It goes on after each finding; only when the cluster can't be asked at all is the list that one finding.
func (c *Cluster) Doctor(ctx context.Context) []Check {
	l, err := c.connected()
	if err != nil {
		return []Check{failure("cluster", "kubeconfig", User, err)}
	}
	workspace := c.Workspace()
	if workspace == "" {
		workspace = l.namespace
	}
	checks := []Check{{Area: "cluster", Name: "kubeconfig", Grade: OK, Args: args("context", l.context, "host", l.host, "workspace", workspace)}}
	version, err := l.version(ctx)
	if lost(err) {
		return append(checks, failure("cluster", "reachable", Administrator, err))
	}
	checks = append(checks, Check{Area: "cluster", Name: "reachable", Grade: OK, Args: args("host", l.host, "version", version)})
	user, err := l.user(ctx)
	if err != nil {
		return append(checks, failure("user", "known", User, err))
	}
	checks = append(checks, Check{Area: "user", Name: "known", Grade: OK, Args: args("user", user)})
	groups, err := l.served(ctx)
	if err != nil {
		return append(checks, failure("cluster", "discovery", Administrator, err))
	}
	if missing, err := l.workspaceMissing(ctx, workspace); err == nil && missing {
		checks = append(checks, Check{Area: "user", Name: "workspace", Grade: Fail, Mender: Administrator, Args: args("workspace", workspace)})
	}
	checks = append(checks, l.checkEngines(ctx, groups, workspace)...)
	checks = append(checks, l.checkRights(ctx, groups, workspace)...)
	checks = append(checks, l.checkQueues(ctx, groups, workspace)...)
	loaded, err := c.siteFile(ctx, l)
	if err != nil {
		checks = append(checks, failure("site", "file", Administrator, err))
	} else {
		checks = append(checks, checkSite(loaded))
		checks = append(checks, l.checkPlace(ctx, loaded.site)...)
	}
	checks = append(checks, l.checkVolumes(ctx, workspace))
	checks = append(checks, l.checkPodSecurity(ctx, workspace))
	return checks
}

func failure(area, name string, mender Mender, err error) Check {
	check := Check{Area: area, Name: name, Grade: Fail, Mender: mender, Args: args("message", plain(err))}
	var e *Error
	if asError(err, &e) {
		check.Args = e.Args
		check.Args["code"] = e.Code
	}
	return check
}

func (l *link) checkEngines(ctx context.Context, groups served, workspace string) []Check {
	names, _, err := l.engines(ctx, groups, workspace)
	if err != nil {
		return []Check{failure("engine", "any", Administrator, err)}
	}
	var checks []Check
	switch {
	case len(names) == 0:
		checks = append(checks, Check{Area: "engine", Name: "any", Grade: Fail, Mender: WorkspaceHead, Args: args("workspace", workspace)})
	default:
		checks = append(checks, Check{Area: "engine", Name: "any", Grade: OK, Args: args("engines", strings.Join(names, ", "))})
	}
	jobsets := engines[0]
	if !groups.has(jobsets.group, jobsets.version) {
		checks = append(checks, Check{Area: "engine", Name: "jobset", Grade: Warn, Mender: Administrator,
			Args: args("group", jobsets.group, "version", jobsets.version, "served", strings.Join(groups[jobsets.group], ", "))})
	}
	return checks
}

// checkRights asks for every right at once; those of an API that is not served are left out.
func (l *link) checkRights(ctx context.Context, groups served, workspace string) []Check {
	checks := make([]Check, len(rights))
	workers, within := errgroup.WithContext(ctx)
	workers.SetLimit(inFlight)
	for i, r := range rights {
		if r.group != "" && groups[r.group] == nil {
			continue
		}
		workers.Go(func() error {
			namespace := workspace
			if r.cluster {
				namespace = ""
			}
			ok, err := l.review(within, r.verb, r.group, r.resource, namespace, "")
			resource := r.resource
			if r.group != "" {
				resource += "." + r.group
			}
			check := Check{Area: "right", Name: "allowed", Grade: OK, Args: args("verb", r.verb, "resource", resource, "workspace", namespace)}
			switch {
			case err != nil:
				check = failure("right", "review", Administrator, err)
				if check.Args["code"] == CodeDenied {
					check.Grade = Warn // what is allowed is then found out by trying
				}
			case !ok:
				check.Name, check.Grade, check.Mender = "denied", r.need, WorkspaceHead
				if r.cluster {
					check.Mender = Administrator
				}
			}
			checks[i] = check
			return nil
		})
	}
	// The workers report through checks.
	_ = workers.Wait()
	var found []Check
	for _, check := range checks {
		if check.Area == "" || check.Name == "review" && slices.ContainsFunc(found, func(c Check) bool { return c.Name == "review" }) {
			continue // not served, or said already: why one can't be asked for holds for all
		}
		found = append(found, check)
	}
	return found
}

func (l *link) checkQueues(ctx context.Context, groups served, workspace string) []Check {
	if !groups.has(kueueGroup, kueueVersion) {
		return []Check{{Area: "queue", Name: "kueue", Grade: Warn, Mender: Administrator,
			Args: args("group", kueueGroup, "version", kueueVersion, "served", strings.Join(groups[kueueGroup], ", "))}}
	}
	checks := []Check{{Area: "queue", Name: "kueue", Grade: OK, Args: args("version", kueueVersion)}}
	call, cancel := unary(ctx)
	defer cancel()
	var queues kueue.LocalQueueList
	switch err := l.client.List(call, &queues, client.InNamespace(workspace)); {
	case apierrors.IsForbidden(err):
		return checks // a right, named above
	case err != nil:
		return append(checks, failure("queue", "list", Administrator, l.explain(err, target{verb: "list", resource: kindLocalQueues.resource, workspace: workspace})))
	case len(queues.Items) == 0:
		return append(checks, Check{Area: "queue", Name: "none", Grade: Warn, Mender: Administrator, Args: args("workspace", workspace)})
	}
	for _, q := range queues.Items {
		check := Check{Area: "queue", Name: "active", Grade: OK, Args: args("queue", q.Name, "clusterQueue", string(q.Spec.ClusterQueue))}
		for _, c := range q.Status.Conditions {
			if c.Type == kueue.LocalQueueActive && c.Status != "True" {
				check.Grade, check.Mender = Warn, Administrator
				check.Args["message"] = c.Message
			}
		}
		checks = append(checks, check)
	}
	order := Check{Area: "queue", Name: "order", Grade: OK, Args: map[string]string{}}
	if _, err := l.pending(ctx, queue.Key{Workspace: workspace, Name: queues.Items[0].Name}); err != nil {
		order = failure("queue", "order", Administrator, err)
		order.Grade = Warn
	}
	return append(checks, order)
}

func checkSite(loaded loadedSite) Check {
	check := Check{Area: "site", Name: "file", Grade: OK, Args: args("source", loaded.source)}
	if len(loaded.problems) > 0 {
		check.Grade, check.Mender, check.Args = Fail, Administrator, loaded.problems[0].Args
	} else if loaded.source == "" {
		check.Name, check.Grade, check.Mender = "default", Warn, Administrator
	}
	return check
}

// checkPlace looks for the training clusters and the classes of the priorities.
func (l *link) checkPlace(ctx context.Context, place site.Site) []Check {
	ctx, cancel := unary(ctx)
	defer cancel()
	var checks []Check
	var nodes corev1.NodeList
	if err := l.client.List(ctx, &nodes); err == nil {
		place = site.Discover(place, nodes.Items)
	}
	if len(place.Clusters) == 0 {
		checks = append(checks, Check{Area: "site", Name: "clusters", Grade: Warn, Mender: Administrator})
	} else {
		var names []string
		for _, c := range place.Clusters {
			names = append(names, c.Name)
		}
		checks = append(checks, Check{Area: "site", Name: "clusters", Grade: OK, Args: args("clusters", strings.Join(names, ", "))})
	}
	for _, p := range place.Priorities {
		if p.PriorityClass == "" {
			continue
		}
		check := Check{Area: "priority", Name: "class", Grade: OK, Args: args("level", string(p.Level), "class", p.PriorityClass)}
		err := l.client.Get(ctx, types.NamespacedName{Name: p.PriorityClass}, &schedulingv1.PriorityClass{})
		switch {
		case apierrors.IsNotFound(err):
			check.Grade, check.Mender = Warn, Administrator
			if p.Level == job.Normal {
				check.Grade = Fail // every job asks for it
			}
		case err != nil:
			continue // not for this user to see
		}
		checks = append(checks, check)
	}
	return checks
}

func (l *link) checkVolumes(ctx context.Context, workspace string) Check {
	ctx, cancel := unary(ctx)
	defer cancel()
	var claims corev1.PersistentVolumeClaimList
	err := l.client.List(ctx, &claims, client.InNamespace(workspace))
	switch {
	case err != nil:
		check := failure("volume", "list", WorkspaceHead, l.explain(err, target{verb: "list", resource: kindClaims.resource, workspace: workspace}))
		check.Grade = Warn
		return check
	case len(claims.Items) == 0:
		return Check{Area: "volume", Name: "none", Grade: Warn, Mender: WorkspaceHead, Args: args("workspace", workspace)}
	}
	var bound, rest []string
	for _, claim := range claims.Items {
		if claim.Status.Phase == corev1.ClaimBound {
			bound = append(bound, claim.Name)
		} else {
			rest = append(rest, claim.Name)
		}
	}
	if len(rest) > 0 {
		return Check{Area: "volume", Name: "unbound", Grade: Warn, Mender: Administrator, Args: args("volumes", strings.Join(rest, ", "))}
	}
	return Check{Area: "volume", Name: "bound", Grade: OK, Args: args("volumes", strings.Join(bound, ", "))}
}

// checkPodSecurity tells whether the workspace's pod security level lets muster's pods in: IPC_LOCK, which RDMA needs,
// is beyond "baseline".
func (l *link) checkPodSecurity(ctx context.Context, workspace string) Check {
	ctx, cancel := unary(ctx)
	defer cancel()
	var namespace corev1.Namespace
	if err := l.client.Get(ctx, types.NamespacedName{Name: workspace}, &namespace); err != nil {
		return Check{Area: "pods", Name: "securityUnknown", Grade: Warn, Mender: Administrator, Args: args("workspace", workspace)}
	}
	level := namespace.Labels["pod-security.kubernetes.io/enforce"]
	check := Check{Area: "pods", Name: "security", Grade: OK, Args: args("workspace", workspace, "level", level)}
	if level == "baseline" || level == "restricted" {
		check.Grade, check.Mender = Warn, Administrator
	}
	return check
}
