// Package operators runs the controllers of JobSet and Kueue with their webhooks and Kueue's visibility API, outside of
// the cluster that they serve.
package operators

import (
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strconv"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	_ "muster.dev/muster/cmd/localcluster/gates" // before the operators' packages, see there
	"muster.dev/muster/cmd/localcluster/instance"
	"muster.dev/muster/cmd/localcluster/manifest"
)

//go:generate go run ./genmanifests manifests

//go:embed manifests/jobset.yaml
var jobsetManifests []byte

//go:embed manifests/kueue.yaml
var kueueManifests []byte

// visibilityName is the Service of the visibility API.
const visibilityName = "kueue-visibility-server"

// doneOperators is the name under which the installation is noted.
const doneOperators = "operators"

// installation is what is applied to the cluster.
type installation struct {
	definitions []*unstructured.Unstructured // custom resources, rights: before the operators start
	entrances   []*unstructured.Unstructured // webhooks, API services: when they answer
	hash        string
}

// newInstallation reads the manifests and directs all their calls to this machine.
func newInstallation(ports instance.Ports, ca []byte) (installation, error) {
	var in installation
	for _, m := range []struct {
		text []byte
		port int
	}{{jobsetManifests, ports.JobSetWebhook}, {kueueManifests, ports.KueueWebhook}} {
		objs, err := manifest.Parse(m.text)
		if err != nil {
			return in, err
		}
		for _, obj := range objs {
			if err := in.add(obj, m.port, ca, ports.Visibility); err != nil {
				return in, fmt.Errorf("%s %s: %w", obj.GetKind(), obj.GetName(), err)
			}
		}
	}
	var err error
	in.hash, err = manifest.Hash(append(append([]*unstructured.Unstructured{}, in.definitions...), in.entrances...)...)
	return in, err
}

func (in *installation) add(obj *unstructured.Unstructured, port int, ca []byte, visibility int) error {
	bundle := base64.StdEncoding.EncodeToString(ca)
	switch obj.GetKind() {
	case "CustomResourceDefinition":
		client, found, err := unstructured.NestedMap(obj.Object, "spec", "conversion", "webhook", "clientConfig")
		if err != nil {
			return err
		}
		if found {
			if client, err = local(client, port, bundle); err != nil {
				return err
			}
			if err := unstructured.SetNestedMap(obj.Object, client, "spec", "conversion", "webhook", "clientConfig"); err != nil {
				return err
			}
		}
		in.definitions = append(in.definitions, obj)
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		hooks, _, err := unstructured.NestedSlice(obj.Object, "webhooks")
		if err != nil {
			return err
		}
		for _, h := range hooks {
			hook, ok := h.(map[string]any)
			if !ok {
				return errors.New("a webhook is no object")
			}
			client, ok := hook["clientConfig"].(map[string]any)
			if !ok {
				return errors.New("a webhook has no clientConfig")
			}
			if hook["clientConfig"], err = local(client, port, bundle); err != nil {
				return err
			}
		}
		if err := unstructured.SetNestedSlice(obj.Object, hooks, "webhooks"); err != nil {
			return err
		}
		in.entrances = append(in.entrances, obj)
	case "APIService":
		spec, ok := obj.Object["spec"].(map[string]any)
		if !ok {
			return errors.New("no spec")
		}
		service, ok := spec["service"].(map[string]any)
		if !ok {
			return errors.New("no service")
		}
		service["port"] = int64(visibility)
		delete(spec, "insecureSkipTLSVerify")
		spec["caBundle"] = bundle
		in.entrances = append(in.entrances, obj)
	default:
		in.definitions = append(in.definitions, obj)
	}
	return nil
}

// local turns a reference to a service in the cluster into a URL of this machine.
func local(client map[string]any, port int, bundle string) (map[string]any, error) {
	path, found, err := unstructured.NestedString(client, "service", "path")
	if err != nil || !found {
		return nil, errors.Join(errors.New("no service path"), err)
	}
	return map[string]any{"url": "https://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) + path, "caBundle": bundle}, nil
}

// visibilityService gives the API services the Service that they must name. The API server resolves an ExternalName
// itself, and goes on expecting the Service's DNS name in the certificate.
func visibilityService() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Service",
		"metadata": map[string]any{"name": visibilityName, "namespace": kueueNamespace},
		"spec":     map[string]any{"type": "ExternalName", "externalName": "localhost"},
	}}
}

// define applies what the operators need to start.
func (in installation) define(ctx context.Context, a *manifest.Applier) error {
	var first, crds, rest []*unstructured.Unstructured
	for _, obj := range in.definitions {
		switch obj.GetKind() {
		case "Namespace":
			first = append(first, obj)
		case "CustomResourceDefinition":
			crds = append(crds, obj)
		default:
			rest = append(rest, obj)
		}
	}
	if err := a.Apply(ctx, first...); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return a.Apply(ctx, append(rest, visibilityService())...) })
	group.Go(func() error {
		if err := a.Apply(ctx, crds...); err != nil {
			return err
		}
		return a.WaitCondition(ctx, "Established", crds...)
	})
	return group.Wait()
}

// open applies what sends requests to the operators.
func (in installation) open(ctx context.Context, a *manifest.Applier) error {
	return a.Apply(ctx, in.entrances...)
}

// waitOpen waits until the API server has found the aggregated API.
func (in installation) waitOpen(ctx context.Context, a *manifest.Applier) error {
	var services []*unstructured.Unstructured
	for _, obj := range in.entrances {
		if obj.GetKind() == "APIService" {
			services = append(services, obj)
		}
	}
	return a.WaitCondition(ctx, "Available", services...)
}
