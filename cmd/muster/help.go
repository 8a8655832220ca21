package main

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newHelp is cobra's help command in two languages.
func newHelp(a *app) *cobra.Command {
	return a.command("help", "help [COMMAND]", nil, func(c *cobra.Command, args []string) error {
		found, rest, err := c.Root().Find(args)
		if err != nil || found == nil || len(rest) > 0 {
			return a.usage(c.Root(), "err.unknownCommand", "command", args[len(args)-1])
		}
		found.InitDefaultHelpFlag()
		return found.Help()
	})
}

// newOptions lists the flags that every command takes, as kubectl options does.
func newOptions(a *app) *cobra.Command {
	return a.command("options", "options", a.noArgs, func(c *cobra.Command, _ []string) error {
		shown := pflag.NewFlagSet("options", pflag.ContinueOnError)
		c.Root().PersistentFlags().VisitAll(func(flag *pflag.Flag) {
			open := *flag
			open.Hidden = false
			shown.AddFlag(&open)
		})
		_, err := fmt.Fprintf(a.out, "%s\n\n%s\n", a.t("cmd.options.head"), a.flagLines(shown))
		return err
	})
}

// usageText is the usage of a command, with its flags lined up in cells.
func (a *app) usageText(c *cobra.Command) string {
	var b strings.Builder
	b.WriteString(a.t("usage.usage") + "\n")
	if c.Runnable() {
		fmt.Fprintf(&b, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n", c.CommandPath())
		for _, group := range c.Groups() {
			fmt.Fprintf(&b, "\n%s\n", group.Title)
			for _, child := range c.Commands() {
				if child.GroupID == group.ID && child.IsAvailableCommand() {
					fmt.Fprintf(&b, "  %-*s %s\n", child.NamePadding(), child.Name(), child.Short)
				}
			}
		}
	}
	if c.HasAvailableLocalFlags() {
		fmt.Fprintf(&b, "\n%s\n%s\n", a.t("usage.flags"), a.flagLines(c.LocalFlags()))
	}
	if c.HasParent() && c.HasAvailableInheritedFlags() {
		fmt.Fprintf(&b, "\n%s\n", a.t("usage.options", "command", a.name+" options"))
	}
	return b.String()
}

// flagLines lists flags as pflag does, which counts bytes and not cells.
func (a *app) flagLines(set *pflag.FlagSet) string {
	type line struct{ flag, usage string }
	var lines []line
	width := 0
	set.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(flag)
		text := "      --" + flag.Name
		if flag.Shorthand != "" {
			text = "  -" + flag.Shorthand + ", --" + flag.Name
		}
		if value != "" {
			text += " " + value
		}
		switch flag.DefValue {
		case "", "false", "0", "0s", "[]":
		default:
			usage += a.t("usage.default", "value", flag.DefValue)
		}
		lines = append(lines, line{text, usage})
		width = max(width, displaywidth.String(text))
	})
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.flag + strings.Repeat(" ", width-displaywidth.String(l.flag)+3) + l.usage)
	}
	return b.String()
}
