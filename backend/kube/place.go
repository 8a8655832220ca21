package kube

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
)

// loadedSite is a site and where it is from.
type loadedSite struct {
	site     site.Site
	source   string
	problems []job.Problem
}

// siteFile gives the site before discovery from nodes: the --site file, else the cluster's ConfigMap, else the
// embedded default. Only a lost connection is an error.
func (c *Cluster) siteFile(ctx context.Context, l *link) (loadedSite, error) {
	if c.own != nil {
		return loadedSite{site: *c.own, source: c.options.SiteFile}, nil
	}
	ctx, cancel := unary(ctx)
	defer cancel()
	var found corev1.ConfigMap
	key := types.NamespacedName{Namespace: site.ConfigMapNamespace, Name: site.ConfigMapName}
	err := l.client.Get(ctx, key, &found)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err):
		return loadedSite{site: site.Default()}, nil
	case err != nil:
		return loadedSite{}, l.explain(err, target{verb: "get", resource: "configmaps", workspace: key.Namespace, name: key.Name})
	}
	read, problems := readSite([]byte(found.Data[site.ConfigMapKey]))
	if len(problems) > 0 {
		// A mistake of the administrator must not stop everybody's work.
		broken := siteError(key.String(), problems)
		return loadedSite{site: site.Default(), problems: []job.Problem{broken.Problem()}}, nil
	}
	return loadedSite{site: *read, source: key.String()}, nil
}

// siteNow is the site with what the nodes tell, if the user may list them.
func (c *Cluster) siteNow(ctx context.Context, l *link) (loadedSite, error) {
	loaded, err := c.siteFile(ctx, l)
	if err != nil {
		return loaded, err
	}
	ctx, cancel := unary(ctx)
	defer cancel()
	var nodes corev1.NodeList
	err = l.client.List(ctx, &nodes)
	switch {
	case apierrors.IsForbidden(err):
		return loaded, nil
	case err != nil:
		return loaded, l.explain(err, target{verb: "list", resource: "nodes"})
	}
	loaded.site = site.Discover(loaded.site, nodes.Items)
	return loaded, nil
}

// readSite reads a site file.
func readSite(data []byte) (*site.Site, []job.Problem) {
	read, report := site.Decode(data)
	if !report.OK() {
		return nil, report.Errors
	}
	return &read, nil
}

// siteError says what is wrong with a site file: the first problem, and how many there are.
func siteError(path string, problems []job.Problem) *Error {
	first := problems[0]
	message := first.Path + ": " + first.Code
	e := &Error{Code: CodeSiteFile, Args: args("path", path, "message", message, "field", first.Path, "problem", first.Code), Problems: problems}
	return e
}
