package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/stock"
)

func newStock(a *app) *cobra.Command {
	var format string
	var publish, nodes bool
	c := a.command("stock", "stock", a.noArgs, func(c *cobra.Command, _ []string) error {
		if publish {
			return a.fail("later.error", "command", a.name+" stock --publish", "instead", a.t("later.publish"))
		}
		view, err := a.viewOnce(c.Context())
		if err != nil {
			return err
		}
		switch format {
		case asJSON, asYAML:
			return a.object(format, items(stockObjects(view.Stock)))
		}
		if len(view.Stock) == 0 {
			fmt.Fprintln(a.err, a.t("stock.none"))
			return nil
		}
		if err := a.table(stockHead, a.stockRows(view.Stock)); err != nil || !nodes && format != asWide {
			return err
		}
		fmt.Fprintln(a.out)
		return a.table([]string{"cluster", "card", "node", "total", "free", "state"}, a.nodeRows(view.Stock))
	})
	a.boolFlag(c, &nodes, "nodes", "")
	c.Flags().BoolVar(&publish, "publish", false, "")
	_ = c.Flags().MarkHidden("publish")
	a.outputFlag(c, &format, asJSON, asYAML, asWide)
	return c
}

var stockHead = []string{"cluster", "card", "total", "free", "stockNodes", "with1", "with2", "with4", "with8", "note"}

// stockRows says of each card type how many nodes still have one, two, four and eight cards; what the user may not
// see is said to be unknown, never 0.
func (a *app) stockRows(all []stock.Stock) [][]string {
	var rows [][]string
	for _, s := range all {
		row := []string{s.Cluster, s.CardType}
		if s.Known {
			for _, n := range []int{s.Total, s.Free, len(s.Nodes), s.NodesWith(1), s.NodesWith(2), s.NodesWith(4), s.NodesWith(8)} {
				row = append(row, strconv.Itoa(n))
			}
			row = append(row, "")
		} else {
			for range 7 {
				row = append(row, a.t("unknown"))
			}
			row = append(row, a.t("stock.missing", "right", s.Missing))
		}
		rows = append(rows, row)
	}
	return rows
}

func (a *app) nodeRows(all []stock.Stock) [][]string {
	var rows [][]string
	for _, s := range all {
		for _, n := range s.Nodes {
			state := a.t("node.ok")
			if !n.Schedulable {
				state = n.Why
			}
			rows = append(rows, []string{s.Cluster, s.CardType, n.Name, strconv.Itoa(n.Total), strconv.Itoa(n.Free), state})
		}
	}
	return rows
}

// stockObjects are stocks for JSON: none of their lists is null.
func stockObjects(all []stock.Stock) []stock.Stock {
	objects := make([]stock.Stock, len(all))
	for i, s := range all {
		if s.Nodes == nil {
			s.Nodes = []stock.Node{}
		}
		objects[i] = s
	}
	return objects
}
