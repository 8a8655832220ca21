package main

import (
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/ui/i18n"
)

// What the cluster answers has a text in both languages, with everything in it that the answer carries.
func TestEveryAnswerOfTheClusterHasAText(t *testing.T) {
	for _, lang := range i18n.Languages() {
		texts := i18n.New(lang)
		for _, c := range kube.Codes() {
			if !texts.Has("problem." + c.Code) {
				t.Errorf("%s: problem.%s is not in the catalogue", lang, c.Code)
				continue
			}
			args := map[string]string{}
			for _, name := range c.Args {
				args[name] = "<" + name + ">"
			}
			if text := texts.Problem(job.Problem{Code: c.Code, Args: args}); strings.Contains(text, "{{") {
				t.Errorf("%s: %s asks for what the code does not carry: %s", lang, c.Code, text)
			}
		}
	}
}
