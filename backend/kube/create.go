package kube

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"muster.dev/muster/backend/job"
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
	if err := s.foreignService(ctx); err != nil {
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
	var secrets []*corev1.Secret
	var others []client.Object
	for _, d := range s.out.Dependents {
		object, err := asObject(d)
		if err != nil {
			return result, err
		}
		if secret, ok := object.(*corev1.Secret); ok {
			secrets = append(secrets, secret)
		} else {
			others = append(others, object)
		}
	}
	if there == nil {
		all := make([]client.Object, 0, len(secrets)+1+len(others))
		for _, secret := range secrets {
			all = append(all, secret)
		}
		all = append(append(all, root), others...)
		if err := s.tryOut(ctx, all); err != nil {
			return result, err
		}
	}
	result.Existed = there != nil
	if dry {
		return result, nil
	}
	// Pods need their Secret: it is made before the root, also when a submission that broke off left the root alone.
	kept := make([]*corev1.Secret, len(secrets))
	for i, secret := range secrets {
		if kept[i], err = s.keepSecret(ctx, secret, there); err != nil {
			return result, err
		}
	}
	made := false
	if there == nil {
		if there, made, err = s.createRoot(ctx, root); err != nil {
			return result, err
		}
		result.Existed = !made
	}
	owner, err := s.ownerOf(there)
	if err != nil {
		return result, err
	}
	for i, secret := range secrets {
		if err := s.adopt(ctx, secret, kept[i], owner); err != nil {
			if made {
				s.undo(ctx, there, err)
			}
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
	var denied *Error
	if !asError(cause, &refused) && !(asError(cause, &denied) && denied.Code == CodeDenied) {
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
