package node

import (
	"context"
	"errors"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
)

// objects reads what pods refer to, always as it is now: a pod sees what was there when its container started.
type objects struct {
	client kubernetes.Interface
	ca     []byte // of the API server
}

const rootCA = "kube-root-ca.crt"

func (o *objects) ConfigMap(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error) {
	cm, err := o.client.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) && name == rootCA && len(o.ca) > 0 {
		// Every pod with a service account's token refers to it, also before its publisher has come by.
		return &corev1.ConfigMap{Data: map[string]string{"ca.crt": string(o.ca)}}, nil
	}
	return cm, inKubeletWords(err, "configmap", name)
}

func (o *objects) Secret(ctx context.Context, namespace, name string) (*corev1.Secret, error) {
	s, err := o.client.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
	return s, inKubeletWords(err, "secret", name)
}

func (o *objects) Claimed(ctx context.Context, namespace, claim string) (*corev1.PersistentVolume, error) {
	pvc, err := o.client.CoreV1().PersistentVolumeClaims(namespace).Get(ctx, claim, metav1.GetOptions{})
	if err != nil {
		return nil, inKubeletWords(err, "persistentvolumeclaim", claim)
	}
	if pvc.Spec.VolumeName == "" {
		return nil, fmt.Errorf("persistentvolumeclaim %q is not bound to a volume", claim)
	}
	return o.client.CoreV1().PersistentVolumes().Get(ctx, pvc.Spec.VolumeName, metav1.GetOptions{})
}

func (o *objects) Token(ctx context.Context, pod *corev1.Pod, p *corev1.ServiceAccountTokenProjection) (string, error) {
	r := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: p.ExpirationSeconds,
		BoundObjectRef: &authenticationv1.BoundObjectReference{Kind: "Pod", APIVersion: "v1", Name: pod.Name, UID: pod.UID}}}
	if p.Audience != "" {
		r.Spec.Audiences = []string{p.Audience}
	}
	r, err := o.client.CoreV1().ServiceAccounts(pod.Namespace).CreateToken(ctx, pod.Spec.ServiceAccountName, r, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("failed to fetch token: %w", err)
	}
	return r.Status.Token, nil
}

// inKubeletWords says "not found" as the kubelet does, for those who look for its words in events.
func inKubeletWords(err error, kind, name string) error {
	var status apierrors.APIStatus
	if apierrors.IsNotFound(err) && errors.As(err, &status) {
		return apierrors.NewNotFound(schema.GroupResource{Resource: kind}, name)
	}
	return err
}
