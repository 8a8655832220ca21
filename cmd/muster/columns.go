package main

import (
	"fmt"
	"strings"

	"muster.dev/muster/cmd/muster/table"
)

// dropped lists the columns that a terminal may have no room for, in the order in which they go. What names a thing
// (job, pod, node, volume, workspace) never goes.
var dropped = strings.Fields(`
	image user priority engine display os python source cuda framework card cluster position restarts clusterQueue queue
	access capacity with4 with2 exit node run ready nodes waiting usedBy age`)

// columnOf says what a column (its key) does in a terminal that is too narrow. With cut, texts are cut to one line, where
// each row is one of many; else they go on in the lines below.
func columnOf(key string, cut bool) table.Column {
	switch key {
	case "reason", "message", "remedy", "note", "used":
		if cut {
			return table.Column{Flow: table.Cut}
		}
		return table.Column{Flow: table.Wrap}
	case "job", "pod":
		return table.Column{}
	}
	for i, name := range dropped {
		if name == key {
			return table.Column{Drop: len(dropped) - i}
		}
	}
	return table.Column{}
}

// columns starts a table of some columns (their keys): lined up with spaces for people, with tabs for pipes.
func (a *app) columns(keys []string, cut bool) *table.Columns {
	if !a.outTTY {
		return table.New(table.Tabs)
	}
	all := make([]table.Column, len(keys))
	for i, key := range keys {
		all[i] = columnOf(key, cut)
	}
	width := 0
	if a.width != nil {
		width = a.width()
	}
	return table.New(table.Spaces).Fit(width, all)
}

// table writes a head (keys under "column.") and rows.
func (a *app) table(keys []string, rows [][]string) error {
	return a.columns(keys, false).Write(a.out, append([][]string{a.head(keys)}, rows...))
}

func (a *app) head(keys []string) []string {
	head := make([]string, len(keys))
	for i, key := range keys {
		head[i] = a.t("column." + key)
	}
	return head
}

// leftOut says on stderr which columns a table that was asked for whole lacks.
func (a *app) leftOut(keys []string, columns *table.Columns) {
	var names []string
	for _, i := range columns.Dropped() {
		names = append(names, a.t("column."+keys[i]))
	}
	if len(names) > 0 {
		fmt.Fprintln(a.err, a.t("table.leftOut", "columns", strings.Join(names, ", ")))
	}
}
