// Package position finds where the fields of a YAML file stand, so that findings can be told in the order of the file.
package position

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Of returns where a field path such as roles[1].gpus stands in a file, as a number that grows from the file's start to
// its end. A field that the file does not have stands where the nearest field around it stands; in a file that is no
// YAML everything stands at 0.
func Of(file []byte) func(path string) int {
	var document yaml.Node
	if err := yaml.Unmarshal(file, &document); err != nil || len(document.Content) == 0 {
		return func(string) int { return 0 }
	}
	root := document.Content[0]
	return func(path string) int { return find(root, path) }
}

// columns is more than any line has; a line and a column make one number.
const columns = 1 << 20

func find(node *yaml.Node, path string) int {
	at := 0
	for path != "" {
		child, key, rest := step(node, path)
		if child == nil {
			return at
		}
		at = key.Line*columns + min(key.Column, columns-1)
		node, path = child, rest
	}
	return at
}

// step goes into the field or the item that path begins with. A key may have dots in it, as env.my.name: the longest
// key that fits is meant.
func step(node *yaml.Node, path string) (child, key *yaml.Node, rest string) {
	switch node.Kind {
	case yaml.SequenceNode:
		number, after, found := strings.Cut(strings.TrimPrefix(path, "["), "]")
		i, err := strconv.Atoi(number)
		if !found || err != nil || i < 0 || i >= len(node.Content) {
			return nil, nil, ""
		}
		return node.Content[i], node.Content[i], strings.TrimPrefix(after, ".")
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			k := node.Content[i]
			after, found := strings.CutPrefix(path, k.Value)
			if !found || after != "" && after[0] != '.' && after[0] != '[' || key != nil && len(k.Value) < len(key.Value) {
				continue
			}
			child, key, rest = node.Content[i+1], k, strings.TrimPrefix(after, ".")
		}
	}
	return child, key, rest
}
