package kube

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// stamp remembers how files looked when they were read.
type stamp map[string]mark

type mark struct {
	modified time.Time
	size     int64
	missing  bool
}

func markOf(path string) mark {
	info, err := os.Stat(path)
	if err != nil {
		return mark{missing: true}
	}
	return mark{modified: info.ModTime(), size: info.Size()}
}

func stampOf(paths []string) stamp {
	s := stamp{}
	for _, p := range paths {
		if p != "" {
			s[p] = markOf(p)
		}
	}
	return s
}

func (s stamp) changed() bool {
	for path, was := range s {
		if markOf(path) != was {
			return true
		}
	}
	return false
}

// load reads the kubeconfig: afterwards c.link is new, or c.broken says why there is none. c.mu is held, or nobody
// else knows c.
func (c *Cluster) load() {
	loader := c.options.config()
	var paths []string
	if access := loader.ConfigAccess(); access != nil {
		paths = access.GetLoadingPrecedence()
		if access.IsExplicitFile() {
			paths = []string{access.GetExplicitFile()}
		}
	}
	// Stamp before reading: a change in between is then seen as one.
	c.files = stampOf(paths)
	fail := func(e *Error) {
		c.link, c.broken = nil, e
		if e.Args["path"] == "" && len(paths) > 0 {
			e.Args["path"] = strings.Join(paths, string(os.PathListSeparator))
		}
	}
	raw, err := loader.RawConfig()
	if err != nil {
		fail(kubeconfigError(err, paths))
		return
	}
	c.files.add(raw)
	config, err := loader.ClientConfig()
	if err != nil {
		fail(kubeconfigError(err, paths))
		return
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		fail(kubeconfigError(err, paths))
		return
	}
	name := c.options.Context
	if name == "" {
		name = raw.CurrentContext
	}
	// No server has such a namespace, and a path with it in is asked for in vain for ever.
	if wrong := validation.IsDNS1123Label(namespace); len(wrong) > 0 {
		fail(newError(CodeKubeconfigNamespace, nil, "value", namespace, "context", name, "message", strings.Join(wrong, "; ")))
		return
	}
	config.UserAgent = c.options.UserAgent
	if config.ExecProvider != nil && c.options.StdinTaken {
		config.ExecProvider.StdinUnavailable = true
		config.ExecProvider.StdinUnavailableMessage = "muster reads the keyboard; log in first, in another terminal or before starting muster"
	}
	made, err := newLink(config)
	if err != nil {
		fail(newError(CodeKubeconfigBroken, err, "message", plain(err)))
		return
	}
	made.context, made.namespace = name, namespace
	made.known = knownNamespaces(raw, namespace)
	c.link, c.broken = made, nil
}

// add stamps the files that the kubeconfig names too: a token or certificate renewed beside it counts as a change.
func (s stamp) add(raw clientcmdapi.Config) {
	for _, user := range raw.AuthInfos {
		for _, p := range []string{user.TokenFile, user.ClientCertificate, user.ClientKey, user.LocationOfOrigin} {
			if p != "" {
				s[p] = markOf(p)
			}
		}
	}
	for _, cluster := range raw.Clusters {
		if cluster.CertificateAuthority != "" {
			s[cluster.CertificateAuthority] = markOf(cluster.CertificateAuthority)
		}
	}
}

// knownNamespaces are those that the kubeconfig names, its own first: what a user without the right to list
// namespaces can be offered.
func knownNamespaces(raw clientcmdapi.Config, own string) []string {
	names := []string{own}
	for _, context := range raw.Contexts {
		if context.Namespace != "" && !slices.Contains(names, context.Namespace) {
			names = append(names, context.Namespace)
		}
	}
	slices.Sort(names[1:])
	return names
}

// kubeconfigError finds out what is wrong with the kubeconfig of these files.
func kubeconfigError(err error, files []string) *Error {
	e := newError(CodeKubeconfigBroken, err, "message", plain(err))
	var path *fs.PathError
	own := errors.As(err, &path) && slices.Contains(files, path.Path)
	switch {
	case clientcmd.IsEmptyConfig(err), errors.Is(err, rest.ErrNotInCluster):
		e.Code = CodeKubeconfigMissing
		if slices.ContainsFunc(files, func(file string) bool { return !markOf(file).missing }) {
			e.Code = CodeKubeconfigEmpty
		}
	case clientcmd.IsContextNotFound(err), noContext.MatchString(err.Error()):
		e.Code = CodeKubeconfigContext
	case own && errors.Is(err, fs.ErrNotExist):
		e.Code = CodeKubeconfigMissing
	case own && errors.Is(err, fs.ErrPermission):
		e.Code = CodeKubeconfigUnreadable
	}
	if own {
		e.Args["path"] = path.Path
	}
	return e
}

// noContext is how clientcmd says that a context asked for by name is not there; it has no type for it.
var noContext = regexp.MustCompile(`^context .* does not exist$`)
