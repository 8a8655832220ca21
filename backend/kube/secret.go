package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/submit"
)

// How long a Secret of an older job of the name is waited for, which the cluster is deleting.
const (
	secretTries = 20
	secretPause = 500 * time.Millisecond
)

// keepSecret sees to it that the Secret of the job's values is there, and gives it as the cluster has it; nil when the
// user may not read it and it was not made just now. root is the job's root if there is one already.
//
// One that is left of a submission that broke off is given the values of this one; that of a job that is there keeps
// its own, and a warning says so. One that an older job of the name still owns is waited for.
func (s *submission) keepSecret(ctx context.Context, object *corev1.Secret, root client.Object) (*corev1.Secret, error) {
	for attempt := 0; ; attempt++ {
		made, err := s.makeSecret(ctx, object)
		if err == nil {
			return made, nil
		}
		// Who submits again may lack the right to create what is there already.
		if !apierrors.IsAlreadyExists(err) && !(root != nil && apierrors.IsForbidden(err)) {
			return nil, s.answer(err, object)
		}
		var found corev1.Secret
		switch read := s.get(ctx, object, &found); {
		case apierrors.IsNotFound(read) && apierrors.IsAlreadyExists(err):
			continue // deleted in between
		case apierrors.IsNotFound(read):
			return nil, s.answer(err, object)
		case apierrors.IsForbidden(read) && root != nil:
			return nil, nil
		case read != nil:
			return nil, s.link.explain(read, s.about("get", object))
		}
		if !s.ownSecret(&found) {
			return nil, s.secretTaken(object)
		}
		free := len(found.OwnerReferences) == 0 && found.DeletionTimestamp == nil
		switch {
		case root != nil && (free || ownedByAny(&found, map[types.UID]bool{root.GetUID(): true})):
			s.compare(object, &found)
			return &found, nil
		case !free && attempt >= secretTries:
			return nil, &submit.Refused{Problems: []job.Problem{problem("name", CodeNameDeleting, "name", s.spec.Name, "workspace", s.spec.Workspace)}}
		case !free:
			sleep(ctx, secretPause)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue
		case reflect.DeepEqual(object.Data, found.Data):
			return &found, nil
		}
		renewed, err := s.renewSecret(ctx, object, &found)
		if err == nil {
			return renewed, nil
		}
		if attempt >= secretTries || !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) && !apierrors.IsAlreadyExists(err) {
			return nil, s.answer(err, object)
		}
	}
}

func (s *submission) makeSecret(ctx context.Context, object *corev1.Secret) (*corev1.Secret, error) {
	ctx, cancel := unary(ctx)
	defer cancel()
	made := object.DeepCopy()
	return made, s.link.client.Create(ctx, made, fieldOwner)
}

// renewSecret gives a Secret that nobody uses yet the values of this submission.
func (s *submission) renewSecret(ctx context.Context, object, found *corev1.Secret) (*corev1.Secret, error) {
	call, cancel := unary(ctx)
	defer cancel()
	renewed := object.DeepCopy()
	renewed.UID, renewed.ResourceVersion = found.UID, found.ResourceVersion
	err := s.link.client.Update(call, renewed, fieldOwner)
	if !apierrors.IsForbidden(err) {
		return renewed, err
	}
	// Members of a workspace may often make Secrets and delete them, and no more.
	if err := s.link.client.Delete(call, found, client.Preconditions{UID: &found.UID}); err != nil {
		return nil, err
	}
	return s.makeSecret(ctx, object)
}

// ownSecret tells whether a Secret is one that muster made for a job of this name.
func (s *submission) ownSecret(found *corev1.Secret) bool {
	return found.Labels[render.LabelJob] == s.spec.Name && found.Labels[render.LabelManagedBy] == managedBy
}

func (s *submission) secretTaken(object *corev1.Secret) error {
	return &submit.Refused{Problems: []job.Problem{problem("name", CodeSecretTaken, "name", object.GetName(), "workspace", s.spec.Workspace)}}
}

// compare warns when a job that is there has other values than those given now. It names the variables, never the
// values.
func (s *submission) compare(wanted, found *corev1.Secret) {
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(wanted.Data)) {
		if has, ok := found.Data[name]; !ok || !bytes.Equal(has, wanted.Data[name]) {
			differ = append(differ, name)
		}
	}
	if len(differ) > 0 {
		s.warnings = append(s.warnings, problem("secretEnv", CodeSecretKept,
			"name", s.spec.Name, "workspace", s.spec.Workspace, "variables", strings.Join(differ, ", ")))
	}
}

// adopt makes the root the owner of a Secret that was made before it; there is the Secret as far as it is known. Where
// the right to patch Secrets lacks, it is made anew with its owner: a container that starts in between waits for it.
// Where that right lacks too the job runs all the same, and a warning says that the Secret stays.
func (s *submission) adopt(ctx context.Context, object, there *corev1.Secret, owner metav1.OwnerReference) error {
	if there != nil && ownedByAny(there, map[types.UID]bool{owner.UID: true}) {
		return nil
	}
	call, cancel := unary(ctx)
	defer cancel()
	err := s.patchOwner(call, object, there, owner)
	switch {
	case err == nil:
		return nil
	case there == nil && apierrors.IsInvalid(err):
		return s.secretTaken(object) // it is not what the patch was for
	case !apierrors.IsForbidden(err):
		return s.link.explain(err, s.about("patch", object))
	}
	if there != nil {
		owned := object.DeepCopy()
		owned.SetOwnerReferences([]metav1.OwnerReference{owner})
		err = s.link.client.Delete(call, there, client.Preconditions{UID: &there.UID})
		if err == nil || apierrors.IsNotFound(err) {
			return s.link.explain(s.link.client.Create(call, owned, fieldOwner), s.about("create", object))
		}
		if !apierrors.IsForbidden(err) {
			return s.link.explain(err, s.about("delete", object))
		}
	}
	s.warnings = append(s.warnings, problem("", CodeSecretNotOwned, "name", object.GetName(), "verb", "patch", "resource", "secrets"))
	return nil
}

// patchOwner writes the owner onto the very Secret that is known, else onto the one of the name if muster made it for
// this job: the server checks it, as the user may not look.
func (s *submission) patchOwner(ctx context.Context, object, there *corev1.Secret, owner metav1.OwnerReference) error {
	owners := []map[string]any{{"apiVersion": owner.APIVersion, "kind": owner.Kind, "name": owner.Name, "uid": owner.UID}}
	how, value := types.MergePatchType, any(nil)
	if there != nil {
		value = map[string]any{"metadata": map[string]any{"uid": there.UID, "ownerReferences": owners}}
	} else {
		path := strings.NewReplacer("~", "~0", "/", "~1").Replace
		how, value = types.JSONPatchType, []map[string]any{
			{"op": "test", "path": "/metadata/labels/" + path(render.LabelJob), "value": s.spec.Name},
			{"op": "test", "path": "/metadata/labels/" + path(render.LabelManagedBy), "value": managedBy},
			{"op": "add", "path": "/metadata/ownerReferences", "value": owners},
		}
	}
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	target := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: object.Namespace, Name: object.Name}}
	return s.link.client.Patch(ctx, target, client.RawPatch(how, body), fieldOwner)
}
