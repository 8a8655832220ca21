package render

import (
	"bytes"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"muster.dev/muster/backend/render/engine"
)

// Objects are all of them in the order of creation: the root, which owns the others, first.
func Objects(o Output) []runtime.Object {
	if o.Root == nil {
		return nil
	}
	return append([]runtime.Object{o.Root}, o.Dependents...)
}

// Redact gives the same objects with every Secret's values removed; the keys stay, and an annotation says why they are
// empty. The output that it is given stays as it is.
func Redact(o Output) Output {
	dependents := make([]runtime.Object, len(o.Dependents))
	for i, d := range o.Dependents {
		secret, ok := d.(*corev1.Secret)
		if !ok {
			dependents[i] = d
			continue
		}
		secret = secret.DeepCopy()
		keys := make(map[string][]byte, len(secret.Data)+len(secret.StringData))
		for key := range secret.Data {
			keys[key] = []byte{}
		}
		for key := range secret.StringData {
			keys[key] = []byte{}
		}
		secret.Data, secret.StringData = keys, nil
		if secret.Annotations == nil {
			secret.Annotations = map[string]string{}
		}
		secret.Annotations[engine.AnnotationValues] = "not shown"
		dependents[i] = secret
	}
	o.Dependents = dependents
	return o
}

// List is the output as one v1 List in indented JSON, ended by a newline: without values of Secrets, without status and
// other fields that the cluster fills in, the same bytes each time.
func List(o Output) ([]byte, error) {
	items := []any{}
	for _, object := range Objects(Redact(o)) {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, err
		}
		delete(fields, "status")
		prune(fields)
		items = append(items, fields)
	}
	list := struct {
		metav1.TypeMeta `json:",inline"`
		Items           []any `json:"items"`
	}{metav1.TypeMeta{APIVersion: "v1", Kind: "List"}, items}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false) // a script is read by people
	if err := enc.Encode(list); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// ListYAML is List as YAML.
func ListYAML(o Output) ([]byte, error) {
	text, err := List(o)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(text)
}

// prune removes what Go's types print of fields that nobody set: null, and a metadata or resources without content.
func prune(fields map[string]any) {
	for name, value := range fields {
		switch v := value.(type) {
		case nil:
			delete(fields, name)
		case map[string]any:
			prune(v)
			if len(v) == 0 && (name == "metadata" || name == "resources") {
				delete(fields, name)
			}
		case []any:
			for _, item := range v {
				if m, ok := item.(map[string]any); ok {
					prune(m)
				}
			}
		}
	}
}
