package stock

import (
	"strconv"

	"muster.dev/muster/backend/job"
)

// Of finds the stock that a resolved spec (site.Resolve) draws on, by its cluster and card type. For who may not see nodes,
// it is the one entry without names, which says which right lacks.
func Of(all []Stock, spec job.Spec) (Stock, bool) {
	for _, s := range all {
		if s.Cluster == spec.Cluster && s.CardType == spec.CardType {
			return s, true
		}
	}
	for _, s := range all {
		if !s.Known && s.CardType == "" && (s.Cluster == "" || s.Cluster == spec.Cluster) {
			return s, true
		}
	}
	return Stock{}, false
}

// Wants is what each role of a resolved spec takes. Of a whole node the cards alone count: its CPU and memory are what a
// node has, not what is left of them.
func Wants(spec job.Spec) []Want {
	wants := make([]Want, len(spec.Roles))
	for i, r := range spec.Roles {
		wants[i] = Want{Pods: max(r.Replicas, 0), Cards: max(r.GPUs, 0)}
		if r.WholeNode {
			continue
		}
		if q, ok := job.ParseCPU(r.CPU); ok {
			wants[i].CPU = q.MilliValue()
		}
		if q, ok := job.ParseMemory(r.Memory); ok {
			wants[i].Memory = q.Value()
		}
	}
	return wants
}

// Check tells at which roles of a resolved spec the stock lacks, as DESIGN.md section 11 wants it: a standalone job that does
// not fit now is an error, a queued one waits, which is a warning, and what would not fit if nothing else ran is an
// error for both. Of a stock that is not known, and of roles without cards, nothing is said.
//
// It is a look at one moment: until the pods are scheduled others may take the cards, or give them back.
func Check(all []Stock, spec job.Spec) job.Report {
	var report job.Report
	s, found := Of(all, spec)
	if !found || !s.Known {
		return report
	}
	fit := Fits(s, Wants(spec)...)
	for i, r := range spec.Roles {
		if r.GPUs <= 0 || r.Replicas <= 0 {
			continue
		}
		lacks := func(code string, placed []int) job.Problem {
			return job.Problem{Path: "roles[" + strconv.Itoa(i) + "].gpus", Code: code, Args: map[string]string{
				"cards": strconv.Itoa(r.GPUs), "nodes": strconv.Itoa(AtLeast(spec.Roles, r.GPUs, placed)),
				"asked": strconv.Itoa(AtLeast(spec.Roles, r.GPUs, nil)),
			}}
		}
		switch {
		case fit.Empty[i] < r.Replicas:
			report.Errors = append(report.Errors, lacks(job.CodeStockNever, fit.Empty))
		case fit.Now[i] >= r.Replicas:
		case spec.Submission.Mode == job.Queue:
			report.Warnings = append(report.Warnings, lacks(job.CodeStockWait, fit.Now))
		default:
			report.Errors = append(report.Errors, lacks(job.CodeStockLacks, fit.Now))
		}
	}
	return report
}

// AtLeast counts the nodes with at least so many cards: those that the roles ask for, or, of them, those that are placed
// (Fit.Now, Fit.Empty).
func AtLeast(roles []job.Role, cards int, placed []int) int {
	n := 0
	for i, r := range roles {
		switch {
		case r.GPUs < cards || r.Replicas <= 0:
		case placed != nil:
			n += placed[i]
		default:
			n += r.Replicas
		}
	}
	return n
}
