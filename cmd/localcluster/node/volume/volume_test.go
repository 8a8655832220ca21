package volume

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"muster.dev/muster/cmd/localcluster/node/podenv"
	"muster.dev/muster/cmd/localcluster/node/sandbox"
)

type objects struct{ nas string }

func (objects) ConfigMap(_ context.Context, _, name string) (*corev1.ConfigMap, error) {
	if name != "cm" {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "configmap"}, name)
	}
	return &corev1.ConfigMap{Data: map[string]string{"a": "A", "b": "B"}, BinaryData: map[string][]byte{"z": {0, 1}}}, nil
}

func (objects) Secret(_ context.Context, _, name string) (*corev1.Secret, error) {
	if name != "s" {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "secret"}, name)
	}
	return &corev1.Secret{Data: map[string][]byte{"key": []byte("K")}}, nil
}

func (o objects) Claimed(_ context.Context, _, claim string) (*corev1.PersistentVolume, error) {
	if claim != "nas" {
		return nil, fmt.Errorf("persistentvolumeclaim %q not found", claim)
	}
	return &corev1.PersistentVolume{Spec: corev1.PersistentVolumeSpec{PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: o.nas}}}}, nil
}

func (objects) Token(context.Context, *corev1.Pod, *corev1.ServiceAccountTokenProjection) (string, error) {
	return "TOKEN", nil
}

// tree is every file below a directory: its mode and content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = fmt.Sprintf("%o %s", info.Mode().Perm(), b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func ref(name string) corev1.LocalObjectReference { return corev1.LocalObjectReference{Name: name} }

func TestMake(t *testing.T) {
	yes, mode, other := true, int32(0o400), int32(0o755)
	tests := []struct {
		name   string
		source corev1.VolumeSource
		want   map[string]string
		err    string
	}{
		{"configMap", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: ref("cm")}}, map[string]string{"a": "644 A", "b": "644 B", "z": "644 \x00\x01"}, ""},
		{"configMap items", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: ref("cm"), DefaultMode: &mode, Items: []corev1.KeyToPath{{Key: "a", Path: "d/e"}, {Key: "b", Path: "x", Mode: &other}}}}, map[string]string{"d/e": "400 A", "x": "755 B"}, ""},
		{"configMap without the key", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: ref("cm"), Items: []corev1.KeyToPath{{Key: "no", Path: "x"}}}}, nil, `MountVolume.SetUp failed for volume "v" : references non-existent config key: no`},
		{"configMap missing", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: ref("no")}}, nil, `configmap "no" not found`},
		{"configMap optional", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: ref("no"), Optional: &yes}}, map[string]string{}, ""},
		{"configMap path out", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: ref("cm"), Items: []corev1.KeyToPath{{Key: "a", Path: "../x"}}}}, nil, "leads out"},
		{"secret", corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s", DefaultMode: &mode}}, map[string]string{"key": "400 K"}, ""},
		{"secret missing", corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "no"}}, nil, `secret "no" not found`},
		{"downwardAPI", corev1.VolumeSource{DownwardAPI: &corev1.DownwardAPIVolumeSource{Items: []corev1.DownwardAPIVolumeFile{
			{Path: "labels", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels"}},
			{Path: "cpu", ResourceFieldRef: &corev1.ResourceFieldSelector{ContainerName: "c", Resource: "limits.cpu"}}}}}, map[string]string{"labels": `644 a="b"`, "cpu": "644 3"}, ""},
		{"projected", corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{DefaultMode: &mode, Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}},
			{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: ref("cm"), Items: []corev1.KeyToPath{{Key: "a", Path: "ca.crt"}}}},
			{Secret: &corev1.SecretProjection{LocalObjectReference: ref("s")}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"}}}}}}}},
			map[string]string{"token": "400 TOKEN", "ca.crt": "400 A", "key": "400 K", "namespace": "400 ns"}, ""},
		{"no such kind", corev1.VolumeSource{NFS: &corev1.NFSVolumeSource{}}, nil, "no such kind of volume"},
		{"hostPath", corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/etc"}}, nil, "hostPath volumes are refused"},
		{"no claim", corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "no"}}, nil, `"no" not found`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Labels: map[string]string{"a": "b"}}, Spec: corev1.PodSpec{
				Volumes:    []corev1.Volume{{Name: "v", VolumeSource: test.source}},
				Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("3")}}}}}}
			s := Set{Objects: objects{}, Dir: t.TempDir()}
			made, err := s.Make(t.Context(), pod)
			if test.err != "" {
				var setUp *SetUpError
				if err == nil || !strings.Contains(err.Error(), test.err) || !errors.As(err, &setUp) {
					t.Errorf("%v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if v := made["v"]; !v.ReadOnly || !maps.Equal(tree(t, v.Path), test.want) {
				t.Errorf("%+v %q\nwant %q", v, tree(t, v.Path), test.want)
			}
		})
	}
}

func TestMakeDirectories(t *testing.T) {
	nas := filepath.Join(t.TempDir(), "nas")
	sizes := []int64{}
	s := Set{Objects: objects{nas: nas}, Dir: t.TempDir(), Tmpfs: func(_ context.Context, _ string, size int64) error {
		sizes = append(sizes, size)
		return nil
	}}
	size := resource.MustParse("1Gi")
	pod := &corev1.Pod{Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"memory": resource.MustParse("512Mi")}}}},
		Volumes: []corev1.Volume{
			{Name: "e", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			{Name: "m", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: &size}}},
			{Name: "p", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "nas", ReadOnly: true}}},
		}}}
	for range 2 { // the second time makes nothing
		made, err := s.Make(t.Context(), pod)
		if err != nil {
			t.Fatal(err)
		}
		if want := (Volume{Path: nas, ReadOnly: true}); made["p"] != want {
			t.Errorf("%+v", made["p"])
		}
	}
	if !slices.Equal(sizes, []int64{512 << 20}) {
		t.Errorf("tmpfs of %v", sizes)
	}
}

// TestHidden: no volume shows the cluster's own data, by whatever path.
func TestHidden(t *testing.T) {
	base := t.TempDir()
	data, shared := filepath.Join(base, "data"), filepath.Join(base, "data", "volumes")
	for _, dir := range []string{filepath.Join(data, "pki"), filepath.Join(shared, "ns-nas"), filepath.Join(base, "datasets")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(filepath.Join(data, "pki"), link); err != nil {
		t.Fatal(err)
	}
	for path, ok := range map[string]bool{base: false, data: false, filepath.Join(data, "pki"): false, filepath.Join(data, "new"): false, link: false, shared: false,
		filepath.Join(shared, "..", "pki"): false, "/": false, filepath.Join(shared, "ns-nas"): true, filepath.Join(base, "datasets"): true, filepath.Join(base, "data2"): true} {
		s := Set{Objects: objects{nas: path}, Dir: t.TempDir(), Hide: []string{data}, Shared: shared}
		made, err := s.Make(t.Context(), &corev1.Pod{Spec: corev1.PodSpec{Volumes: []corev1.Volume{
			{Name: "p", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "nas"}}}}}})
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "shows the cluster's own data") {
			t.Errorf("%s: %v, %v", path, made, err)
		}
	}
}

func TestMounts(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	volumes := map[string]Volume{"v": {Path: root}, "ro": {Path: root, ReadOnly: true}}
	env := podenv.Env{"POD": "p-0"}
	tests := []struct {
		mount corev1.VolumeMount
		want  sandbox.Mount
		err   string
	}{
		{mount: corev1.VolumeMount{Name: "v", MountPath: "/workspace"}, want: sandbox.Mount{Source: root, Target: "/workspace"}},
		{mount: corev1.VolumeMount{Name: "v", MountPath: "/w", ReadOnly: true}, want: sandbox.Mount{Source: root, Target: "/w", ReadOnly: true}},
		{mount: corev1.VolumeMount{Name: "ro", MountPath: "/w"}, want: sandbox.Mount{Source: root, Target: "/w", ReadOnly: true}},
		{mount: corev1.VolumeMount{Name: "v", MountPath: "/w", SubPath: "project/bert"}, want: sandbox.Mount{Source: root + "/project/bert", Target: "/w"}},
		{mount: corev1.VolumeMount{Name: "v", MountPath: "/w", SubPath: "file"}, want: sandbox.Mount{Source: root + "/file", Target: "/w"}},
		{mount: corev1.VolumeMount{Name: "v", MountPath: "/w", SubPathExpr: "$(POD)/x"}, want: sandbox.Mount{Source: root + "/p-0/x", Target: "/w"}},
		{mount: corev1.VolumeMount{Name: "v", MountPath: "/w", SubPath: "out/passwd"}, want: sandbox.Mount{Source: root + "/etc/passwd", Target: "/w"}}, // a link leads inside the volume
		{mount: corev1.VolumeMount{Name: "v", MountPath: "/w", SubPath: "../x"}, err: "leads out"},
		{mount: corev1.VolumeMount{Name: "v", MountPath: "/w", SubPathExpr: "$(NO)"}, err: "missing value for NO"},
		{mount: corev1.VolumeMount{Name: "no", MountPath: "/w"}, err: "does not exist"},
	}
	for _, test := range tests {
		got, err := Mounts(&corev1.Container{Name: "c", VolumeMounts: []corev1.VolumeMount{test.mount}}, volumes, env)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%+v: %v", test.mount, err)
			}
			continue
		}
		if err != nil || got[0] != test.want {
			t.Errorf("%+v: %v %+v, want %+v", test.mount, err, got, test.want)
			continue
		}
		if _, err := os.Stat(got[0].Source); err != nil {
			t.Error(err)
		}
	}
}
