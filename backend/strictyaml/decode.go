// Package strictyaml reads one YAML document into a Go value by its json tags and reports everything that is
// wrong with it at once, each with the path of the field: unknown and repeated fields, values of the wrong kind,
// what the parser refuses. Field names are case-exact.
//
// Kinds are taken as they are written, never converted: a string field takes a quoted or a plain text, but not a
// plain number, a plain true or a null; a date is text. A number is plain decimal digits. A key without a value (null)
// counts as not written where a text, a list or a map is expected; for a number and a bool, for a value of
// a map and an entry of a list it is an error, because there a forgotten value would be taken for a chosen one.
// Aliases are followed, merge keys are refused.
package strictyaml

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// TextOrList is a value that may be written as one text or as a list of texts.
type TextOrList interface {
	SetText(string)
	SetList([]string)
}

// Decode reads data into out, a pointer to a struct that holds the defaults: what the file does not name stays as
// it is. Lists and maps that the file names replace the default. Each of elements is the default of one entry of
// a list of its type.
func Decode(data []byte, out any, elements ...any) []Problem {
	return DecodeNoting(data, out, func(string) {}, elements...)
}

// DecodeNoting is [Decode] that also calls note with the path of every known field that the file gives a value which could
// be read, for rules about what may stand in a file at all: a 0 that was written looks like one that was not.
func DecodeNoting(data []byte, out any, note func(path string), elements ...any) []Problem {
	w := walker{elements: map[reflect.Type]reflect.Value{}, note: note}
	for _, e := range elements {
		w.elements[reflect.TypeOf(e)] = reflect.ValueOf(e)
	}
	root := w.parse(data)
	if root != nil {
		w.value(root, reflect.ValueOf(out).Elem(), "", false)
	}
	if len(w.problems) > maxProblems {
		w.problems = append(w.problems[:maxProblems:maxProblems],
			Problem{Code: TooManyProblems, Args: map[string]string{"max": strconv.Itoa(maxProblems)}})
	}
	return w.problems
}

type walker struct {
	elements map[reflect.Type]reflect.Value
	problems []Problem
	note     func(path string)
	aliased  int // nodes visited below aliases
	inAlias  int // depth of aliases now
	stopped  bool
}

func (w *walker) report(path, code string, line int, args ...string) {
	if len(w.problems) > maxProblems {
		w.stopped = true
		return
	}
	p := Problem{Path: path, Code: code, Args: map[string]string{}}
	if line > 0 {
		p.Args["line"] = strconv.Itoa(line)
	}
	for i := 0; i+1 < len(args); i += 2 {
		p.Args[args[i]] = args[i+1]
	}
	w.problems = append(w.problems, p)
}

// parserLine finds the line in the parser's "yaml: line 3: did not find …".
var parserLine = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

func (w *walker) parse(data []byte) *yaml.Node {
	if len(data) > MaxBytes {
		w.report("", FileTooLarge, 0, "size", strconv.Itoa(len(data)), "max", strconv.Itoa(MaxBytes))
		return nil
	}
	if !utf8.Valid(data) {
		line, rest := 1, data
		for len(rest) > 0 {
			r, n := utf8.DecodeRune(rest)
			if r == utf8.RuneError && n == 1 {
				break
			}
			if r == '\n' {
				line++
			}
			rest = rest[n:]
		}
		w.report("", NotUTF8, line)
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) || err == nil && emptyDocument(&document) {
		w.report("", EmptyFile, 0)
		return nil
	}
	if err != nil {
		w.badYAML(err)
		return nil
	}
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case err == nil:
		w.report("", SeveralDocuments, second.Line)
		return nil
	case !errors.Is(err, io.EOF):
		w.badYAML(err)
		return nil
	}
	return document.Content[0]
}

func emptyDocument(n *yaml.Node) bool {
	return n.Kind != yaml.DocumentNode || len(n.Content) != 1 ||
		n.Content[0].Kind == yaml.ScalarNode && n.Content[0].Tag == "!!null"
}

func (w *walker) badYAML(err error) {
	line, message := 0, err.Error()
	if m := parserLine.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = m[2]
	}
	w.report("", BadYAML, max(line, 1), "message", message)
}

// value reads n into v. Required values (entries of lists and maps) may not be null.
func (w *walker) value(n *yaml.Node, v reflect.Value, path string, required bool) {
	if w.stopped {
		return
	}
	if w.inAlias > 0 {
		if w.aliased++; w.aliased > maxAliased {
			w.report("", AliasBomb, n.Line) // of the whole file: nothing after this is read
			w.stopped = true
			return
		}
	}
	if n.Kind == yaml.AliasNode {
		w.inAlias++
		w.value(n.Alias, v, path, required)
		w.inAlias--
		return
	}
	if isNull(n) && !required && nullable(v) {
		return
	}
	if t, ok := v.Addr().Interface().(TextOrList); ok {
		w.textOrList(n, t, path)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		w.value(n, v.Elem(), path, required)
	case reflect.Struct:
		w.fields(n, v, path)
	case reflect.Map:
		w.entries(n, v, path)
	case reflect.Slice:
		w.list(n, v, path)
	case reflect.String:
		if text, ok := w.text(n, path, "string"); ok {
			v.SetString(text)
		}
	case reflect.Bool:
		if kind(n) != "bool" {
			w.wrongKind(n, path, "bool")
			return
		}
		v.SetBool(strings.EqualFold(n.Value, "true"))
	case reflect.Int, reflect.Int32, reflect.Int64:
		w.integer(n, v, path)
	default:
		panic("strictyaml: no rule for the type " + v.Type().String())
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func nullable(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64:
		return false
	}
	return true
}

// kind names what is written, in words that the catalogue can translate.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "map"
	case yaml.SequenceNode:
		return "list"
	case yaml.AliasNode:
		return kind(n.Alias)
	}
	switch tag := n.ShortTag(); tag {
	case "!!str", "!!timestamp":
		return "string"
	case "!!null", "!!bool", "!!int", "!!float", "!!binary":
		return strings.TrimPrefix(tag, "!!")
	default:
		return tag // one of the user's own, such as !secret
	}
}

func (w *walker) wrongKind(n *yaml.Node, path, want string) {
	w.report(path, WrongKind, n.Line, "want", want, "got", kind(n))
}

func (w *walker) text(n *yaml.Node, path, want string) (string, bool) {
	if kind(n) != "string" {
		w.wrongKind(n, path, want)
		return "", false
	}
	return n.Value, true
}

var decimal = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)

// integer takes what fits in 32 bits: no number of these files is larger, and Kubernetes keeps them in 32 bits.
func (w *walker) integer(n *yaml.Node, v reflect.Value, path string) {
	// A plain number of more than 64 bits is a float to the parser, but digits to the one who typed it.
	if k := kind(n); k != "int" && (k != "float" || !decimal.MatchString(n.Value)) {
		w.wrongKind(n, path, "int")
		return
	}
	if !decimal.MatchString(n.Value) {
		w.report(path, BadInteger, n.Line, "value", n.Value)
		return
	}
	i, err := strconv.ParseInt(n.Value, 10, 32)
	if err != nil {
		w.report(path, OutOfRange, n.Line, "value", n.Value, "min", strconv.Itoa(math.MinInt32), "max", strconv.Itoa(math.MaxInt32))
		return
	}
	v.SetInt(i)
}

func (w *walker) textOrList(n *yaml.Node, t TextOrList, path string) {
	if n.Kind != yaml.SequenceNode {
		if text, ok := w.text(n, path, "string or list"); ok {
			t.SetText(text)
		}
		return
	}
	list := []string{}
	w.list(n, reflect.ValueOf(&list).Elem(), path)
	t.SetList(list)
}

func (w *walker) list(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		w.wrongKind(n, path, "list")
		return
	}
	list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, c := range n.Content {
		if d, ok := w.elements[v.Type().Elem()]; ok {
			list.Index(i).Set(d)
		}
		w.value(c, list.Index(i), path+"["+strconv.Itoa(i)+"]", true)
	}
	v.Set(list)
}

func (w *walker) entries(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		w.wrongKind(n, path, "map")
		return
	}
	entries := reflect.MakeMapWithSize(v.Type(), len(n.Content)/2)
	w.pairs(n, path, func(key, value *yaml.Node) {
		at := join(path, key.Value)
		if _, ok := w.text(key, at, "string"); !ok {
			return
		}
		e := reflect.New(v.Type().Elem()).Elem()
		w.value(value, e, at, true)
		entries.SetMapIndex(reflect.ValueOf(key.Value).Convert(v.Type().Key()), e)
	})
	v.Set(entries)
}

func (w *walker) fields(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		w.wrongKind(n, path, "map")
		return
	}
	known, names := map[string]int{}, []string{}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			known[name] = i
			names = append(names, name)
		}
	}
	w.pairs(n, path, func(key, value *yaml.Node) {
		i, ok := known[key.Value]
		if !ok {
			near := Nearest(key.Value, names)
			there := near
			if near == "" {
				there = strings.Join(names, ", ")
			}
			w.report(join(path, key.Value), UnknownField, key.Line, "field", key.Value, "nearest", near, "known", there)
			return
		}
		before := len(w.problems)
		w.value(value, v.Field(i), join(path, key.Value), false)
		if len(w.problems) == before && !isNull(value) {
			w.note(join(path, key.Value))
		}
	})
}

// pairs calls each with the keys of a map that are usable, the first of equal ones, and its value.
func (w *walker) pairs(n *yaml.Node, path string, each func(key, value *yaml.Node)) {
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content) && !w.stopped; i += 2 {
		key := n.Content[i]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		switch {
		case key.Kind != yaml.ScalarNode:
			w.wrongKind(key, path, "string")
		case key.ShortTag() == "!!merge":
			w.report(join(path, key.Value), MergeKey, key.Line)
		case first[key.Value] != 0:
			w.report(join(path, key.Value), DuplicateField, key.Line, "field", key.Value, "first", strconv.Itoa(first[key.Value]))
		default:
			first[key.Value] = key.Line
			each(key, n.Content[i+1])
		}
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
