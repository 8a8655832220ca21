package kube

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"muster.dev/muster/backend/job"
)

// Error is why something could not be done. Its text is for logs; people are shown the catalogue's text for
// "problem.<Code>" with Args.
// [Codes] lists them.
type Error struct {
	Code string
	Args map[string]string
	Err  error
	// Problems are all that is wrong with a site file.
	Problems []job.Problem
}

func (e *Error) Error() string {
	var s strings.Builder
	s.WriteString(e.Code)
	keys := make([]string, 0, len(e.Args))
	for k := range e.Args {
		if k != "message" && e.Args[k] != "" {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		fmt.Fprintf(&s, " %s=%s", k, e.Args[k])
	}
	if m := e.Args["message"]; m != "" {
		s.WriteString(": " + m)
	}
	return s.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Problem is the error in the form in which problems of a spec are shown.
func (e *Error) Problem() job.Problem {
	return job.Problem{Path: e.Args["path"], Code: e.Code, Args: complete(e.Code, e.Args)}
}

// newError is an Error with every argument that its code documents.
func newError(code string, err error, pairs ...string) *Error {
	return &Error{Code: code, Args: complete(code, args(pairs...)), Err: err}
}

// problem is a problem with every argument that its code documents.
func problem(path, code string, pairs ...string) job.Problem {
	return job.Problem{Path: path, Code: code, Args: complete(code, args(pairs...))}
}

// complete adds the documented arguments that lack as empty ones, so that whoever makes a text of them can tell an
// argument that is not known from a mistake.
func complete(code string, given map[string]string) map[string]string {
	all := maps.Clone(given)
	for _, c := range Codes() {
		if c.Code != code {
			continue
		}
		if all == nil {
			all = map[string]string{}
		}
		for _, name := range c.Args {
			if _, ok := all[name]; !ok {
				all[name] = ""
			}
		}
	}
	return all
}

// args makes a problem's arguments of names and values.
func args(pairs ...string) map[string]string {
	m := make(map[string]string, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

// target is what a call was about.
type target struct {
	verb      string
	resource  string // plural, with the group when it is not core: jobsets.jobset.x-k8s.io
	workspace string
	name      string
}

// explain turns a client's error into an Error that names verb and resource.
func (l *link) explain(err error, about target) error {
	if err == nil {
		return nil
	}
	var already *Error
	if errors.As(err, &already) || errors.Is(err, context.Canceled) {
		return err
	}
	e := &Error{Code: CodeCluster, Err: err, Args: args(
		"verb", about.verb, "resource", about.resource, "workspace", about.workspace, "name", about.name,
		"message", l.clean(err))}
	switch {
	case mistrusted(err):
		e.Code = CodeCertificate
		e.Args["host"] = l.host
	case unreachable(err):
		e.Code = CodeUnreachable
		e.Args["host"] = l.host
	case errors.Is(err, context.DeadlineExceeded), apierrors.IsTimeout(err), apierrors.IsServerTimeout(err):
		e.Code = CodeTimedOut
		e.Args["host"] = l.host
	case apierrors.IsUnauthorized(err), credentials(err):
		e.Code = CodeUnauthorized
	case apierrors.IsForbidden(err) && namespaceGone(err):
		e.Code = CodeNamespaceNotFound
	case impersonation(err):
		e.Code = CodeImpersonation
	case apierrors.IsForbidden(err):
		e.Code = CodeDenied
	case meta.IsNoMatchError(err), notServed(err):
		e.Code = CodeNotServed
	case apierrors.IsNotFound(err) && notFoundKind(err) == "namespaces":
		e.Code = CodeNamespaceNotFound
	case apierrors.IsNotFound(err):
		e.Code = CodeNotFound
	case apierrors.IsConflict(err):
		e.Code = CodeChanged
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		e.Code = CodeInvalid
	}
	e.Args = complete(e.Code, e.Args)
	return e
}

// unreachable tells whether no answer came at all.
func unreachable(err error) bool {
	var network net.Error
	var address *url.Error
	if credentials(err) {
		return false
	}
	if errors.As(err, &network) && !errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	return errors.As(err, &address) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled)
}

// mistrusted tells whether the TLS handshake failed: the server is there, and asking it again does not help.
func mistrusted(err error) bool {
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &verification) || errors.As(err, &record)
}

// impersonation tells whether the user may not act as the one asked for. The API server says it in words alone: "cannot
// impersonate resource", or with constrained impersonation "cannot impersonate-on:user-info:create resource".
func impersonation(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), " cannot impersonate")
}

// credentials tells whether the credential plugin failed. client-go says it in words alone.
func credentials(err error) bool { return strings.Contains(err.Error(), "getting credentials: ") }

// notServed tells whether the API server does not know the resource at all, rather than one object of it.
func notServed(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsNotFound(err) {
		return false
	}
	details := status.Status().Details
	return details == nil || details.Name == "" && details.Kind == "" ||
		strings.Contains(status.Status().Message, "the server could not find the requested resource")
}

func notFoundKind(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Details != nil {
		return status.Status().Details.Kind
	}
	return ""
}

// namespaceGone: creating in a namespace that is going away is forbidden with this cause.
func namespaceGone(err error) bool {
	return apierrors.HasStatusCause(err, "NamespaceTerminating")
}

// clean is an error's text without what must not be shown.
func (l *link) clean(err error) string {
	text := plain(err)
	if text == "unknown" { // client-go's word for an answer without one
		return ""
	}
	// The request that net/http puts in front (Get "https://…?watch=true": ) is long and says nothing to people.
	var request *url.Error
	if errors.As(err, &request) && request.Err != nil {
		text = strings.Replace(text, request.Error(), request.Err.Error(), 1)
	}
	if l.secrets == nil {
		return text
	}
	return l.secrets.remove(text)
}

// plain is an error's text as one piece; the user interface treats it as hostile all the same.
func plain(err error) string { return strings.TrimSpace(withoutUsers(err.Error())) }
