package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func newVersion(a *app) *cobra.Command {
	var format string
	c := a.command("version", "version", a.noArgs, func(*cobra.Command, []string) error {
		if format != asTable {
			return a.object(format, map[string]string{"version": version, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
		}
		_, err := fmt.Fprintf(a.out, "muster %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	})
	a.outputFlag(c, &format, asJSON, asYAML)
	return c
}
