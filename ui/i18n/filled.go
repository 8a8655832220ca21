package i18n

import (
	"sync"

	goi18n "github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

// forms is a text as it stands in a file: a string, or an object with its plural forms.
type forms struct{ One, Other string }

// formsOf takes what a file has for a key.
func formsOf(value any) (text forms, ok bool) {
	if text.Other, ok = value.(string); ok {
		return text, true
	}
	object, _ := value.(map[string]any)
	text.One, _ = object["one"].(string)
	text.Other, ok = object["other"].(string)
	return text, ok
}

// filled are the texts with arguments or plural forms. go-i18n takes each apart when it is first asked for: there are
// a thousand of them, and the first frame, which nothing should delay, needs a dozen.
type filled struct {
	texts map[string]forms // does not change after load

	mu        sync.RWMutex
	tag       language.Tag
	bundle    *goi18n.Bundle
	localizer *goi18n.Localizer
	added     map[string]bool // texts that the bundle has
}

func newFilled(lang string) *filled {
	tag := language.Make(lang)
	bundle := goi18n.NewBundle(tag)
	return &filled{texts: map[string]forms{}, tag: tag, bundle: bundle, localizer: goi18n.NewLocalizer(bundle, lang), added: map[string]bool{}}
}

// localize is the text that config names.
func (f *filled) localize(config *goi18n.LocalizeConfig) (string, error) {
	f.mu.RLock()
	if f.added[config.MessageID] {
		defer f.mu.RUnlock()
		return f.localizer.Localize(config)
	}
	f.mu.RUnlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.added[config.MessageID] {
		text := f.texts[config.MessageID]
		if err := f.bundle.AddMessages(f.tag, &goi18n.Message{ID: config.MessageID, One: text.One, Other: text.Other}); err != nil {
			return "", err
		}
		f.added[config.MessageID] = true
	}
	return f.localizer.Localize(config)
}
