package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"

	"muster.dev/muster/ui/i18n"
)

// app is what every command works with.
type app struct {
	streams
	text *i18n.Texts
	name string // how the user calls the program: "muster" or "kubectl muster"
	flags
}

// t is the text of a key under "cli.".
func (a *app) t(key string, args ...any) string { return a.text.T("cli."+key, args...) }

// programName is how the user says the program's name: kubectl calls its plugin kubectl-muster for "kubectl muster".
func programName(argv0 string) string {
	name := strings.TrimSuffix(filepath.Base(argv0), ".exe")
	if plugin, ok := strings.CutPrefix(name, "kubectl-"); ok && plugin != "" {
		return "kubectl " + strings.ReplaceAll(plugin, "_", "-")
	}
	if name == "" || name == "." || name == "/" {
		return "muster"
	}
	return name
}

// language looks for --lang before anything is parsed: the texts of flags and commands need it already.
func language(args []string, getenv func(string) string) string {
	lang := ""
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if value, ok := strings.CutPrefix(arg, "--lang="); ok {
			lang = value
		} else if arg == "--lang" && i+1 < len(args) {
			lang = args[i+1]
		}
	}
	if lang == i18n.English || lang == i18n.Chinese {
		return lang
	}
	return i18n.FromEnvironment(getenv)
}

// newRoot builds the tree of commands. Nothing else is built before a command runs.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:                   "muster",
		Short:                 a.t("root.short"),
		Long:                  a.t("root.long"),
		Annotations:           map[string]string{cobra.CommandDisplayNameAnnotation: a.name},
		Args:                  a.noArgs,
		SilenceErrors:         true,
		DisableFlagsInUseLine: true,
		SilenceUsage:          true,
		RunE:                  func(c *cobra.Command, _ []string) error { return a.openDashboard(c.Context()) },
		PersistentPreRunE:     func(c *cobra.Command, _ []string) error { return a.checkWorkspace(c) },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return a.badFlag(c, err) })
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := io.WriteString(c.OutOrStderr(), a.usageText(c))
		return err
	})
	a.flags.add(a, root)
	for _, group := range []struct {
		id       string
		commands []*cobra.Command
	}{
		{"spec", []*cobra.Command{newCreate(a), newValidate(a), newRender(a), newSubmit(a), newClone(a)}},
		{"jobs", []*cobra.Command{newList(a), newGet(a), newWait(a), newLogs(a), newStop(a), newResume(a), newDelete(a)}},
		{"site", []*cobra.Command{newQueue(a), newStock(a), newVolumes(a), newImages(a), newDoctor(a)}},
		{"self", []*cobra.Command{newOptions(a), newCompletion(a), newVersion(a)}},
	} {
		root.AddGroup(&cobra.Group{ID: group.id, Title: a.t("group." + group.id)})
		for _, c := range group.commands {
			c.GroupID = group.id
			root.AddCommand(c)
		}
	}
	root.SetHelpCommand(newHelp(a))
	root.SetHelpCommandGroupID("self")
	root.AddCommand(newLater(a)...)
	return root
}

// command fills in what every command has in common: its texts stand under cmd.<key>.
func (a *app) command(key, use string, args cobra.PositionalArgs, do func(c *cobra.Command, args []string) error) *cobra.Command {
	c := &cobra.Command{
		Use: use, Args: args, RunE: do, Short: a.t("cmd." + key + ".short"),
		DisableFlagsInUseLine: true,
	}
	if long := "cli.cmd." + key + ".long"; a.text.Has(long) {
		c.Long = a.text.T(long)
	}
	return c
}

// noArgs, oneArg and the like are cobra's argument rules with this program's texts and exit status.
func (a *app) noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if c.HasParent() {
		return a.usage(c, "err.tooMany", "argument", args[0])
	}
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return a.usage(c, "err.unknownCommandNear", "command", args[0], "near", strings.Join(near, ", "))
	}
	return a.usage(c, "err.unknownCommand", "command", args[0])
}

func (a *app) oneArg(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return a.usage(c, "err.nameMissing")
	case len(args) > 1:
		return a.usage(c, "err.tooMany", "argument", args[1])
	}
	return a.nameArgs(c, args)
}

func (a *app) atMostOneArg(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return a.oneArg(c, args)
}

func (a *app) someArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return a.usage(c, "err.nameMissing")
	}
	return a.nameArgs(c, args)
}

// checkWorkspace refuses a -n that can be the name of no workspace: the cluster would be asked in vain, or would say that
// rights lack.
func (a *app) checkWorkspace(c *cobra.Command) error {
	name := *a.kube.Namespace
	if name == "" || len(validation.IsDNS1123Label(name)) == 0 {
		return nil
	}
	return a.usage(c, "err.workspaceName", "name", name)
}

// nameArgs refuses what an unset shell variable leaves of a name.
func (a *app) nameArgs(c *cobra.Command, args []string) error {
	for _, arg := range args {
		if strings.TrimSpace(arg) == "" {
			return a.usage(c, "err.nameEmpty")
		}
	}
	return nil
}

// badFlag puts what is wrong with a flag into the user's language.
func (a *app) badFlag(c *cobra.Command, err error) error {
	switch e := err.(type) { // pflag returns these unwrapped
	case *pflag.NotExistError:
		flag := "--" + e.GetSpecifiedName()
		if short := e.GetSpecifiedShortnames(); short != "" {
			flag = "-" + short
		}
		return a.usage(c, "err.unknownFlag", "flag", flag)
	case *pflag.ValueRequiredError:
		return a.usage(c, "err.flagNeedsValue", "flag", flagName(e.GetFlag()))
	case *pflag.InvalidValueError:
		return a.usage(c, "err.flagValue", "flag", flagName(e.GetFlag()), "value", e.GetValue(), "why", a.whyValue(e))
	case *pflag.InvalidSyntaxError:
		return a.usage(c, "err.flagSyntax", "flag", e.GetSpecifiedFlag())
	}
	return a.usage(c, "err.flag", "message", err.Error())
}

func flagName(f *pflag.Flag) string { return "--" + f.Name }
