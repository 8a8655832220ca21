package main

import (
	"context"
	"slices"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/stock"
)

// stockAllows refuses a job that the stock has no room for, as the form does (package stock says when). What is not known
// blocks nothing: neither a stock that the user may not see nor a cluster that does not answer this question. It is a look
// at one moment, and a courtesy: the scheduler decides.
func (a *app) stockAllows(ctx context.Context, cluster viewer, f *specFile, generated bool) error {
	if !slices.ContainsFunc(f.spec.Roles, func(r job.Role) bool { return r.Replicas > 0 && r.HasCards() }) {
		return nil
	}
	view, err := a.view(ctx, cluster)
	if err != nil {
		return context.Cause(ctx)
	}
	if !site.Check(view.Site, f.spec).OK() || !generated && mayExist(view, f.spec) {
		return nil // the submission says what is wrong, or that nothing is to be done
	}
	report := stock.Check(view.Stock, site.Resolve(view.Site, f.spec))
	a.warn(f, report.Warnings)
	if report.OK() {
		return nil
	}
	// Exit 1: the spec is valid, it is the cluster that lacks.
	text := a.t("error", "message", a.t("submit.noRoom", "file", a.fileName(f.file)))
	for _, p := range report.Errors {
		text += "\n  " + a.problemLine(f, p)
	}
	return &exit{exitFailed, text}
}

// mayExist tells whether a job of this name may be there already: then it holds the very cards that seem to lack, and
// submitting it again must stay without effect.
func mayExist(view snapshot.Snapshot, spec job.Spec) bool {
	_, there := jobNamed(view.Jobs, spec.Workspace, spec.Name)
	return there || len(missingRights(view.Facts)) > 0
}
