package podenv

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// objects has one ConfigMap and one Secret.
type objects struct{}

func (objects) ConfigMap(_ context.Context, _, name string) (*corev1.ConfigMap, error) {
	if name != "cm" {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, name)
	}
	return &corev1.ConfigMap{Data: map[string]string{"a": "from cm $(HOME)", "b": "2"}}, nil
}

func (objects) Secret(_ context.Context, _, name string) (*corev1.Secret, error) {
	if name != "s" {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, name)
	}
	return &corev1.Secret{Data: map[string][]byte{"token": []byte("t$$(x)"), "b": []byte("secret")}}, nil
}

// TestExpand holds the rules under which a user's text must come through unaltered once it is escaped.
func TestExpand(t *testing.T) {
	env := Env{"A": "1", "EMPTY": "", "B": "$(A)$$"}
	for in, want := range map[string]string{
		"":                      "",
		"plain":                 "plain",
		"$":                     "$",
		"$$":                    "$",
		"$$$":                   "$$",
		"$$$$":                  "$$",
		"$A ${A}":               "$A ${A}",
		"$(A)":                  "1",
		"$(A)$(A)":              "11",
		"$$(A)":                 "$(A)",
		"$$$(A)":                "$1",
		"$$$$(A)":               "$$(A)",
		"$(EMPTY)":              "",
		"$(date)":               "$(date)",
		"$$(date)":              "$(date)",
		"$(date +%s)":           "$(date +%s)",
		"$(A":                   "$(A",
		"$()":                   "$()",
		"$(B)":                  "$(A)$$",      // values are not expanded again
		"$(($(A)+1))":           "$(($(A)+1))", // the reference is "($(A", as the kubelet reads it
		"echo $$ $(A)\nnext $$": "echo $ 1\nnext $",
		"日本$(A)語":               "日本1語",
		"$(a-b.c)":              "$(a-b.c)",
		"tail$":                 "tail$",
	} {
		if got := env.Expand(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	yes := true
	field := func(path string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path}}
	}
	res := func(name, divisor string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: name, Divisor: resource.MustParse(divisor)}}
	}
	cm := func(name, key string, optional *bool) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: name}, Key: key, Optional: optional}}
	}
	secret := func(name, key string, optional *bool) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: name}, Key: key, Optional: optional}}
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", UID: "u", Labels: map[string]string{"jobset.sigs.k8s.io/job-index": "7", "x": "y"},
			Annotations: map[string]string{"batch.kubernetes.io/job-completion-index": "3"}},
		Spec: corev1.PodSpec{NodeName: "n1", ServiceAccountName: "sa"},
	}
	place := Place{PodIP: "10.244.0.9", HostIP: "127.0.0.1", Allocatable: corev1.ResourceList{"cpu": resource.MustParse("64"), "memory": resource.MustParse("1Ti")}}
	limits := corev1.ResourceRequirements{Limits: corev1.ResourceList{"memory": resource.MustParse("2Gi")}, Requests: corev1.ResourceList{"cpu": resource.MustParse("1500m")}}
	tests := []struct {
		name string
		env  []corev1.EnvVar
		from []corev1.EnvFromSource
		want Env
		err  string
	}{
		{name: "literal", env: []corev1.EnvVar{{Name: "A", Value: "a"}, {Name: "E"}}, want: Env{"A": "a", "E": ""}},
		{name: "in order", env: []corev1.EnvVar{{Name: "B", Value: "$(A)"}, {Name: "A", Value: "a"}, {Name: "C", Value: "$(A)$$(A)"}}, want: Env{"A": "a", "B": "$(A)", "C": "a$(A)"}},
		{name: "the last of a name counts", env: []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "A", Value: "$(A)2"}}, want: Env{"A": "12"}},
		{name: "fields", env: []corev1.EnvVar{{Name: "I", ValueFrom: field("metadata.annotations['batch.kubernetes.io/job-completion-index']")},
			{Name: "L", ValueFrom: field("metadata.labels['jobset.sigs.k8s.io/job-index']")}, {Name: "NONE", ValueFrom: field("metadata.labels['no']")},
			{Name: "N", ValueFrom: field("metadata.name")}, {Name: "NS", ValueFrom: field("metadata.namespace")}, {Name: "U", ValueFrom: field("metadata.uid")},
			{Name: "IP", ValueFrom: field("status.podIP")}, {Name: "HIP", ValueFrom: field("status.hostIP")}, {Name: "NODE", ValueFrom: field("spec.nodeName")}, {Name: "SA", ValueFrom: field("spec.serviceAccountName")}},
			want: Env{"I": "3", "L": "7", "NONE": "", "N": "p", "NS": "ns", "U": "u", "IP": "10.244.0.9", "HIP": "127.0.0.1", "NODE": "n1", "SA": "sa"}},
		{name: "resources", env: []corev1.EnvVar{{Name: "M", ValueFrom: res("limits.memory", "1Mi")}, {Name: "C", ValueFrom: res("limits.cpu", "1")}, {Name: "R", ValueFrom: res("requests.cpu", "1m")}},
			want: Env{"M": "2048", "C": "64", "R": "1500"}},
		{name: "keys", env: []corev1.EnvVar{{Name: "A", ValueFrom: cm("cm", "a", nil)}, {Name: "T", ValueFrom: secret("s", "token", nil)}, {Name: "O", ValueFrom: cm("no", "a", &yes)}, {Name: "P", ValueFrom: secret("s", "no", &yes)}},
			want: Env{"A": "from cm $(HOME)", "T": "t$$(x)"}},
		{name: "everything of", from: []corev1.EnvFromSource{
			{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "cm"}}},
			{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "s"}}},
			{Prefix: "P_", SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "s"}}},
			{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "no"}, Optional: &yes}},
		}, env: []corev1.EnvVar{{Name: "X", Value: "$(b)"}}, want: Env{"a": "from cm $(HOME)", "b": "secret", "token": "t$$(x)", "P_b": "secret", "P_token": "t$$(x)", "X": "secret"}},
		{name: "no ConfigMap", env: []corev1.EnvVar{{Name: "A", ValueFrom: cm("no", "a", nil)}}, err: `configmaps "no" not found`},
		{name: "no key", env: []corev1.EnvVar{{Name: "A", ValueFrom: secret("s", "no", nil)}}, err: "couldn't find key no in Secret ns/s"},
		{name: "no Secret", from: []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "no"}}}}, err: `secrets "no" not found`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Of(t.Context(), objects{}, pod, &corev1.Container{Name: "c", Env: test.env, EnvFrom: test.from, Resources: limits}, place)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("%v, want %q", err, test.err)
				}
				return
			}
			if err != nil || !maps.Equal(got, test.want) {
				t.Errorf("%v %v\nwant %v", err, got, test.want)
			}
		})
	}
}

func TestPathAndList(t *testing.T) {
	env := Env{"POD": "p", "E": "", "A": "x=y"}
	if got, err := env.ExpandPath("logs/$(POD)"); got != "logs/p" || err != nil {
		t.Error(got, err)
	}
	for _, s := range []string{"$(E)", "$(NONE)/x"} {
		if _, err := env.ExpandPath(s); err == nil {
			t.Errorf("%s: no error", s)
		}
	}
	if got := env.List(); !slices.Equal(got, []string{"A=x=y", "E=", "POD=p"}) {
		t.Error(got)
	}
}
