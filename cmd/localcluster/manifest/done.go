package manifest

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// doneMap is the ConfigMap in which the cluster itself keeps what has been applied to it: the data that it vouches for
// and the note go together.
const doneNamespace, doneMap = "kube-system", "muster-localcluster"

// Done says whether objects with this hash have been applied under this name. A cluster that was started before is left
// as its users have made it.
func (a *Applier) Done(ctx context.Context, name, hash string) (bool, error) {
	cm, err := a.kube.CoreV1().ConfigMaps(doneNamespace).Get(ctx, doneMap, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && cm.Data[name] == hash, err
}

// MarkDone notes that they have been.
func (a *Applier) MarkDone(ctx context.Context, name, hash string) error {
	client, err := a.client(noteObject(nil))
	if err != nil {
		return err
	}
	// A field manager for each name, or one's note would take the others' away.
	_, err = client.Apply(ctx, doneMap, noteObject(map[string]any{name: hash}),
		metav1.ApplyOptions{FieldManager: fieldManager + "-" + name, Force: true})
	return err
}

func noteObject(data map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": doneMap, "namespace": doneNamespace},
		"data":     data,
	}}
}
