package main

import "github.com/spf13/cobra"

func newCompletion(a *app) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	check := func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return a.usage(c, "err.shellMissing")
		}
		if len(args) > 1 {
			return a.usage(c, "err.tooMany", "argument", args[1])
		}
		return nil
	}
	c := a.command("completion", "completion bash|zsh|fish|powershell", check, func(c *cobra.Command, args []string) error {
		root := c.Root()
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(a.out, true)
		case "zsh":
			return root.GenZshCompletion(a.out)
		case "fish":
			return root.GenFishCompletion(a.out, true)
		case "powershell":
			return root.GenPowerShellCompletionWithDesc(a.out)
		}
		return a.usage(c, "err.shellUnknown", "shell", args[0])
	})
	c.ValidArgsFunction = cobra.FixedCompletions(shells, cobra.ShellCompDirectiveNoFileComp)
	return c
}
