// Package podenv makes a container's command and environment by the rules of the kubelet.
package podenv

import (
	"context"
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/kubernetes/pkg/api/v1/resource"
	"k8s.io/kubernetes/pkg/fieldpath"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"
)

// Objects looks up what environments and volumes refer to.
type Objects interface {
	ConfigMap(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error)
	Secret(ctx context.Context, namespace, name string) (*corev1.Secret, error)
}

// Place is what is known of a pod only where it runs.
type Place struct {
	PodIP, HostIP string
	Allocatable   corev1.ResourceList // of the node: what a container without a limit has
}

// Env is a container's environment by name.
type Env map[string]string

// List returns NAME=value, sorted by name.
func (e Env) List() []string {
	list := make([]string, 0, len(e))
	for k, v := range e {
		list = append(list, k+"="+v)
	}
	sort.Strings(list)
	return list
}

// Expand replaces $(NAME) by the variable's value and $$ by $; what names no variable stays as it is.
func (e Env) Expand(s string) string { return expansion.Expand(s, expansion.MappingFuncFor(e)) }

// ExpandAll expands every string of a list.
func (e Env) ExpandAll(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, e.Expand(s))
	}
	return out
}

// ExpandPath expands a subPathExpr, in which every variable must have a value.
func (e Env) ExpandPath(s string) (string, error) {
	missing := ""
	out := expansion.Expand(s, func(name string) string {
		if e[name] == "" {
			missing = name
		}
		return e[name]
	})
	if missing != "" {
		return "", fmt.Errorf("missing value for %s", missing)
	}
	return out, nil
}

// Of makes the environment that a container's spec asks for.
func Of(ctx context.Context, objects Objects, pod *corev1.Pod, c *corev1.Container, place Place) (Env, error) {
	m := maker{ctx: ctx, objects: objects, pod: pod, container: c, place: place, env: Env{}}
	for _, from := range c.EnvFrom {
		if err := m.all(from); err != nil {
			return nil, err
		}
	}
	for _, v := range c.Env {
		if v.Value != "" || v.ValueFrom == nil {
			m.env[v.Name] = m.env.Expand(v.Value)
			continue
		}
		value, ok, err := m.from(v.ValueFrom)
		if err != nil {
			return nil, err
		}
		if ok {
			m.env[v.Name] = value
		}
	}
	return m.env, nil
}

type maker struct {
	ctx       context.Context
	objects   Objects
	pod       *corev1.Pod
	container *corev1.Container
	place     Place
	env       Env
}

// all takes every key of a ConfigMap or Secret over.
func (m *maker) all(from corev1.EnvFromSource) error {
	switch {
	case from.ConfigMapRef != nil:
		cm, err := m.objects.ConfigMap(m.ctx, m.pod.Namespace, from.ConfigMapRef.Name)
		if err != nil {
			return unlessOptional(err, from.ConfigMapRef.Optional)
		}
		for k, v := range cm.Data {
			m.env[from.Prefix+k] = v
		}
	case from.SecretRef != nil:
		s, err := m.objects.Secret(m.ctx, m.pod.Namespace, from.SecretRef.Name)
		if err != nil {
			return unlessOptional(err, from.SecretRef.Optional)
		}
		for k, v := range s.Data {
			m.env[from.Prefix+k] = string(v)
		}
	}
	return nil
}

// from resolves a value; false means that it is optional and not there.
func (m *maker) from(source *corev1.EnvVarSource) (string, bool, error) {
	switch {
	case source.FieldRef != nil:
		v, err := Field(m.pod, source.FieldRef.FieldPath, m.place)
		return v, true, err
	case source.ResourceFieldRef != nil:
		v, err := Resource(m.pod, m.container, source.ResourceFieldRef, m.place)
		return v, true, err
	case source.ConfigMapKeyRef != nil:
		ref := source.ConfigMapKeyRef
		cm, err := m.objects.ConfigMap(m.ctx, m.pod.Namespace, ref.Name)
		if err != nil {
			return "", false, unlessOptional(err, ref.Optional)
		}
		if v, ok := cm.Data[ref.Key]; ok {
			return v, true, nil
		}
		return "", false, missingKey(ref.Key, "ConfigMap", m.pod.Namespace, ref.Name, ref.Optional)
	case source.SecretKeyRef != nil:
		ref := source.SecretKeyRef
		s, err := m.objects.Secret(m.ctx, m.pod.Namespace, ref.Name)
		if err != nil {
			return "", false, unlessOptional(err, ref.Optional)
		}
		if v, ok := s.Data[ref.Key]; ok {
			return string(v), true, nil
		}
		return "", false, missingKey(ref.Key, "Secret", m.pod.Namespace, ref.Name, ref.Optional)
	}
	return "", false, fmt.Errorf("this local cluster's nodes know no such source of an environment variable")
}

func unlessOptional(err error, optional *bool) error {
	if apierrors.IsNotFound(err) && optional != nil && *optional {
		return nil
	}
	return err
}

func missingKey(key, kind, namespace, name string, optional *bool) error {
	if optional != nil && *optional {
		return nil
	}
	return fmt.Errorf("couldn't find key %s in %s %s/%s", key, kind, namespace, name)
}

// Field is the value of a field of the pod, as fieldRef names it.
func Field(pod *corev1.Pod, path string, place Place) (string, error) {
	switch path {
	case "spec.nodeName":
		return pod.Spec.NodeName, nil
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName, nil
	case "status.hostIP", "status.hostIPs":
		return place.HostIP, nil
	case "status.podIP", "status.podIPs":
		return place.PodIP, nil
	}
	return fieldpath.ExtractFieldPathAsString(pod, path)
}

// Resource is a request or a limit of a container, the node's whole where it has no limit.
func Resource(pod *corev1.Pod, c *corev1.Container, ref *corev1.ResourceFieldSelector, place Place) (string, error) {
	if ref.ContainerName != "" && ref.ContainerName != c.Name {
		if c = find(pod, ref.ContainerName); c == nil {
			return "", fmt.Errorf("container %s not found", ref.ContainerName)
		}
	}
	c = c.DeepCopy()
	if strings.HasPrefix(ref.Resource, "limits.") {
		resource.MergeContainerResourceLimits(c, place.Allocatable)
	}
	return resource.ExtractContainerResourceValue(ref, c)
}

func find(pod *corev1.Pod, name string) *corev1.Container {
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}
