package strictyaml_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"muster.dev/muster/backend/strictyaml"
)

type inner struct {
	Name  string  `json:"name"`
	Count int     `json:"count"`
	Long  *int64  `json:"long,omitempty"`
	More  []inner `json:"more,omitempty"`
}

type words struct {
	text string
	list []string
}

func (w *words) SetText(s string)   { w.text = s }
func (w *words) SetList(l []string) { w.list = l }

type file struct {
	Text    string            `json:"text"`
	Number  int               `json:"number"`
	On      bool              `json:"on"`
	List    []string          `json:"list"`
	Map     map[string]string `json:"map"`
	Entries []inner           `json:"entries"`
	One     inner             `json:"one"`
	Words   words             `json:"words"`
	Hidden  string            `json:"-"`
}

func decode(text string) (file, []string) {
	f := file{Text: "default", Number: 7, List: []string{"default"}}
	var out []string
	for _, p := range strictyaml.Decode([]byte(text), &f, inner{Count: 1}) {
		var args []string
		for k, v := range p.Args {
			args = append(args, k+"="+v)
		}
		sort.Strings(args)
		out = append(out, strings.Join(append([]string{p.Path, p.Code}, args...), " "))
	}
	return f, out
}

func TestValues(t *testing.T) {
	long := int64(5)
	for text, change := range map[string]func(*file){
		"text: a":              func(f *file) { f.Text = "a" },
		"text: ''":             func(f *file) { f.Text = "" },
		"text: '5'":            func(f *file) { f.Text = "5" },
		"text: yes":            func(f *file) { f.Text = "yes" },
		"text: 2026-12-01":     func(f *file) { f.Text = "2026-12-01" },
		"text: !!str 5":        func(f *file) { f.Text = "5" },
		"text:":                func(*file) {},
		"text: ~":              func(*file) {},
		"\ufefftext: a":        func(f *file) { f.Text = "a" },
		"text: a\r\nnumber: 1": func(f *file) { f.Text, f.Number = "a", 1 },
		"number: 0":            func(f *file) { f.Number = 0 },
		"number: -5":           func(f *file) { f.Number = -5 },
		"number: 2147483647":   func(f *file) { f.Number = 2147483647 },
		"on: True":             func(f *file) { f.On = true },
		"list: []":             func(f *file) { f.List = []string{} },
		"list:":                func(*file) {},
		"list: [a]":            func(f *file) { f.List = []string{"a"} },
		"map: {}":              func(f *file) { f.Map = map[string]string{} },
		"map: {a: b, 'no': c}": func(f *file) { f.Map = map[string]string{"a": "b", "no": "c"} },
		"entries: [{name: a}, {count: 0, long: 5}]": func(f *file) {
			f.Entries = []inner{{Name: "a", Count: 1}, {Long: &long}}
		},
		"words: a b":    func(f *file) { f.Words = words{text: "a b"} },
		"words: [a, b]": func(f *file) { f.Words = words{list: []string{"a", "b"}} },
		"words: []":     func(f *file) { f.Words = words{list: []string{}} },
		"entries: [&e {name: a}, *e]": func(f *file) {
			f.Entries = []inner{{Name: "a", Count: 1}, {Name: "a", Count: 1}}
		},
	} {
		want, _ := decode("{}")
		change(&want)
		got, problems := decode(text)
		if len(problems) > 0 {
			t.Errorf("%q: %v", text, problems)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(words{})); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestProblems(t *testing.T) {
	const known = "known=text, number, on, list, map, entries, one, words"
	for text, want := range map[string][]string{
		"text: 5":                             {"text WrongKind got=int line=1 want=string"},
		"text: 3e-4":                          {"text WrongKind got=float line=1 want=string"},
		"text: true":                          {"text WrongKind got=bool line=1 want=string"},
		"text: [a]":                           {"text WrongKind got=list line=1 want=string"},
		"\n\ntext: {a: b}":                    {"text WrongKind got=map line=3 want=string"},
		"text: !!binary YQ==":                 {"text WrongKind got=binary line=1 want=string"},
		"text: !secret a":                     {"text WrongKind got=!secret line=1 want=string"},
		"number: '5'":                         {"number WrongKind got=string line=1 want=int"},
		"number: 5.0":                         {"number WrongKind got=float line=1 want=int"},
		"number: 1e3":                         {"number WrongKind got=float line=1 want=int"},
		"number:":                             {"number WrongKind got=null line=1 want=int"},
		"number: 0x10":                        {"number BadInteger line=1 value=0x10"},
		"number: 010":                         {"number BadInteger line=1 value=010"},
		"number: 1_000":                       {"number BadInteger line=1 value=1_000"},
		"number: 2147483648":                  {"number OutOfRange line=1 max=2147483647 min=-2147483648 value=2147483648"},
		"number: 99999999999999999999":        {"number OutOfRange line=1 max=2147483647 min=-2147483648 value=99999999999999999999"},
		"on: yes":                             {"on WrongKind got=string line=1 want=bool"},
		"on: 1":                               {"on WrongKind got=int line=1 want=bool"},
		"on:":                                 {"on WrongKind got=null line=1 want=bool"},
		"list: a":                             {"list WrongKind got=string line=1 want=list"},
		"list: [a, 5, ~]":                     {"list[1] WrongKind got=int line=1 want=string", "list[2] WrongKind got=null line=1 want=string"},
		"map: [a]":                            {"map WrongKind got=list line=1 want=map"},
		"map: {LR: 3e-4, N: }":                {"map.LR WrongKind got=float line=1 want=string", "map.N WrongKind got=null line=1 want=string"},
		"map: {5: a, true: b}":                {"map.5 WrongKind got=int line=1 want=string", "map.true WrongKind got=bool line=1 want=string"},
		"map: {? [a] : b}":                    {"map WrongKind got=list line=1 want=string"},
		"entries: {name: a}":                  {"entries WrongKind got=map line=1 want=list"},
		"entries: [a, {nam: b}, ~]":           {"entries[0] WrongKind got=string line=1 want=map", "entries[1].nam UnknownField field=nam known=name line=1 nearest=name", "entries[2] WrongKind got=null line=1 want=map"},
		"one: {more: [{more: [{count: x}]}]}": {"one.more[0].more[0].count WrongKind got=string line=1 want=int"},
		"words: 5":                            {"words WrongKind got=int line=1 want=string or list"},
		"words: [5]":                          {"words[0] WrongKind got=int line=1 want=string"},
		"Text: a":                             {"Text UnknownField field=Text known=text line=1 nearest=text"},
		"txet: a":                             {"txet UnknownField field=txet known=text line=1 nearest=text"},
		"hidden: a\nother: {a: b}":            {"hidden UnknownField field=hidden " + known + " line=1 nearest=", "other UnknownField field=other " + known + " line=2 nearest="},
		"text: a\nnumber: 1\ntext: b":         {"text DuplicateField field=text first=1 line=3"},
		"map: {a: b, a: c}":                   {"map.a DuplicateField field=a first=1 line=1"},
		"map: {<<: {a: b}}":                   {"map.<< MergeKey line=1"},
		"":                                    {" EmptyFile"},
		"# nothing\n":                         {" EmptyFile"},
		"---\n":                               {" EmptyFile"},
		"~":                                   {" EmptyFile"},
		"5":                                   {" WrongKind got=int line=1 want=map"},
		"- a":                                 {" WrongKind got=list line=1 want=map"},
		"text: a\n---\ntext: b":               {" SeveralDocuments line=2"},
		"text: a\n--- {}\n":                   {" SeveralDocuments line=2"},
		"text: a\n\tb: c":                     {" BadYAML line=2 message=found a tab character that violates indentation"},
		"text: 'a":                            {" BadYAML line=1 message=found unexpected end of stream"},
		"text: *a":                            {" BadYAML line=1 message=unknown anchor 'a' referenced"},
		"text: \"\x00\"":                      {" BadYAML line=1 message=control characters are not allowed"},
		"text: a\nmap: {a: \xff}":             {" NotUTF8 line=2"},
		"\xff\xfet\x00":                       {" NotUTF8 line=1"},
	} {
		if _, got := decode(text); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	if _, got := decode("text: " + strings.Repeat("a", strictyaml.MaxBytes-6)); got != nil {
		t.Errorf("the largest file: %v", got)
	}
	if _, got := decode("text: " + strings.Repeat("a", strictyaml.MaxBytes-5)); !slices.Equal(got, []string{" FileTooLarge max=1048576 size=1048577"}) {
		t.Errorf("one byte more: %v", got)
	}
	_, got := decode("list: [" + strings.Repeat("5,", 10_000) + "]")
	if len(got) != 501 || got[500] != " TooManyProblems max=500" {
		t.Errorf("%d problems, the last %s", len(got), got[len(got)-1])
	}
	var bomb strings.Builder
	bomb.WriteString("one:\n  more:\n  - &a0 {name: x}\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&bomb, "  - &a%d {more: [%s]}\n", i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	_, got = decode(bomb.String())
	if len(got) != 1 || !strings.Contains(got[0], "AliasBomb") {
		t.Errorf("aliases of aliases: %v", got)
	}
	_, got = decode("entries:\n- &a\n  more: [*a]\n")
	if len(got) != 1 || !strings.Contains(got[0], "AliasBomb") {
		t.Errorf("an alias within itself: %v", got)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"timeoutMinutes", "name", "roles", "image"}
	for name, want := range map[string]string{
		"timeoutminutes": "timeoutMinutes", "timeOutMinute": "timeoutMinutes", "nmae": "name", "role": "roles", "imgae": "image",
		"xyz": "", "": "", "n": "", strings.Repeat("x", 1000): "",
	} {
		if got := strictyaml.Nearest(name, known); got != want {
			t.Errorf("%.20s: %q, want %q", name, got, want)
		}
	}
}

func TestDecodeNotesWhatIsWritten(t *testing.T) {
	var got []string
	var f file
	text := "number: 0\ntext: ''\non: maybe\nlist:\nentries: [{count: 0, nme: x}]\nmap: {a: b}\none: {name: x}\n"
	strictyaml.DecodeNoting([]byte(text), &f, func(path string) { got = append(got, path) }, inner{Count: 1})
	want := []string{"number", "text", "entries[0].count", "map", "one.name", "one"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
