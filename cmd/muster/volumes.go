package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/snapshot"
)

func newVolumes(a *app) *cobra.Command {
	var format string
	c := a.command("volumes", "volumes", a.noArgs, func(c *cobra.Command, _ []string) error {
		view, err := a.viewOnce(c.Context())
		if err != nil {
			return err
		}
		if err := a.deniedList(view, "persistentvolumeclaims"); err != nil {
			return err
		}
		return a.writeVolumes(view, format)
	})
	a.outputFlag(c, &format, asJSON, asYAML, asName)
	return c
}

func (a *app) writeVolumes(view snapshot.Snapshot, format string) error {
	var all []string
	var rows [][]string
	objects := make([]snapshot.Volume, len(view.Volumes))
	for i, v := range view.Volumes {
		all = append(all, v.Name)
		rows = append(rows, []string{v.Name, v.Claim, v.Capacity, strings.Join(v.AccessModes, ","), v.Phase, strings.Join(v.UsedBy, ",")})
		if v.AccessModes == nil {
			v.AccessModes = []string{}
		}
		objects[i] = v
	}
	switch format {
	case asJSON, asYAML:
		return a.object(format, items(objects))
	case asName:
		return names(a.out, all)
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.err, a.t("volumes.none", "workspace", view.Facts.Workspace))
		return nil
	}
	return a.table([]string{"name", "claim", "capacity", "access", "phase", "usedBy"}, rows)
}
