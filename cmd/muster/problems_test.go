package main

import (
	"errors"
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/backend/submit"
	"muster.dev/muster/ui/i18n"
)

// What the cluster answers has a text in both languages, with everything in it that the answer carries.
func TestEveryAnswerOfTheClusterHasAText(t *testing.T) {
	for _, lang := range i18n.Languages() {
		texts := i18n.New(lang).Watched(func(key, argument string) {
			t.Errorf("%s: %s asks for %s, which the code does not carry", lang, key, argument)
		})
		for _, c := range kube.Codes() {
			if !texts.Has("problem." + c.Code) {
				t.Errorf("%s: problem.%s is not in the catalogue", lang, c.Code)
				continue
			}
			args := map[string]string{}
			for _, name := range c.Args {
				args[name] = "<" + name + ">"
			}
			if text := texts.Problem(job.Problem{Code: c.Code, Args: args}); strings.Contains(text, "{{") || strings.Contains(text, "[[") {
				t.Errorf("%s: %s asks for what the code does not carry: %s", lang, c.Code, text)
			}
		}
	}
}

// A right that lacks is no error of the file; what stands at a field of it is.
func TestTheFileIsNotBlamedForTheCluster(t *testing.T) {
	a := &app{text: i18n.New("en")}
	f := &specFile{file: "job.yaml"}
	denied := job.Problem{Code: kube.CodeDenied, Args: map[string]string{"verb": "create", "resource": "jobs.batch", "workspace": "vision"}}
	taken := job.Problem{Path: "name", Code: kube.CodeNameTaken, Args: map[string]string{"name": "x", "workspace": "vision"}}
	rule := job.Problem{Path: "image", Code: job.CodeRequired}
	for _, c := range []struct {
		problems []job.Problem
		status   int
		file     string // how the file is spoken of; "" = not at all
	}{
		{[]job.Problem{denied}, exitFailed, ""},
		{[]job.Problem{denied, taken}, exitFailed, "job.yaml has 1 error"},
		{[]job.Problem{rule}, exitWrong, "job.yaml has 1 error"},
	} {
		err := a.submitError(f, &submit.Refused{Problems: c.problems})
		var e *exit
		if !errors.As(err, &e) || e.status != c.status {
			t.Errorf("%v: %v", c.problems, err)
			continue
		}
		if blamed := strings.Contains(e.text, "job.yaml"); blamed != (c.file != "") || !strings.Contains(e.text, c.file) {
			t.Errorf("%v: %q", c.problems, e.text)
		}
		if c.problems[0].Code == kube.CodeDenied && !strings.Contains(e.text, "error: you may not create jobs.batch in vision (403);") {
			t.Errorf("%q", e.text)
		}
	}
}
