package manifest

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestParseAndHash(t *testing.T) {
	objs, err := Parse([]byte("# a comment\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(objs) != 2 || objs[0].GetName() != "a" || objs[1].GetName() != "b" {
		t.Fatalf("parsed %v", objs)
	}
	one, err1 := Hash(objs...)
	two, err2 := Hash(objs[0])
	if err1 != nil || err2 != nil || one == two {
		t.Errorf("hashes %s %s, %v %v", one, two, err1, err2)
	}
	if _, err := Parse([]byte("a: [")); err == nil {
		t.Error("broken YAML is accepted")
	}
}

func TestHasCondition(t *testing.T) {
	obj := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{
		map[string]any{"type": "Established", "status": "True"}, map[string]any{"type": "Other", "status": "False"}}}}}
	if !hasCondition(obj, "Established") || hasCondition(obj, "Other") || hasCondition(&unstructured.Unstructured{}, "Established") {
		t.Error("a condition is read wrongly")
	}
}
