package volume

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"muster.dev/muster/cmd/localcluster/node/podenv"
)

const defaultMode = 0o644

// file is one file of a volume that is made from objects.
type file struct {
	path string
	data []byte
	mode os.FileMode
}

// keys picks from the content of a ConfigMap or Secret what the items name; all of it without items.
func keys(kind string, content map[string][]byte, items []corev1.KeyToPath, mode *int32, optional *bool) ([]file, error) {
	if len(items) == 0 {
		for k := range content {
			items = append(items, corev1.KeyToPath{Key: k, Path: k})
		}
		slices.SortFunc(items, func(a, b corev1.KeyToPath) int { return cmp.Compare(a.Key, b.Key) })
	}
	var files []file
	for _, item := range items {
		data, ok := content[item.Key]
		if !ok && optional != nil && *optional {
			continue
		}
		if !ok {
			return nil, fmt.Errorf("references non-existent %s key: %s", kind, item.Key)
		}
		files = append(files, file{path: item.Path, data: data, mode: fileMode(item.Mode, mode)})
	}
	return files, nil
}

func fileMode(modes ...*int32) os.FileMode {
	for _, m := range modes {
		if m != nil {
			return os.FileMode(*m) & 0o777
		}
	}
	return defaultMode
}

func (s *Set) configMap(ctx context.Context, pod *corev1.Pod, name string, items []corev1.KeyToPath, mode *int32, optional *bool) ([]file, error) {
	cm, err := s.Objects.ConfigMap(ctx, pod.Namespace, name)
	if err != nil {
		return nil, unlessOptional(err, optional)
	}
	content := map[string][]byte{}
	for k, v := range cm.Data {
		content[k] = []byte(v)
	}
	for k, v := range cm.BinaryData {
		content[k] = v
	}
	return keys("config", content, items, mode, optional)
}

func (s *Set) secret(ctx context.Context, pod *corev1.Pod, name string, items []corev1.KeyToPath, mode *int32, optional *bool) ([]file, error) {
	secret, err := s.Objects.Secret(ctx, pod.Namespace, name)
	if err != nil {
		return nil, unlessOptional(err, optional)
	}
	return keys("secret", secret.Data, items, mode, optional)
}

func unlessOptional(err error, optional *bool) error {
	if apierrors.IsNotFound(err) && optional != nil && *optional {
		return nil
	}
	return err
}

func (s *Set) downward(pod *corev1.Pod, items []corev1.DownwardAPIVolumeFile, mode *int32) ([]file, error) {
	var files []file
	for _, item := range items {
		var value string
		var err error
		switch {
		case item.FieldRef != nil:
			value, err = podenv.Field(pod, item.FieldRef.FieldPath, s.Place)
		case item.ResourceFieldRef != nil:
			value, err = podenv.Resource(pod, &corev1.Container{}, item.ResourceFieldRef, s.Place)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: item.Path, data: []byte(value), mode: fileMode(item.Mode, mode)})
	}
	return files, nil
}

func (s *Set) projected(ctx context.Context, pod *corev1.Pod, p *corev1.ProjectedVolumeSource) ([]file, error) {
	var files []file
	for _, source := range p.Sources {
		var more []file
		var err error
		switch {
		case source.ConfigMap != nil:
			more, err = s.configMap(ctx, pod, source.ConfigMap.Name, source.ConfigMap.Items, p.DefaultMode, source.ConfigMap.Optional)
		case source.Secret != nil:
			more, err = s.secret(ctx, pod, source.Secret.Name, source.Secret.Items, p.DefaultMode, source.Secret.Optional)
		case source.DownwardAPI != nil:
			more, err = s.downward(pod, source.DownwardAPI.Items, p.DefaultMode)
		case source.ServiceAccountToken != nil:
			var token string
			token, err = s.Objects.Token(ctx, pod, source.ServiceAccountToken)
			more = []file{{path: source.ServiceAccountToken.Path, data: []byte(token), mode: fileMode(p.DefaultMode)}}
		default:
			err = fmt.Errorf("this local cluster's nodes know no such projection")
		}
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return files, nil
}

// write makes a directory hold exactly these files.
func write(dir string, files []file) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if !filepath.IsLocal(f.path) {
			return fmt.Errorf("%q leads out of the volume", f.path)
		}
		path := filepath.Join(dir, f.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, f.mode); err != nil {
			return err
		}
		if err := os.Chmod(path, f.mode); err != nil { // the umask took some away
			return err
		}
	}
	return nil
}
