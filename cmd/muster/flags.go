package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"muster.dev/muster/ui/i18n"
)

// flags are those that every command takes.
type flags struct {
	kube  *genericclioptions.ConfigFlags
	site  string
	lang  string
	theme string
}

// chief are the global flags that the program's own help lists; `muster options` lists them all.
var chief = []string{"kubeconfig", "context", "namespace", "as", "as-group", "request-timeout", "site", "lang", "theme", "help"}

func (f *flags) add(a *app, root *cobra.Command) {
	f.kube = genericclioptions.NewConfigFlags(false) // it reads the files anew when they changed
	// A token on a command line is a secret for everyone who can list processes: kubeconfig files take it.
	f.kube.BearerToken = nil
	f.kube.CacheDir = nil // nothing is cached on disk
	set := root.PersistentFlags()
	f.kube.AddFlags(set)
	set.StringVar(&f.site, "site", "", "")
	set.Var(&choice{value: &f.lang, allowed: i18n.Languages()}, "lang", "")
	set.Var(&choice{value: &f.theme, allowed: themeNames()}, "theme", "")
	set.BoolP("help", "h", false, "")
	set.VisitAll(func(flag *pflag.Flag) {
		flag.Usage = a.t("flag.global." + flag.Name)
		flag.DefValue = "" // the texts say what holds without the flag
		flag.Hidden = !slices.Contains(chief, flag.Name)
	})
}

// choice is a flag with few possible values.
type choice struct {
	value   *string
	allowed []string
}

func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Type is what stands for the value in the help.
func (c *choice) Type() string { return strings.Join(c.allowed, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return notAllowed{c.allowed}
	}
	*c.value = s
	return nil
}

// notAllowed is the error of a choice; it has no text of its own, see app.whyValue.
type notAllowed struct{ allowed []string }

func (n notAllowed) Error() string { return "not one of " + strings.Join(n.allowed, ", ") }

// addFlag adds a flag of one command; its text stands under flag.<command>.<name>, or flag.<name> when several share it.
func (a *app) addFlag(c *cobra.Command, value pflag.Value, name, short string) *pflag.Flag {
	return c.Flags().VarPF(value, name, short, a.flagText(c, name))
}

func (a *app) flagText(c *cobra.Command, name string) string {
	own := "flag." + c.Name() + "." + name
	if a.text.Has("cli." + own) {
		return a.t(own)
	}
	return a.t("flag." + name)
}

func (a *app) stringFlag(c *cobra.Command, p *string, name, short string) {
	c.Flags().StringVarP(p, name, short, *p, a.flagText(c, name))
}

func (a *app) boolFlag(c *cobra.Command, p *bool, name, short string) {
	c.Flags().BoolVarP(p, name, short, false, a.flagText(c, name))
}

// fileFlag is -f FILE, which completes file names.
func (a *app) fileFlag(c *cobra.Command, p *string) {
	a.addFlag(c, &once{value: p}, "filename", "f")
}

// once is a text that may be given one time: of two files the first would be passed over without a word.
type once struct {
	value *string
	given bool
}

func (o *once) String() string {
	if o.value == nil {
		return ""
	}
	return *o.value
}

// Type is what pflag calls a text.
func (o *once) Type() string { return "string" }

func (o *once) Set(s string) error {
	if o.given {
		return errGivenTwice
	}
	*o.value, o.given = s, true
	return nil
}

// errGivenTwice is the error of a flag that takes one value; it has no text of its own, see app.whyValue.
var errGivenTwice = errors.New("given twice")
