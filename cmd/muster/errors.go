package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The exit statuses of DESIGN.md section 6.
const (
	exitFailed = 1
	exitWrong  = 2 // wrong usage or an invalid spec
)

// exit is an error with its exit status and, when text is not "", what to say on stderr.
type exit struct {
	status int
	text   string
}

func (e *exit) Error() string { return e.text }

// usage is what a command line that means nothing ends with; it points to the help of the command.
func (a *app) usage(c *cobra.Command, key string, args ...any) error {
	help := a.t("err.seeHelp", "command", c.CommandPath()+" --help")
	return &exit{exitWrong, a.t("error", "message", a.t(key, args...)) + "\n" + help}
}

// wrong is an exit 2 in words, fail an exit 1.
func (a *app) wrong(key string, args ...any) error {
	return &exit{exitWrong, a.t("error", "message", a.t(key, args...))}
}

func (a *app) fail(key string, args ...any) error {
	return &exit{exitFailed, a.t("error", "message", a.t(key, args...))}
}

// explain turns an error into an exit status and a text that says what, where, why and what would do.
func (a *app) explain(err error) (status int, text string) {
	var e *exit
	if errors.As(err, &e) {
		return e.status, e.text
	}
	return exitFailed, a.t("error", "message", a.clusterError(err))
}

// whyValue says why a flag does not take a value.
func (a *app) whyValue(e *pflag.InvalidValueError) string {
	var n notAllowed
	if errors.As(e, &n) {
		return a.t("err.oneOf", "values", strings.Join(n.allowed, ", "))
	}
	if errors.Is(e, errGivenTwice) {
		return a.t("err.givenTwice")
	}
	return a.t("err.needsType", "type", a.typeName(e.GetFlag().Value.Type()))
}

// typeName says in words what a kind of flag takes.
func (a *app) typeName(kind string) string {
	if key := "type." + kind; a.text.Has("cli." + key) {
		return a.t(key)
	}
	return kind
}
