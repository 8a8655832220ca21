package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/site"
)

func newImages(a *app) *cobra.Command {
	var format string
	c := a.command("images", "images", a.noArgs, func(c *cobra.Command, _ []string) error {
		s, err := a.siteInForce(c.Context())
		if err != nil {
			return err
		}
		return a.writeImages(s.Images, format)
	})
	a.outputFlag(c, &format, asJSON, asYAML, asName)
	return c
}

// siteInForce is the site of --site, else the cluster's own.
func (a *app) siteInForce(ctx context.Context) (site.Site, error) {
	if a.site != "" {
		return a.siteFile()
	}
	view, err := a.viewOnce(ctx)
	return view.Site, err
}

func (a *app) writeImages(images []site.Image, format string) error {
	var all []string
	var rows [][]string
	for _, i := range images {
		all = append(all, i.Name)
		rows = append(rows, []string{i.Name, i.Source, i.Framework, i.CUDA, i.Python, i.OS})
	}
	switch format {
	case asJSON, asYAML:
		return a.object(format, items(images))
	case asName:
		return names(a.out, all)
	}
	if len(rows) == 0 {
		fmt.Fprintln(a.err, a.t("images.none"))
		return nil
	}
	return a.table([]string{"image", "source", "framework", "cuda", "python", "os"}, rows)
}
