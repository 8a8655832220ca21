package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/snapshot"
)

// maxSiteFile is the largest site file that is read, in bytes: a ConfigMap holds 1 MiB.
const maxSiteFile = 1 << 20

// siteFile is the site of --site, else the embedded default.
func (a *app) siteFile() (site.Site, error) {
	if a.site == "" {
		return site.Default(), nil
	}
	data, err := a.readFile(a.site, maxSiteFile)
	if err != nil {
		return site.Site{}, err
	}
	s, report := site.Decode(data)
	if report.OK() {
		return s, nil
	}
	text := a.t("error", "message", a.t("err.siteInvalid", "file", a.site))
	for _, p := range report.Errors {
		text += "\n  " + a.t("problemLine", "path", pathOr(p.Path, a.site), "message", a.text.Problem(p))
	}
	return s, &exit{exitWrong, text}
}

func pathOr(path, file string) string {
	if path == "" {
		return file
	}
	return path
}

// options say which cluster the flags mean.
func (a *app) options() kube.Options {
	return kube.Options{
		Config:    a.kubeconfig,
		Context:   *a.kube.Context,
		Workspace: *a.kube.Namespace,
		SiteFile:  a.site,
		UserAgent: "muster/" + version,
	}
}

// connect makes the link for a command; it uses no network yet. The site file is read first: its errors are the
// user's to mend, in words.
func (a *app) connect() (*kube.Cluster, error) {
	if _, err := a.siteFile(); err != nil {
		return nil, err
	}
	if _, err := a.requestTime(); err != nil {
		return nil, err
	}
	return kube.New(a.options())
}

// requestTime is how long a request may take by --request-timeout; 0 = what the client allows by itself.
func (a *app) requestTime() (time.Duration, error) {
	text := *a.kube.Timeout
	if text == "" || text == "0" {
		return 0, nil
	}
	limit, err := time.ParseDuration(text)
	if err != nil { // kubectl takes whole seconds without a unit too
		limit, err = time.ParseDuration(text + "s")
	}
	if err != nil || limit < 0 {
		return 0, a.wrong("err.flagValue", "flag", "--request-timeout", "value", text, "why", a.t("err.needsType", "type", a.t("type.duration")))
	}
	return limit, nil
}

// limited bounds a call by --request-timeout.
func (a *app) limited(ctx context.Context) (context.Context, context.CancelFunc, error) {
	limit, err := a.requestTime()
	if err != nil {
		return nil, nil, err
	}
	if limit == 0 {
		return ctx, func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	return ctx, cancel, nil
}

// view is one complete view of the cluster.
func (a *app) view(ctx context.Context, cluster viewer) (snapshot.Snapshot, error) {
	ctx, cancel, err := a.limited(ctx)
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	defer cancel()
	return cluster.Snapshot(ctx)
}

// viewOnce connects and takes one view, for commands that ask nothing else of the cluster.
func (a *app) viewOnce(ctx context.Context) (snapshot.Snapshot, error) {
	cluster, err := a.connect()
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	return a.view(ctx, cluster)
}

// clusterError says in words what the cluster, or the way to it, answered.
func (a *app) clusterError(err error) string {
	var e *kube.Error
	if errors.As(err, &e) {
		return a.problem(e.Problem())
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return a.t("err.tooSlow", "limit", *a.kube.Timeout)
	}
	return err.Error()
}

// problem is the text of a problem of the place; one that no text is known for shows what it carries.
func (a *app) problem(p job.Problem) string {
	if a.text.Has("problem." + p.Code) {
		return a.text.Problem(p)
	}
	return strings.TrimSuffix(p.Code+": "+p.Args["message"], ": ")
}
