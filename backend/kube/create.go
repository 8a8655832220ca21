package kube

import (
	"context"
	"fmt"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/submit"
)

// fieldOwner is who the server notes as the writer.
const fieldOwner = client.FieldOwner("muster")

// inFlight bounds how many objects of one job are created at once.
const inFlight = 16

// create makes the objects, or with dry asks the server whether it would.
func (s *submission) create(ctx context.Context, dry bool) (result submit.Result, err error) {
	root, err := asObject(s.out.Root)
	if err != nil {
		return submit.Result{}, err
	}
	there, err := s.existing(ctx, root) // may change what is rendered
	if err != nil {
		return submit.Result{}, err
	}
	if root, err = asObject(s.out.Root); err != nil {
		return submit.Result{}, err
	}
	result, err = s.result()
	if err != nil {
		return result, err
	}
	defer func() { result.Warnings = append(s.warnings, s.out.Warnings...) }()
	var secrets, others []client.Object
	for _, d := range s.out.Dependents {
		object, err := asObject(d)
		if err != nil {
			return result, err
		}
		if _, ok := object.(*corev1.Secret); ok {
			secrets = append(secrets, object)
		} else {
			others = append(others, object)
		}
	}
	if there == nil {
		all := append(append([]client.Object{}, secrets...), root)
		if err := s.tryOut(ctx, append(all, others...)); err != nil {
			return result, err
		}
	}
	result.Existed = there != nil
	if dry {
		return result, nil
	}
	made := false
	if there == nil {
		for _, secret := range secrets {
			if err := s.createSecret(ctx, secret); err != nil {
				return result, err
			}
		}
		there, made, err = s.createRoot(ctx, root)
		if err != nil {
			return result, err
		}
		result.Existed = !made
	} else {
		// A submission that broke off may have left the root alone; its Secret is made before it.
		for _, secret := range secrets {
			if err := s.link.client.Get(ctx, client.ObjectKeyFromObject(secret), &corev1.Secret{}); apierrors.IsNotFound(err) {
				if err := s.createSecret(ctx, secret); err != nil {
					return result, err
				}
			}
		}
	}
	owner, err := s.ownerOf(there)
	if err != nil {
		return result, err
	}
	for _, secret := range secrets {
		if err := s.adopt(ctx, secret, owner); err != nil {
			return result, err
		}
	}
	workers, within := errgroup.WithContext(ctx)
	workers.SetLimit(inFlight)
	for _, object := range others {
		workers.Go(func() error { return s.createOwned(within, object, owner) })
	}
	if err := workers.Wait(); err != nil {
		if made {
			s.undo(ctx, there, err)
		}
		return result, err
	}
	return result, nil
}

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

// tryOut gives every object to the server without keeping it.
func (s *submission) tryOut(ctx context.Context, objects []client.Object) error {
	workers, within := errgroup.WithContext(ctx)
	workers.SetLimit(inFlight)
	for i, object := range objects {
		workers.Go(func() error {
			call, cancel := unary(within)
			defer cancel()
			copied := object.DeepCopyObject().(client.Object)
			err := s.link.client.Create(call, copied, client.DryRunAll, fieldOwner, client.FieldValidation(metav1.FieldValidationStrict))
			if apierrors.IsAlreadyExists(err) && i > 0 {
				return nil // looked at when it is made: it may be what a submission that broke off left
			}
			return s.answer(err, object)
		})
	}
	return workers.Wait()
}

// answer turns the server's answer to a creation into what the user is told.
func (s *submission) answer(err error, object client.Object) error {
	if err == nil {
		return nil
	}
	if apierrors.IsAlreadyExists(err) {
		if _, isSecret := object.(*corev1.Secret); isSecret {
			return nil
		}
		return &submit.Refused{Problems: []job.Problem{s.taken(object)}}
	}
	return s.refused(err, s.about("create", object), fieldOf(s.spec, object))
}

func (s *submission) about(verb string, object client.Object) target {
	return target{verb: verb, resource: s.link.resource(object), workspace: s.spec.Workspace, name: object.GetName()}
}

// createSecret makes the Secret of the job's values. One that is left of a submission that broke off is given the
// values of this one; one that an older job of the name still owns is waited for, as the cluster is deleting it.
func (s *submission) createSecret(ctx context.Context, object client.Object) error {
	for attempt := 0; ; attempt++ {
		err := func() error {
			call, cancel := unary(ctx)
			defer cancel()
			return s.link.client.Create(call, object.DeepCopyObject().(client.Object), fieldOwner)
		}()
		if !apierrors.IsAlreadyExists(err) {
			if err != nil {
				return s.answer(err, object)
			}
			return nil
		}
		var found corev1.Secret
		if err := s.get(ctx, object, &found); apierrors.IsNotFound(err) {
			continue
		} else if err != nil {
			return s.link.explain(err, s.about("get", object))
		}
		if found.Labels[render.LabelJob] != s.spec.Name || found.Labels[render.LabelManagedBy] != object.GetLabels()[render.LabelManagedBy] {
			return &submit.Refused{Problems: []job.Problem{problem("name", CodeSecretTaken, "name", found.Name, "workspace", s.spec.Workspace)}}
		}
		if len(found.OwnerReferences) > 0 || found.DeletionTimestamp != nil {
			if attempt >= 20 {
				return &submit.Refused{Problems: []job.Problem{problem("name", CodeNameDeleting, "name", s.spec.Name, "workspace", s.spec.Workspace)}}
			}
			sleep(ctx, 500*time.Millisecond)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue
		}
		renewed := object.DeepCopyObject().(*corev1.Secret)
		renewed.UID, renewed.ResourceVersion = found.UID, found.ResourceVersion
		if reflect.DeepEqual(renewed.Data, found.Data) {
			return nil
		}
		call, cancel := unary(ctx)
		err = s.link.client.Update(call, renewed, fieldOwner)
		if apierrors.IsForbidden(err) {
			// Members of a workspace may often make Secrets and delete them, and no more.
			err = s.link.client.Delete(call, &found, client.Preconditions{UID: &found.UID})
			if err == nil {
				err = s.link.client.Create(call, object.DeepCopyObject().(client.Object), fieldOwner)
			}
		}
		cancel()
		if attempt < 20 && (apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err)) {
			continue
		}
		return s.answer(err, object)
	}
}

func (s *submission) get(ctx context.Context, object, into client.Object) error {
	ctx, cancel := unary(ctx)
	defer cancel()
	return s.link.client.Get(ctx, client.ObjectKeyFromObject(object), into)
}

// createRoot makes the root; made is false when another submission of the same job was faster.
func (s *submission) createRoot(ctx context.Context, object client.Object) (root client.Object, made bool, err error) {
	root = object.DeepCopyObject().(client.Object)
	call, cancel := unary(ctx)
	defer cancel()
	err = s.link.client.Create(call, root, fieldOwner, client.FieldValidation(metav1.FieldValidationStrict))
	if apierrors.IsAlreadyExists(err) {
		found := object.DeepCopyObject().(client.Object)
		if err := s.get(ctx, object, found); err != nil {
			return nil, false, s.link.explain(err, s.about("get", object))
		}
		return found, false, s.same(found, object)
	}
	if err != nil {
		return nil, false, s.answer(err, object)
	}
	return root, true, nil
}

// ownerOf is the reference by which the root owns the rest. It does not block the root's deletion: that would need a
// right on the root's finalizers.
func (s *submission) ownerOf(root client.Object) (metav1.OwnerReference, error) {
	gvk, err := apiutil.GVKForObject(root, s.link.client.Scheme())
	if err != nil {
		return metav1.OwnerReference{}, err
	}
	return metav1.OwnerReference{
		APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Name: root.GetName(), UID: root.GetUID(),
	}, nil
}

// adopt makes the root the owner of a Secret that was made before it. Where the right to patch Secrets lacks, it is
// made anew with its owner: a container that starts in between waits for it.
func (s *submission) adopt(ctx context.Context, object client.Object, owner metav1.OwnerReference) error {
	var found corev1.Secret
	if err := s.get(ctx, object, &found); err != nil {
		return s.link.explain(err, s.about("get", object))
	}
	if ownedByAny(&found, map[types.UID]bool{owner.UID: true}) {
		return nil
	}
	call, cancel := unary(ctx)
	defer cancel()
	body := fmt.Sprintf(`{"metadata":{"uid":%q,"ownerReferences":[{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q}]}}`,
		found.UID, owner.APIVersion, owner.Kind, owner.Name, owner.UID)
	err := s.link.client.Patch(call, found.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(body)), fieldOwner)
	if !apierrors.IsForbidden(err) {
		return s.link.explain(err, s.about("patch", object))
	}
	owned := object.DeepCopyObject().(client.Object)
	owned.SetOwnerReferences([]metav1.OwnerReference{owner})
	err = s.link.client.Delete(call, &found, client.Preconditions{UID: &found.UID})
	if apierrors.IsForbidden(err) {
		// The job runs all the same. Deleting the job looks for its Secret by name.
		s.warnings = append(s.warnings, problem("", CodeSecretNotOwned, "name", object.GetName(), "verb", "patch", "resource", "secrets"))
		return nil
	}
	if err == nil || apierrors.IsNotFound(err) {
		err = s.link.client.Create(call, owned, fieldOwner)
	}
	return s.link.explain(err, s.about("create", object))
}

// createOwned makes one of the objects that the root owns.
func (s *submission) createOwned(ctx context.Context, object client.Object, owner metav1.OwnerReference) error {
	ctx, cancel := unary(ctx)
	defer cancel()
	made := object.DeepCopyObject().(client.Object)
	made.SetOwnerReferences([]metav1.OwnerReference{owner})
	err := s.link.client.Create(ctx, made, fieldOwner, client.FieldValidation(metav1.FieldValidationStrict))
	if !apierrors.IsAlreadyExists(err) {
		return s.answer(err, object)
	}
	found := object.DeepCopyObject().(client.Object)
	if err := s.link.client.Get(ctx, client.ObjectKeyFromObject(object), found); err != nil {
		return s.link.explain(err, s.about("get", object))
	}
	for _, reference := range found.GetOwnerReferences() {
		if reference.UID == owner.UID {
			return nil
		}
	}
	return &submit.Refused{Problems: []job.Problem{s.taken(found)}}
}

// undo takes back a root that this submission made when the cluster refuses what belongs to it: half a job would hold
// cards. After a lost connection it stays, and submitting again completes it.
func (s *submission) undo(ctx context.Context, root client.Object, cause error) {
	var refused *submit.Refused
	if !asError(cause, &refused) {
		return
	}
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), unaryTimeout)
	defer cancel()
	uid := root.GetUID()
	// Its failure changes nothing of the answer: the cause is what the user must know.
	_ = s.link.client.Delete(call, root, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
}

// asObject is a rendered object as the client takes it.
func asObject(o runtime.Object) (client.Object, error) {
	object, ok := o.(client.Object)
	if !ok {
		return nil, fmt.Errorf("kube: %T is not an object with metadata", o)
	}
	return object, nil
}
