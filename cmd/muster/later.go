package main

import "github.com/spf13/cobra"

// newLater returns the commands that muster will have and does not have yet. They are not listed, and say so.
func newLater(a *app) []*cobra.Command {
	var all []*cobra.Command
	for _, name := range []string{"why", "check", "exec", "port-forward", "tensorboard", "steward"} {
		all = append(all, &cobra.Command{
			Use: name, Hidden: true, DisableFlagParsing: true, Short: a.t("later.short"),
			RunE: func(*cobra.Command, []string) error {
				return a.fail("later.error", "command", a.name+" "+name, "instead", a.t("later."+name))
			},
		})
	}
	return all
}
