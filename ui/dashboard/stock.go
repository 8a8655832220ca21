package dashboard

import (
	"strconv"
	"strings"

	"muster.dev/muster/backend/snapshot"
	cards "muster.dev/muster/backend/stock"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/words"
)

// stock is the third tab: the cards of each training cluster, and the nodes of the selected kind.
type stock struct {
	env   nav.Env
	facts snapshot.Facts
	conn  snapshot.ConnState
	all   []cards.Stock
	table widget.Table
	nodes widget.Table
	shown string
}

func (s *stock) setEnv(env nav.Env) {
	s.env = env
	t := env.Texts
	s.table.SetStyles(env.Styles)
	s.nodes.SetStyles(env.Styles)
	s.table.SetColumns([]widget.Column{
		{Title: t.T("col.cluster"), Min: 6, Max: 30},
		{Title: t.T("col.card"), Min: 6, Max: 30},
		{Title: t.T("col.free"), Right: true},
		{Title: t.T("col.total"), Right: true},
		{Title: t.T("col.nodes"), Right: true, Priority: 2},
		{Title: "≥1", Right: true, Priority: 1},
		{Title: "≥2", Right: true, Priority: 1},
		{Title: "≥4", Right: true, Priority: 1},
		{Title: "≥8", Right: true, Priority: 1},
		{Title: t.T("col.unusable"), Right: true, Priority: 3},
		{Title: "", Min: 10, Priority: 4},
	})
	s.nodes.SetColumns([]widget.Column{
		{Title: t.T("col.node"), Min: 10, Max: 50},
		{Title: t.T("col.free"), Right: true},
		{Title: t.T("col.total"), Right: true},
		{Title: t.T("col.freeCPU"), Right: true, Priority: 2},
		{Title: t.T("col.freeMemory"), Right: true, Priority: 1},
		{Title: t.T("col.state"), Min: 6, Max: 30, Priority: 3},
	})
}

func (s *stock) set(snap snapshot.Snapshot) {
	s.all, s.facts, s.conn = snap.Stock, snap.Facts, snap.Conn.State
	all := s.all
	ids := make([]string, len(all))
	for i, one := range all {
		ids[i] = one.Cluster + "/" + one.CardType
	}
	s.table.SetRows(ids, func(i int) []widget.Cell { return s.cells(all[i]) })
	s.shown = ""
}

func (s *stock) cells(one cards.Stock) []widget.Cell {
	t, styles := s.env.Texts, s.env.Styles
	head := []widget.Cell{{Text: safetext.Clean(one.Cluster)}, {Text: safetext.Clean(one.CardType)}}
	for i := range head {
		if head[i].Text == "" {
			head[i] = widget.Cell{Text: words.None, Style: styles.Dim}
		}
	}
	if !one.Known {
		for range 8 {
			head = append(head, widget.Cell{Text: "?", Style: styles.Dim})
		}
		return append(head, widget.Cell{Text: t.T("stock.unknown", "right", one.Missing), Style: styles.Warning})
	}
	free := widget.Cell{Text: strconv.Itoa(one.Free), Style: styles.Success}
	if one.Free == 0 {
		free.Style = styles.Error
	}
	unusable := 0
	for _, node := range one.Nodes {
		if !node.Schedulable {
			unusable++
		}
	}
	cells := append(head, free, widget.Cell{Text: strconv.Itoa(one.Total)}, widget.Cell{Text: strconv.Itoa(len(one.Nodes))})
	for _, k := range []int{1, 2, 4, 8} {
		cells = append(cells, count(one.NodesWith(k), styles.Dim))
	}
	out := count(unusable, styles.Dim)
	if unusable > 0 {
		out.Style = styles.Warning
	}
	return append(cells, out, widget.Cell{})
}

func count(n int, zero themes.Style) widget.Cell {
	c := widget.Cell{Text: strconv.Itoa(n)}
	if n == 0 {
		c.Style = zero
	}
	return c
}

func (s *stock) fill(one cards.Stock) {
	id := one.Cluster + "/" + one.CardType
	if s.shown == id {
		return
	}
	s.shown = id
	ids := make([]string, len(one.Nodes))
	for i, node := range one.Nodes {
		ids[i] = node.Name
	}
	s.nodes.SetRows(ids, func(i int) []widget.Cell {
		node, styles := one.Nodes[i], s.env.Styles
		state := widget.Cell{Text: s.env.T("node.ready"), Style: styles.Success}
		if !node.Schedulable {
			state = widget.Cell{Text: nodeState(s.env, node.Why), Style: styles.Warning}
		}
		return []widget.Cell{
			{Text: safetext.Clean(node.Name)},
			count(node.Free, styles.Dim),
			{Text: strconv.Itoa(node.Total)},
			{Text: strconv.FormatInt(node.FreeCPU/1000, 10)},
			{Text: strconv.FormatInt(node.FreeMemory>>30, 10) + "Gi"},
			state,
		}
	})
}

func nodeState(env nav.Env, why string) string {
	if key := "node." + why; env.Texts.Has(key) {
		return env.T(key)
	}
	return safetext.Clean(why)
}

func (s *stock) view(width, height int) string {
	t, styles := s.env.Texts, s.env.Styles
	if len(s.all) == 0 {
		var denied []string
		for _, resource := range []string{"nodes", "pods"} { // the whole cluster's: cards are counted on all of its nodes
			if s.facts.Denies("list", resource, "") {
				denied = append(denied, "list "+resource)
			}
		}
		switch {
		case s.conn == snapshot.Connecting:
			return empty(s.env, t.T("loading"), width, height)
		case len(denied) > 0:
			return empty(s.env, t.T("stock.unknownHelp", "right", strings.Join(denied, ", ")), width, height)
		}
		return empty(s.env, t.T("stock.none"), width, height)
	}
	tableHeight := min(len(s.all)+1, max(height/2, 2), height)
	block := s.table.View(width, tableHeight)
	left := height - tableHeight
	i := s.table.Index()
	if left < 4 || i < 0 {
		return widget.Lines(block, width, height)
	}
	one := s.all[i]
	block += "\n" + widget.Rule(styles, width)
	if !one.Known {
		for _, line := range cell.Wrap(t.T("stock.unknownHelp", "right", one.Missing), width-2) {
			block += "\n " + styles.Warning.Render(line)
		}
		return widget.Lines(block, width, height)
	}
	s.fill(one)
	title := t.T("stock.nodes", "cluster", one.Cluster, "card", one.CardType, "count", len(one.Nodes))
	block += "\n" + cell.Truncate(" "+styles.Heading.Render(title), width) + "\n" + s.nodes.View(width, left-2)
	return widget.Lines(block, width, height)
}
