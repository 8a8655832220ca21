// Package manifest reads Kubernetes objects from YAML and applies them.
package manifest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// fieldManager owns the fields that are applied.
const fieldManager = "localcluster"

// Parse reads the objects of a YAML stream.
func Parse(text []byte) ([]*unstructured.Unstructured, error) {
	var objs []*unstructured.Unstructured
	for docs := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		obj := &unstructured.Unstructured{}
		if err := docs.Decode(&obj.Object); errors.Is(err, io.EOF) {
			return objs, nil
		} else if err != nil {
			return nil, err
		}
		if len(obj.Object) > 0 {
			objs = append(objs, obj)
		}
	}
}

// Applier applies objects.
type Applier struct {
	kube    kubernetes.Interface
	dynamic dynamic.Interface
	mapper  meta.ResettableRESTMapper
}

// NewApplier returns an applier for the cluster.
func NewApplier(config *rest.Config) (*Applier, error) {
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	dyn, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &Applier{kube, dyn, restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kube.Discovery()))}, nil
}

// Apply applies objects, several at a time, and takes over whatever others have set.
func (a *Applier) Apply(ctx context.Context, objs ...*unstructured.Unstructured) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for _, obj := range objs {
		group.Go(func() error {
			if err := a.apply(ctx, obj); err != nil {
				return fmt.Errorf("%s %s: %w", obj.GetKind(), obj.GetName(), err)
			}
			return nil
		})
	}
	return group.Wait()
}

func (a *Applier) apply(ctx context.Context, obj *unstructured.Unstructured) error {
	client, err := a.client(obj)
	if err != nil {
		return err
	}
	// A webhook or a conversion that has just begun to answer may refuse the first connections.
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		_, err := client.Apply(ctx, obj.GetName(), obj, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
		if err == nil || !apierrors.IsInternalError(err) || wait > 3*time.Second {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

func (a *Applier) client(obj *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	gvk := obj.GroupVersionKind()
	mapping, err := a.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return a.dynamic.Resource(mapping.Resource), nil
	}
	return a.dynamic.Resource(mapping.Resource).Namespace(obj.GetNamespace()), nil
}

// Get reads an object again.
func (a *Applier) Get(ctx context.Context, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	client, err := a.client(obj)
	if err != nil {
		return nil, err
	}
	return client.Get(ctx, obj.GetName(), metav1.GetOptions{})
}

// WaitCondition returns when all the objects have the condition.
func (a *Applier) WaitCondition(ctx context.Context, condition string, objs ...*unstructured.Unstructured) error {
	for _, obj := range objs {
		for {
			now, err := a.Get(ctx, obj)
			if err == nil && hasCondition(now, condition) {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("%s %s does not become %s: %w", obj.GetKind(), obj.GetName(), condition, errors.Join(err, ctx.Err()))
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}

func hasCondition(obj *unstructured.Unstructured, condition string) bool {
	all, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, c := range all {
		if c, ok := c.(map[string]any); ok && c["type"] == condition && c["status"] == "True" {
			return true
		}
	}
	return false
}

// Hash identifies the contents of objects.
func Hash(objs ...*unstructured.Unstructured) (string, error) {
	sum := sha256.New()
	if err := json.NewEncoder(sum).Encode(objs); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
