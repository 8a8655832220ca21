package stock

import (
	"cmp"
	"slices"
)

// Want is a number of equal pods. CPU in millicores and Memory in bytes count only where they are given.
type Want struct {
	Pods   int
	Cards  int // of each; pods without cards are not counted against the stock
	CPU    int64
	Memory int64
}

// Fit compares what is wanted with a stock.
type Fit struct {
	Needed int   // pods with cards that are wanted
	Free   int   // of them, those that nodes could take now
	Ever   bool  // the nodes could take all if nothing else ran and all were schedulable
	Now    []int // of each Want, the pods that nodes could take now; 0 for pods without cards
	Empty  []int // of each Want, the pods that the nodes could take if nothing else ran
}

// Fits puts the wanted pods on the stock's nodes: the pods with the most cards first, each on the node that it leaves the
// fewest cards on. A stock that is not Known fits nothing now and everything ever.
func Fits(s Stock, want ...Want) Fit {
	fit := Fit{Now: make([]int, len(want)), Empty: make([]int, len(want))}
	for i, w := range want {
		if w.Cards > 0 {
			fit.Empty[i] = max(w.Pods, 0)
			fit.Needed += fit.Empty[i]
		}
	}
	if !s.Known {
		fit.Ever = true
		return fit
	}
	fit.Now, fit.Empty = place(want, freeNodes(s.Nodes)), place(want, emptyNodes(s.Nodes))
	empty := 0
	for i := range want {
		fit.Free += fit.Now[i]
		empty += fit.Empty[i]
	}
	fit.Ever = empty == fit.Needed
	return fit
}

// room is what a node can still take; without figures for CPU and memory these are not looked at.
type room struct {
	cards       int
	cpu, memory int64
	figures     bool
}

func freeNodes(nodes []Node) []room {
	rooms := make([]room, 0, len(nodes))
	for _, n := range nodes {
		if n.Schedulable {
			rooms = append(rooms, room{cards: n.Free, cpu: n.FreeCPU, memory: n.FreeMemory, figures: true})
		}
	}
	return rooms
}

// emptyNodes counts cordoned nodes too: they come back. What CPU and memory they would have is not in a stock.
func emptyNodes(nodes []Node) []room {
	rooms := make([]room, 0, len(nodes))
	for _, n := range nodes {
		rooms = append(rooms, room{cards: n.Total})
	}
	return rooms
}

// takes tells how many pods of a kind a node can still take.
func (r room) takes(w Want) int {
	n := r.cards / w.Cards
	if r.figures && w.CPU > 0 {
		n = min(n, int(r.cpu/w.CPU))
	}
	if r.figures && w.Memory > 0 {
		n = min(n, int(r.memory/w.Memory))
	}
	return max(n, 0)
}

// place counts the pods of each kind that find a node. It fills rooms up one after the other, those with the fewest cards
// left first: a room that was the best for one pod is the best for the next of its kind as long as that fits.
func place(want []Want, rooms []room) []int {
	placed := make([]int, len(want))
	order := make([]int, 0, len(want))
	for i, w := range want {
		if w.Cards > 0 && w.Pods > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(want[b].Cards, want[a].Cards) })
	for _, i := range order {
		w := want[i]
		slices.SortStableFunc(rooms, func(a, b room) int { return cmp.Compare(a.cards, b.cards) })
		for k := range rooms {
			n := min(w.Pods-placed[i], rooms[k].takes(w))
			rooms[k].cards -= n * w.Cards
			rooms[k].cpu -= int64(n) * w.CPU
			rooms[k].memory -= int64(n) * w.Memory
			placed[i] += n
		}
	}
	return placed
}
