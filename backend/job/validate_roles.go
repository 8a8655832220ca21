package job

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	maxPods        = 10_000 // of one job: what an Indexed Job runs at once
	maxCardsOfNode = 1024   // no machine has more; keeps totals far from overflow
)

func itoa(n int) string { return strconv.Itoa(n) }

func (c *checker) roles() {
	if len(c.spec.Roles) == 0 {
		c.fail("roles", CodeRolesRequired, "framework", string(c.spec.Framework))
		return
	}
	names := c.spec.Framework.RoleNames()
	first := map[string]int{}
	pods, present := 0, false
	for i, r := range c.spec.Roles {
		path := at("roles", i, "name")
		switch {
		case r.Name == "":
			c.fail(path, CodeRequired)
		case len(validation.IsDNS1123Label(r.Name)) > 0:
			c.fail(path, CodeBadRoleName, "value", r.Name)
		case names != nil && c.known("framework") && !contains(names, r.Name):
			c.fail(path, CodeUnknownRole, "value", r.Name, "framework", string(c.spec.Framework), "known", strings.Join(names, ", "), "nearest", nearest(r.Name, names))
		default:
			if j, ok := first[r.Name]; ok {
				c.fail(path, CodeDuplicate, "value", r.Name, "first", at("roles", j, "name"))
			} else {
				first[r.Name] = i
			}
		}
		if c.between(at("roles", i, "replicas"), r.Replicas, 0, maxPods) && c.known(at("roles", i, "replicas")) {
			pods += r.Replicas
		}
		present = present || r.Replicas > 0 || !c.known(at("roles", i, "replicas"))
		c.roleResources(i, r)
	}
	if pods > maxPods {
		c.fail("roles", CodeTooManyPods, "count", itoa(pods), "max", itoa(maxPods))
	}
	if !c.known("framework") {
		return
	}
	switch f := c.spec.Framework; {
	case f.HasMaster():
		c.masterAndWorker(first)
	case f == TensorFlow:
		c.tensorFlow(first)
	case f == Custom:
		if !present {
			c.fail("roles", CodeNoRoleWithReplica)
		}
	}
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func (c *checker) roleResources(i int, r Role) {
	c.between(at("roles", i, "gpus"), r.GPUs, 0, maxCardsOfNode)
	if r.WholeNode {
		for _, f := range []struct {
			field string
			given bool
		}{{"gpus", r.GPUs != 0}, {"cpu", r.CPU != ""}, {"memory", r.Memory != ""}} {
			if f.given {
				c.fail(at("roles", i, f.field), CodeWholeNodeExcludes, "field", f.field)
			}
		}
		return
	}
	if r.CPU != "" {
		if q, ok := ParseCPU(r.CPU); !ok {
			c.fail(at("roles", i, "cpu"), CodeBadCPU, "value", r.CPU)
		} else if c.spec.CPUExclusive {
			c.exclusiveCPU(i, r, q.MilliValue())
		}
	}
	if r.Memory != "" {
		if _, ok := ParseMemory(r.Memory); !ok {
			c.fail(at("roles", i, "memory"), CodeBadMemory, "value", r.Memory)
		}
	}
}

// exclusiveCPU: whole CPUs, the same number for each card.
func (c *checker) exclusiveCPU(i int, r Role, milli int64) {
	path := at("roles", i, "cpu")
	switch {
	case milli%1000 != 0:
		c.fail(path, CodeCPUNotWhole, "value", r.CPU)
	case r.GPUs > 0 && c.known(at("roles", i, "gpus")) && milli/1000%int64(r.GPUs) != 0:
		c.fail(path, CodeCPUNotMultiple, "value", r.CPU, "cards", itoa(r.GPUs))
	}
}

// present returns the role of a name and its index when it is there with at least one node.
func (c *checker) present(first map[string]int, name string) (int, Role, bool) {
	i, ok := first[name]
	if !ok || c.spec.Roles[i].Replicas < 1 {
		return 0, Role{}, false
	}
	return i, c.spec.Roles[i], true
}

func (c *checker) masterAndWorker(first map[string]int) {
	framework := string(c.spec.Framework)
	m, ok := first[RoleMaster]
	if !ok {
		if c.eachKnown("roles", len(c.spec.Roles), "name") {
			c.fail("roles", CodeMasterMissing, "framework", framework)
		}
		return
	}
	master := c.spec.Roles[m]
	if master.Replicas >= 0 && master.Replicas != 1 {
		c.fail(at("roles", m, "replicas"), CodeMasterReplicas, "value", itoa(master.Replicas), "framework", framework)
	}
	w, worker, ok := c.present(first, RoleWorker)
	if !ok || !c.known(at("roles", m, "gpus"), at("roles", m, "wholeNode"), at("roles", w, "gpus"), at("roles", w, "wholeNode"), at("roles", w, "replicas")) {
		return
	}
	if c.spec.Framework == MPI && !(master.HasCards() && worker.HasCards()) {
		return
	}
	if master.WholeNode == worker.WholeNode && (worker.WholeNode || master.GPUs == worker.GPUs) {
		return
	}
	field := "gpus"
	if worker.WholeNode {
		field = "wholeNode"
	}
	c.fail(at("roles", w, field), CodeRolesDiffer, "master", cards(master), "worker", cards(worker))
}

// cards is the number of cards per node as an argument: a number, or "node" for all that a node has.
func cards(r Role) string {
	if r.WholeNode {
		return "node"
	}
	return itoa(r.GPUs)
}

func (c *checker) tensorFlow(first map[string]int) {
	if i, chief, ok := c.present(first, RoleChief); ok && chief.Replicas > 1 {
		c.fail(at("roles", i, "replicas"), CodeChiefReplicas, "value", itoa(chief.Replicas))
	}
	trains := false
	for _, name := range []string{RoleChief, RoleWorker, RoleEvaluator} {
		i, r, ok := c.present(first, name)
		trains = trains || ok
		if ok && !r.HasCards() && name != RoleEvaluator && c.known(at("roles", i, "wholeNode"), at("roles", i, "replicas")) {
			c.warn(at("roles", i, "gpus"), CodeNoCards, "role", name)
		}
	}
	if !trains && c.eachKnown("roles", len(c.spec.Roles), "name") {
		c.fail("roles", CodeNoTrainingRole)
	}
}
