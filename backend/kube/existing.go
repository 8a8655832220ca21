package kube

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/submit"
)

// existing finds a job of the same name: nil when there is none, an error when it is another job.
func (s *submission) existing(ctx context.Context, wanted client.Object) (client.Object, error) {
	found, err := s.link.find(ctx, s.spec.Workspace, s.spec.Name)
	if err != nil {
		var e *Error
		if asError(err, &e) && (e.Code == CodeJobNotFound || e.Code == CodeDenied) {
			return nil, nil // a right to create without one to read is enough: the server answers
		}
		if asError(err, &e) && e.Code == CodeNamespaceNotFound {
			return nil, &submit.Refused{Problems: []job.Problem{problem("workspace", e.Code, "workspace", s.spec.Workspace)}}
		}
		return nil, err
	}
	if err := s.same(found.object, wanted); err != nil {
		return nil, err
	}
	if found.engine != s.out.Engine {
		// The same job was made before on another engine: what lacks of it is that engine's.
		out, problems := s.render(found.engine)
		if len(problems) > 0 {
			return nil, &submit.Refused{Problems: []job.Problem{s.taken(found.object)}}
		}
		s.out = out
	}
	return found.object, nil
}

// foreignService refuses the name of a JobSet that a Service has which is not its own: JobSet takes any Service of its
// name for the one under which its pods find one another, and then no pod's name resolves. One of an older JobSet of
// the name goes away with it, and JobSet makes its own.
func (s *submission) foreignService(ctx context.Context) error {
	if s.out.Engine != render.JobSet {
		return nil // the root itself is the Service
	}
	var found corev1.Service
	named := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: s.spec.Workspace, Name: s.spec.Name}}
	switch err := s.get(ctx, named, &found); {
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err):
		return nil
	case err != nil:
		return s.link.explain(err, s.about("get", named))
	}
	if owner := metav1.GetControllerOf(&found); owner != nil && owner.Kind == "JobSet" && owner.Name == s.spec.Name {
		return nil
	}
	return &submit.Refused{Problems: []job.Problem{s.taken(&found)}}
}

// same tells whether an object is the root of this very job.
func (s *submission) same(found, wanted client.Object) error {
	if found.GetDeletionTimestamp() != nil {
		return &submit.Refused{Problems: []job.Problem{problem("name", CodeNameDeleting, "name", s.spec.Name, "workspace", s.spec.Workspace)}}
	}
	if text := found.GetAnnotations()[render.AnnotationSpec]; text == "" || text != wanted.GetAnnotations()[render.AnnotationSpec] {
		return &submit.Refused{Problems: []job.Problem{s.taken(found)}}
	}
	return nil
}

func (s *submission) taken(found client.Object) job.Problem {
	return job.Problem{Path: "name", Code: CodeNameTaken, Args: args(
		"name", s.spec.Name, "workspace", s.spec.Workspace, "created", found.GetCreationTimestamp().UTC().Format(time.RFC3339),
	)}
}
