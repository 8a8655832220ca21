package kube

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// world is a cluster with these objects and the namespace research.
func world(t *testing.T, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme, mapper, err := kinds()
	if err != nil {
		t.Fatal(err)
	}
	objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "research"}})
	return fake.NewClientBuilder().WithScheme(scheme).WithRESTMapper(mapper).WithObjects(objects...).Build()
}

// limited is a link as a user who may do all but what is forbidden, each as "verb resource".
func limited(world client.WithWatch, forbidden ...string) *link {
	l := &link{host: "h"}
	var made atomic.Int64
	refuse := func(verb string, o client.Object) error {
		resource := l.resource(o)
		if !slices.Contains(forbidden, verb+" "+resource) {
			return nil
		}
		group, name := "", resource
		if before, after, ok := strings.Cut(resource, "."); ok {
			name, group = before, after
		}
		return apierrors.NewForbidden(schema.GroupResource{Group: group, Resource: name}, o.GetName(), errors.New("no"))
	}
	l.client = world
	l.client = interceptor.NewClient(world, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			o.SetName(key.Name)
			return either(refuse("get", o), func() error { return c.Get(ctx, key, o, opts...) })
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return either(refuse("create", o), func() error {
				switch review := o.(type) {
				case *authenticationv1.SelfSubjectReview:
					review.Status.UserInfo.Username = "alice"
					return nil
				case *authorizationv1.SelfSubjectAccessReview:
					asked := review.Spec.ResourceAttributes
					resource := schema.GroupResource{Group: asked.Group, Resource: asked.Resource}
					review.Status.Allowed = !slices.Contains(forbidden, asked.Verb+" "+resource.String())
					return nil
				}
				o.SetUID(types.UID("uid-" + strconv.FormatInt(made.Add(1), 10)))
				return c.Create(ctx, o, opts...)
			})
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return either(refuse("update", o), func() error { return c.Update(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return either(refuse("patch", o), func() error {
				err := c.Patch(ctx, o, p, opts...)
				if err != nil && p.Type() == types.JSONPatchType && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown {
					// As the API server answers a test in a patch that fails.
					return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
				}
				return err
			})
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return either(refuse("delete", o), func() error { return c.Delete(ctx, o, opts...) })
		},
	})
	return l
}

func either(err error, otherwise func() error) error {
	if err != nil {
		return err
	}
	return otherwise()
}

// serving gives the link a server that answers for plain paths.
func serving(t *testing.T, l *link, answer http.Handler) *link {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	core, err := rest.RESTClientFor(&rest.Config{Host: server.URL, APIPath: "/api", QPS: -1, ContentConfig: rest.ContentConfig{
		GroupVersion: &schema.GroupVersion{Version: "v1"}, NegotiatedSerializer: serializer.NewCodecFactory(l.client.Scheme()).WithoutConversion(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	l.core = core
	return l
}

// apis answers which API groups there are, each as group/version.
func apis(served ...string) http.Handler {
	var list metav1.APIGroupList
	for _, s := range served {
		group, version, _ := strings.Cut(s, "/")
		list.Groups = append(list.Groups, metav1.APIGroup{Name: group, Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: s, Version: version}}})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		// A client that is gone is not the server's trouble.
		_ = json.NewEncoder(w).Encode(list)
	})
}
