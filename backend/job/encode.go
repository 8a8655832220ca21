package job

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Encode writes a spec as a user would like to read it: the fields in the order of DESIGN.md section 3, texts of several
// lines as blocks, and what equals the default left out, except apiVersion, kind, framework, image and roles. Of a
// canonical spec ([Canonical]) Decode gives back the same, valid or not. The error is of a text that is not
// UTF-8, which a file cannot hold.
func Encode(s Spec) ([]byte, error) {
	d := Default()
	w := &writer{}
	w.text("apiVersion", s.APIVersion)
	w.text("kind", s.Kind)
	w.textUnless("name", s.Name, "")
	w.textUnless("displayName", s.DisplayName, "")
	w.textUnless("workspace", s.Workspace, "")
	w.textUnless("region", s.Region, "")
	w.textUnless("zone", s.Zone, "")
	w.textUnless("network", s.Network, "")
	w.textUnless("cluster", s.Cluster, "")
	w.textUnless("resource", string(s.Resource), string(d.Resource))
	w.boolUnlessFalse("preemptible", s.Preemptible)
	w.text("framework", string(s.Framework))
	w.text("image", s.Image)
	w.textUnless("imagePullSecret", s.ImagePullSecret, "")
	if !slices.Equal(s.Command, d.Command) {
		w.add("command", w.words(s.Command))
	}
	switch {
	case s.Args.List != nil:
		w.add("args", w.words(s.Args.List))
	case s.Args.Text != "":
		w.text("args", s.Args.Text)
	}
	if len(s.Env) > 0 {
		w.add("env", w.env(s.Env))
	}
	if len(s.SecretEnv) > 0 {
		w.add("secretEnv", w.words(s.SecretEnv))
	}
	w.list("storage", len(s.Storage), func(i int, w *writer) {
		m := s.Storage[i]
		w.text("volume", m.Volume)
		w.textUnless("path", m.Path, "")
		w.text("mountPath", m.MountPath)
		w.boolUnlessFalse("readOnly", m.ReadOnly)
	})
	if len(s.Roles) == 0 {
		w.add("roles", w.words(nil))
	}
	w.list("roles", len(s.Roles), func(i int, w *writer) {
		r := s.Roles[i]
		w.text("name", r.Name)
		w.integer("replicas", r.Replicas)
		if !r.WholeNode || r.GPUs != 0 {
			w.integer("gpus", r.GPUs)
		}
		w.boolUnlessFalse("wholeNode", r.WholeNode)
		w.textUnless("cpu", r.CPU, "")
		w.textUnless("memory", r.Memory, "")
	})
	w.textUnless("cardType", s.CardType, "")
	w.group("submission", func(w *writer) {
		w.textUnless("mode", string(s.Submission.Mode), string(d.Submission.Mode))
		w.textUnless("queue", s.Submission.Queue, "")
		w.integerUnless("total", s.Submission.Total, d.Submission.Total)
		w.integerUnless("concurrency", s.Submission.Concurrency, d.Submission.Concurrency)
	})
	w.textUnless("priority", string(s.Priority), string(d.Priority))
	w.group("faultTolerance", func(w *writer) {
		w.integerUnless("maxRestarts", s.FaultTolerance.MaxRestarts, 0)
		w.list("rules", len(s.FaultTolerance.Rules), func(i int, w *writer) {
			r := s.FaultTolerance.Rules[i]
			w.text("exitCodes", r.ExitCodes)
			w.text("action", string(r.Action))
			w.textUnless("placement", string(r.Placement), string(PlaceAny))
		})
	})
	w.integerUnless("timeoutMinutes", s.TimeoutMinutes, d.TimeoutMinutes)
	w.integerUnless("gracePeriodSeconds", s.GracePeriodSeconds, d.GracePeriodSeconds)
	w.textUnless("sharedMemory", s.SharedMemory, "")
	w.boolUnlessFalse("cpuExclusive", s.CPUExclusive)
	w.boolUnlessFalse("ssh", s.SSH)
	w.group("tensorBoard", func(w *writer) { w.textUnless("logDir", s.TensorBoard.LogDir, "") })
	if w.bad != "" {
		return nil, fmt.Errorf("writing the spec: %s is not valid UTF-8, which a YAML file cannot hold", w.bad)
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&yaml.Node{Kind: yaml.MappingNode, Content: w.content}); err != nil {
		return nil, fmt.Errorf("writing the spec: %w", err)
	}
	if err := encoder.Close(); err != nil {
		return nil, fmt.Errorf("writing the spec: %w", err)
	}
	return out.Bytes(), nil
}

// writer gathers the keys and values of one map.
type writer struct {
	content []*yaml.Node
	bad     string // the first field that cannot be written
}

func (w *writer) add(name string, value *yaml.Node) {
	w.content = append(w.content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, value)
}

func (w *writer) scalar(name, value string) *yaml.Node {
	if !utf8.ValidString(value) && w.bad == "" {
		w.bad = name
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	switch {
	case asBlock(value):
		n.Style = yaml.LiteralStyle
	case !asPlain(value):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// asPlain is for texts that no reader of YAML could take for anything else.
func asPlain(value string) bool {
	if first, _ := utf8.DecodeRuneInString(value); !unicode.IsLetter(first) && first != '/' {
		return false
	}
	for _, r := range value {
		if r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			continue
		}
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+=@", r)) &&
			r != ':' && r != ' ' && r != ',' {
			return false
		}
	}
	if strings.HasSuffix(value, ":") || strings.Contains(value, ": ") || strings.HasSuffix(value, " ") {
		return false
	}
	switch strings.ToLower(value) { // what other versions of YAML read as a bool, a null or a number
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf":
		return false
	}
	return true
}

// asBlock is for texts of several lines that a block can hold as they are.
func asBlock(value string) bool {
	if !strings.Contains(value, "\n") || strings.TrimLeft(value, " \t\n") == "" || strings.HasPrefix(value, " ") ||
		strings.HasPrefix(value, "\n") || strings.HasPrefix(value, "\t") {
		return false
	}
	for _, r := range value {
		// A block has no escapes: no control characters, no other line ends, nothing invisible.
		if r != '\n' && r != '\t' && (!unicode.IsPrint(r) || r == utf8.RuneError) {
			return false
		}
	}
	return true
}

func (w *writer) text(name, value string) { w.add(name, w.scalar(name, value)) }

func (w *writer) textUnless(name, value, standard string) {
	if value != standard {
		w.text(name, value)
	}
}

func (w *writer) integer(name string, value int) {
	w.add(name, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(value)})
}

func (w *writer) integerUnless(name string, value, standard int) {
	if value != standard {
		w.integer(name, value)
	}
}

func (w *writer) boolUnlessFalse(name string, value bool) {
	if value {
		w.add(name, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
}

// words writes a list of texts, short ones on one line.
func (w *writer) words(words []string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	length := 0
	for _, word := range words {
		n := w.scalar("a word of a list", word)
		if length += len(word) + 4; length > 80 || n.Style == yaml.LiteralStyle {
			list.Style = 0
		}
		list.Content = append(list.Content, n)
	}
	if list.Style == yaml.FlowStyle { // between brackets a comma or a space would need care
		for _, n := range list.Content {
			if n.Style == 0 && strings.ContainsAny(n.Value, " ,:") {
				n.Style = yaml.DoubleQuotedStyle
			}
		}
	}
	return list
}

// env writes values always quoted: one that looks like a number is a text all the same.
func (w *writer) env(env map[string]string) *yaml.Node {
	names := make([]string, 0, len(env))
	for name := range env {
		names = append(names, name)
	}
	sort.Strings(names)
	inner := &writer{}
	for _, name := range names {
		value := inner.scalar("env."+name, env[name])
		if value.Style == 0 {
			value.Style = yaml.DoubleQuotedStyle
		}
		inner.content = append(inner.content, inner.scalar("env", name), value)
	}
	w.take(inner)
	return &yaml.Node{Kind: yaml.MappingNode, Content: inner.content}
}

func (w *writer) list(name string, n int, entry func(i int, w *writer)) {
	if n == 0 {
		return
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range n {
		inner := &writer{}
		entry(i, inner)
		w.take(inner)
		list.Content = append(list.Content, &yaml.Node{Kind: yaml.MappingNode, Content: inner.content})
	}
	w.add(name, list)
}

// group writes a map of fields when any differs from its default.
func (w *writer) group(name string, fields func(w *writer)) {
	inner := &writer{}
	fields(inner)
	w.take(inner)
	if len(inner.content) > 0 {
		w.add(name, &yaml.Node{Kind: yaml.MappingNode, Content: inner.content})
	}
}

func (w *writer) take(inner *writer) {
	if w.bad == "" {
		w.bad = inner.bad
	}
}
