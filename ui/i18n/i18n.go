// Package i18n holds every text that muster shows to people, in English and Chinese.
//
// The texts stand in locales/*.<language>.json, flat objects of key and text. A text names its arguments as
// {{.name}}; a part in [[ ]] is left out when an argument within it is empty. A text with plural forms is an object with "one" and "other"; the argument "count" decides.
package i18n

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	goi18n "github.com/nicksnyder/go-i18n/v2/i18n"

	"muster.dev/muster/backend/job"
)

//go:embed locales/*.json
var locales embed.FS

// The languages.
const (
	English = "en"
	Chinese = "zh"
)

// Languages returns the languages there are, in the order in which they are switched through.
func Languages() []string { return []string{English, Chinese} }

// Texts is the catalogue in one language. It does not change, and is safe for use by many goroutines.
type Texts struct {
	language string
	plain    map[string]string // texts without arguments and plural forms, ready
	known    map[string]bool
	plural   map[string]bool            // texts with more than one form
	filled   *filled                    // the others
	lacking  func(key, argument string) // nil: nobody wants to know
}

// New returns the catalogue of a language, "en" or "zh"; any other means English. It panics when an embedded file
// is broken, which the package's tests exclude.
func New(lang string) *Texts {
	if lang != Chinese {
		lang = English
	}
	texts, err := load(locales, lang)
	if err != nil {
		panic("i18n: " + err.Error())
	}
	return texts
}

func load(files fs.FS, lang string) (*Texts, error) {
	t := &Texts{
		language: lang, plain: map[string]string{}, known: map[string]bool{}, plural: map[string]bool{}, filled: newFilled(lang),
	}
	names, err := fs.Glob(files, "locales/*."+lang+".json")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		var file map[string]any
		if err := json.Unmarshal(data, &file); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for key, value := range file {
			text, ok := formsOf(value)
			switch {
			case !ok:
				return nil, fmt.Errorf("%s: key %q has neither a text nor an object of its forms", name, key)
			case t.known[key]:
				return nil, fmt.Errorf("%s: key %q stands in another file too", name, key)
			}
			t.known[key], t.plural[key] = true, text.One != ""
			if text.One == "" && !strings.Contains(text.Other, "{{") {
				t.plain[key] = text.Other
			} else {
				t.filled.texts[key] = text
			}
		}
	}
	return t, nil
}

// Language is "en" or "zh".
func (t *Texts) Language() string { return t.language }

// Next returns the catalogue of the language after this one.
func (t *Texts) Next() *Texts {
	all := Languages()
	for i, lang := range all {
		if lang == t.language {
			return New(all[(i+1)%len(all)])
		}
	}
	return New(English)
}

// Has tells whether there is a text for key.
func (t *Texts) Has(key string) bool { return t.known[key] }

// T returns the text of key. Arguments are either pairs of name and value, or one map from names to values. Values
// are cleaned of everything that must not reach a terminal. A missing key shows the key, a missing argument a "?";
// tests are told of it by [Texts.Watched].
func (t *Texts) T(key string, args ...any) string {
	if text, ok := t.plain[key]; ok {
		return text
	}
	if !t.known[key] {
		return key
	}
	data := &filling{values: arguments(args)}
	config := goi18n.LocalizeConfig{MessageID: key, TemplateData: data, TemplateParser: parser{}}
	if n, ok := data.values["count"].(int); ok && t.plural[key] {
		config.PluralCount = n
	}
	text, err := t.filled.localize(&config)
	if err != nil {
		return key
	}
	if t.lacking != nil {
		for _, name := range data.lacks {
			t.lacking(key, name)
		}
	}
	return text
}

// Watched is the same catalogue, which tells of every argument that a text needs and is not given. It is for tests.
func (t *Texts) Watched(lacking func(key, argument string)) *Texts {
	watched := *t
	watched.lacking = lacking
	return &watched
}

// Problem is the text of one finding, without its path. Of a value that is too long for a sentence it has the beginning.
func (t *Texts) Problem(p job.Problem) string {
	return t.T("problem."+p.Code, mentioned(p.Args))
}

// FromEnvironment is the language that the environment asks for: the first of LC_ALL, LC_MESSAGES and LANG that is
// set and not empty decides.
func FromEnvironment(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := getenv(name); value != "" {
			if strings.HasPrefix(strings.ToLower(value), Chinese) {
				return Chinese
			}
			return English
		}
	}
	return English
}
