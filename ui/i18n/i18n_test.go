package i18n

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// entries reads the raw messages of a language: key → form → text.
func entries(t *testing.T, lang string) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	names, err := fs.Glob(locales, "locales/*."+lang+".json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files for %s: %v", lang, err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(locales, name)
		if err != nil {
			t.Fatal(err)
		}
		var file map[string]any
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for key, value := range file {
			if _, twice := all[key]; twice {
				t.Errorf("%s: key %q stands in another file too", name, key)
			}
			forms := map[string]string{}
			switch value := value.(type) {
			case string:
				forms["other"] = value
			case map[string]any:
				for form, text := range value {
					forms[form], _ = text.(string)
				}
			default:
				t.Errorf("%s: %q is neither a text nor an object", name, key)
			}
			all[key] = forms
		}
	}
	return all
}

var argument = regexp.MustCompile(`{{\s*\.([A-Za-z0-9_]+)\s*}}`)

func argumentsOf(forms map[string]string) []string {
	var names []string
	for _, m := range argument.FindAllStringSubmatch(forms["other"], -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestBothLanguagesAreComplete(t *testing.T) {
	en, zh := entries(t, English), entries(t, Chinese)
	for key, forms := range en {
		other, ok := zh[key]
		if !ok {
			t.Errorf("%q is not in Chinese", key)
			continue
		}
		if a, b := argumentsOf(forms), argumentsOf(other); !slices.Equal(a, b) {
			t.Errorf("%q: arguments %v in English, %v in Chinese", key, a, b)
		}
	}
	for key := range zh {
		if _, ok := en[key]; !ok {
			t.Errorf("%q is not in English", key)
		}
	}
	for lang, all := range map[string]map[string]map[string]string{English: en, Chinese: zh} {
		for key, forms := range all {
			if forms["other"] == "" {
				t.Errorf("%s: %q has no text", lang, key)
			}
			for form, text := range forms {
				if form != "other" && form != "one" {
					t.Errorf("%s: %q has the form %q: only one and other exist", lang, key, form)
				}
				if strings.TrimSpace(text) == "" {
					t.Errorf("%s: %q has an empty text", lang, key)
				}
				if _, err := (parser{}).Parse(text, "", ""); err != nil {
					t.Errorf("%s: %q: %v", lang, key, err)
				}
			}
			if _, one := forms["one"]; one && !slices.Contains(argumentsOf(forms), "count") && lang == English {
				t.Errorf("%q has plural forms but no {{.count}}", key)
			}
		}
	}
}

// literal finds the keys that code asks for as literals: T("…"), and the help of bindings.
var (
	literal = regexp.MustCompile(`\bT\("([^"]+)"[,)]`)
	binding = regexp.MustCompile(`\bbind\("[^"]*", "([^"]+)"`)
	title   = regexp.MustCompile(`\bTitle: +"([a-z]+\.[^"]+)"`)
)

func TestEveryKeyInCodeExists(t *testing.T) {
	texts := New(English)
	found := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "localcluster") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, re := range []*regexp.Regexp{literal, binding, title} {
			for _, m := range re.FindAllStringSubmatch(string(source), -1) {
				found++
				if !texts.Has(m[1]) {
					t.Errorf("%s: %q is not in the catalogue", path, m[1])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 50 {
		t.Errorf("only %d keys found in the code: the search is broken", found)
	}
}

func TestT(t *testing.T) {
	files := fstest.MapFS{
		"locales/a.en.json": {Data: []byte(`{"plain":"a text","of":"{{.name}} of {{ .where }}","ready":"{{.count}} ready","denied":"not {{.verb}}[[ {{.name}}]][[ in {{.where}}]] (403)[[: {{.why}}]]","jobs":{"one":"{{.count}} job","other":"{{.count}} jobs"}}`)},
		"locales/a.zh.json": {Data: []byte(`{"plain":"文本","ready":"{{.count}} 就绪","of":"{{.where}}的{{.name}}","jobs":"{{.count}} 个任务"}`)},
	}
	en, err := load(files, English)
	if err != nil {
		t.Fatal(err)
	}
	zh, err := load(files, Chinese)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want string }{
		{en.T("plain"), "a text"},
		{zh.T("plain"), "文本"},
		{en.T("of", "name", "pod", "where", "h100"), "pod of h100"},
		{zh.T("of", map[string]string{"name": "pod", "where": "h100"}), "h100的pod"},
		{en.T("of", "name", "a\x1b[31mb\nc"), "ab c of ?"},
		{en.T("jobs", "count", 0), "0 jobs"},
		{en.T("jobs", "count", 1), "1 job"},
		{en.T("jobs", "count", 42), "42 jobs"},
		{en.T("ready", "count", 1), "1 ready"},
		{zh.T("jobs", "count", 1), "1 个任务"},
		{en.T("denied", "verb", "get", "name", "", "where", "h100"), "not get in h100 (403)"},
		{en.T("denied", "verb", "get", "name", "pod", "why", "no"), "not get pod (403): no"},
		{en.T("no.such.key", "count", 1), "no.such.key"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestLoadRefusesAKeyTwice(t *testing.T) {
	files := fstest.MapFS{
		"locales/a.en.json": {Data: []byte(`{"k":"x"}`)},
		"locales/b.en.json": {Data: []byte(`{"k":"y"}`)},
	}
	if _, err := load(files, English); err == nil || !strings.Contains(err.Error(), `"k"`) {
		t.Errorf("err = %v", err)
	}
}

func TestFromEnvironment(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{}, English},
		{map[string]string{"LANG": "zh_CN.UTF-8"}, Chinese},
		{map[string]string{"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, English},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW"}, Chinese},
		{map[string]string{"LANG": "de_DE", "LC_ALL": "", "LC_MESSAGES": ""}, English},
	} {
		if got := FromEnvironment(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%v: %q, want %q", c.env, got, c.want)
		}
	}
}

func BenchmarkT(b *testing.B) {
	texts := New(Chinese)
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			texts.T("phase.Running")
		}
	})
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			New(Chinese)
		}
	})
}

func TestWatched(t *testing.T) {
	var lacks []string
	texts := New(English).Watched(func(key, argument string) { lacks = append(lacks, key+" "+argument) })
	texts.T("problem.Denied", "verb", "create", "resource", "jobs") // the rest of it may lack
	if len(lacks) > 0 {
		t.Errorf("lacks %v", lacks)
	}
	if got := texts.T("problem.Denied", "verb", "create"); strings.Contains(got, "{{") || !slices.Equal(lacks, []string{"problem.Denied resource"}) {
		t.Errorf("%q lacks %v", got, lacks)
	}
}

func TestBrokenTextsAreRefused(t *testing.T) {
	for _, text := range []string{"{{name}}", "{{.name", "a [[b]]", "a [[{{.name}}", "[[{{.name]]"} {
		if _, err := (parser{}).Parse(text, "", ""); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
