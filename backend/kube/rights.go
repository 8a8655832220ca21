package kube

import (
	"context"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// user is who the server takes the user for; "" when it does not say (before Kubernetes 1.28). That the user may not act
// as another, as the flags ask for, is an error.
func (l *link) user(ctx context.Context) (string, error) {
	ctx, cancel := unary(ctx)
	defer cancel()
	review := &authenticationv1.SelfSubjectReview{}
	if err := l.client.Create(ctx, review); err != nil {
		if apierrors.IsUnauthorized(err) || unreachable(err) || impersonation(err) {
			return "", l.explain(err, target{verb: "create", resource: "selfsubjectreviews.authentication.k8s.io"})
		}
		return "", nil
	}
	return review.Status.UserInfo.Username, nil
}

// verdict is what the server says of a right.
type verdict int

const (
	unknown verdict = iota // the question itself is not allowed: only trying tells
	allowed
	denied
)

// allowed asks whether the user may do something. group and resource may name a subresource: pods/log. An access
// review is advice, and some clusters let nobody ask for it: that is no error.
func (l *link) allowed(ctx context.Context, verb, group, resource, workspace, name string) (verdict, error) {
	ok, err := l.review(ctx, verb, group, resource, workspace, name)
	var e *Error
	switch {
	case asError(err, &e) && e.Code == CodeDenied:
		return unknown, nil
	case err != nil:
		return unknown, err
	case ok:
		return allowed, nil
	}
	return denied, nil
}

func (l *link) review(ctx context.Context, verb, group, resource, workspace, name string) (bool, error) {
	ctx, cancel := unary(ctx)
	defer cancel()
	resource, sub, _ := strings.Cut(resource, "/")
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Group: group, Resource: resource, Subresource: sub, Namespace: workspace, Name: name,
		},
	}}
	if err := l.client.Create(ctx, review); err != nil {
		return false, l.explain(err, target{verb: "create", resource: "selfsubjectaccessreviews.authorization.k8s.io"})
	}
	return review.Status.Allowed, nil
}

// deniedText names a right as Facts.Denied does.
func deniedText(verb, resource, workspace string) string {
	if workspace == "" {
		return verb + " " + resource
	}
	return verb + " " + resource + " in namespace " + workspace
}
