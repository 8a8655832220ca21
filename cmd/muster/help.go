package main

import (
	"fmt"

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
		_, err := fmt.Fprintf(a.out, "%s\n\n%s", a.t("cmd.options.head"), shown.FlagUsages())
		return err
	})
}
