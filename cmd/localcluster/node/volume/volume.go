// Package volume makes the volumes of pods as directories of this machine and says where containers see them.
package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	securejoin "github.com/cyphar/filepath-securejoin"
	corev1 "k8s.io/api/core/v1"
	"muster.dev/muster/cmd/localcluster/node/podenv"
	"muster.dev/muster/cmd/localcluster/node/sandbox"
)

// Objects looks up what volumes are made from.
type Objects interface {
	podenv.Objects
	// Claimed is the volume that a claim is bound to.
	Claimed(ctx context.Context, namespace, claim string) (*corev1.PersistentVolume, error)
	// Token is a new token of the pod's service account.
	Token(ctx context.Context, pod *corev1.Pod, p *corev1.ServiceAccountTokenProjection) (string, error)
}

// Set makes the volumes of one pod.
type Set struct {
	Objects Objects
	Place   podenv.Place
	// Dir holds what is made for the pod.
	Dir string
	// Hide are directories that no volume may show, but for what lies in Shared.
	Hide   []string
	Shared string
	// Tmpfs mounts a tmpfs where the pod's containers see it.
	Tmpfs func(ctx context.Context, dir string, size int64) error

	made map[string]Volume
}

// Volume is a directory of this machine.
type Volume struct {
	Path     string
	ReadOnly bool
}

// SetUpError says which volume could not be made.
type SetUpError struct {
	Volume string
	Err    error
}

// Error is worded as the kubelet's event is.
func (e *SetUpError) Error() string {
	return fmt.Sprintf("MountVolume.SetUp failed for volume %q : %v", e.Volume, e.Err)
}

// Unwrap returns the cause.
func (e *SetUpError) Unwrap() error { return e.Err }

// Make makes the volumes that are not made yet. After an error it can be called again.
func (s *Set) Make(ctx context.Context, pod *corev1.Pod) (map[string]Volume, error) {
	if s.made == nil {
		s.made = map[string]Volume{}
	}
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		if _, ok := s.made[v.Name]; ok {
			continue
		}
		made, err := s.volume(ctx, pod, v)
		if err != nil {
			return nil, &SetUpError{Volume: v.Name, Err: err}
		}
		s.made[v.Name] = made
	}
	return s.made, nil
}

func (s *Set) volume(ctx context.Context, pod *corev1.Pod, v *corev1.Volume) (Volume, error) {
	dir := filepath.Join(s.Dir, v.Name)
	var files []file
	var err error
	switch {
	case v.EmptyDir != nil:
		return s.emptyDir(ctx, pod, v.EmptyDir, dir)
	case v.HostPath != nil:
		err = errors.New("hostPath volumes are refused: on a local cluster a pod's host is the machine and user that the cluster itself runs as; claim a persistent volume")
	case v.PersistentVolumeClaim != nil:
		return s.claimed(ctx, pod, v.PersistentVolumeClaim)
	case v.ConfigMap != nil:
		files, err = s.configMap(ctx, pod, v.ConfigMap.Name, v.ConfigMap.Items, v.ConfigMap.DefaultMode, v.ConfigMap.Optional)
	case v.Secret != nil:
		files, err = s.secret(ctx, pod, v.Secret.SecretName, v.Secret.Items, v.Secret.DefaultMode, v.Secret.Optional)
	case v.Projected != nil:
		files, err = s.projected(ctx, pod, v.Projected)
	case v.DownwardAPI != nil:
		files, err = s.downward(pod, v.DownwardAPI.Items, v.DownwardAPI.DefaultMode)
	default:
		err = errors.New("this local cluster's nodes know no such kind of volume")
	}
	if err != nil {
		return Volume{}, err
	}
	return Volume{Path: dir, ReadOnly: true}, write(dir, files)
}

func (s *Set) emptyDir(ctx context.Context, pod *corev1.Pod, e *corev1.EmptyDirVolumeSource, dir string) (Volume, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return Volume{}, err
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		return Volume{}, err
	}
	if e.Medium == corev1.StorageMediumMemory {
		return Volume{Path: dir}, s.Tmpfs(ctx, dir, memorySize(pod, e))
	}
	return Volume{Path: dir}, nil
}

// memorySize is the smaller of the volume's limit and the pod's memory; 0 when it has neither.
func memorySize(pod *corev1.Pod, e *corev1.EmptyDirVolumeSource) int64 {
	var size int64
	for _, c := range pod.Spec.Containers {
		limit, ok := c.Resources.Limits[corev1.ResourceMemory]
		if !ok {
			size = 0
			break
		}
		size += limit.Value()
	}
	if e.SizeLimit != nil && e.SizeLimit.Value() > 0 && (size == 0 || e.SizeLimit.Value() < size) {
		size = e.SizeLimit.Value()
	}
	return size
}

// claimed shows the directory behind a persistent volume.
func (s *Set) claimed(ctx context.Context, pod *corev1.Pod, c *corev1.PersistentVolumeClaimVolumeSource) (Volume, error) {
	pv, err := s.Objects.Claimed(ctx, pod.Namespace, c.ClaimName)
	if err != nil {
		return Volume{}, err
	}
	var path string
	switch {
	case pv.Spec.HostPath != nil:
		path = pv.Spec.HostPath.Path
	case pv.Spec.Local != nil:
		path = pv.Spec.Local.Path
	default:
		return Volume{}, fmt.Errorf("persistent volume %s is neither hostPath nor local, the only kinds that a local cluster's nodes mount", pv.Name)
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return Volume{}, err
	}
	if path, err = s.visible(path); err != nil {
		return Volume{}, fmt.Errorf("persistent volume %s: %w", pv.Name, err)
	}
	return Volume{Path: path, ReadOnly: c.ReadOnly}, nil
}

// visible resolves a directory and refuses one that shows a hidden one.
func (s *Set) visible(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	if s.Shared != "" {
		if shared, err := filepath.EvalSymlinks(s.Shared); err == nil && path != shared && below(path, shared) {
			return path, nil
		}
	}
	for _, dir := range s.Hide {
		if hidden, err := filepath.EvalSymlinks(dir); err == nil && (below(path, hidden) || below(hidden, path)) {
			return "", fmt.Errorf("%s shows the cluster's own data to pods; take a directory below %s, or one elsewhere", path, s.Shared)
		}
	}
	return path, nil
}

// below says whether a path is a directory or lies in it.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Mounts says where a container sees the volumes. Directories that a subPath names are made.
func Mounts(c *corev1.Container, volumes map[string]Volume, env podenv.Env) ([]sandbox.Mount, error) {
	var mounts []sandbox.Mount
	for _, m := range c.VolumeMounts {
		v, ok := volumes[m.Name]
		if !ok {
			return nil, fmt.Errorf("volume %q of mount %s does not exist", m.Name, m.MountPath)
		}
		sub := m.SubPath
		if m.SubPathExpr != "" {
			var err error
			if sub, err = env.ExpandPath(m.SubPathExpr); err != nil {
				return nil, fmt.Errorf("subPathExpr of mount %s: %w", m.MountPath, err)
			}
		}
		source, err := within(v.Path, sub)
		if err != nil {
			return nil, fmt.Errorf("failed to prepare subPath for volumeMount %q of container %q: %w", m.Name, c.Name, err)
		}
		target := m.MountPath
		if !filepath.IsAbs(target) {
			target = "/" + target
		}
		mounts = append(mounts, sandbox.Mount{Source: source, Target: target, ReadOnly: m.ReadOnly || v.ReadOnly})
	}
	return mounts, nil
}

// within resolves a subPath inside a volume, whatever symbolic links lie there, and makes what is missing.
func within(volume, sub string) (string, error) {
	if sub == "" {
		return volume, nil
	}
	if filepath.IsAbs(sub) || strings.Contains("/"+filepath.ToSlash(sub)+"/", "/../") {
		return "", fmt.Errorf("subPath %q leads out of the volume", sub)
	}
	path, err := securejoin.SecureJoin(volume, sub)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, os.MkdirAll(path, 0o755)
}
