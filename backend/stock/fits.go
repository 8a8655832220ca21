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
	Needed int  // pods with cards that are wanted
	Free   int  // of them, those that nodes could take now
	Ever   bool // the nodes could take all if nothing else ran and all were schedulable
}

// Now tells whether all could start now.
func (f Fit) Now() bool { return f.Free >= f.Needed }

// Fits puts the wanted pods on the stock's nodes: the pods with the most cards first, each on the node that it leaves the
// fewest cards on. A stock that is not Known fits nothing now and everything ever.
func Fits(s Stock, want ...Want) Fit {
	want = slices.Clone(want)
	slices.SortStableFunc(want, func(a, b Want) int { return cmp.Compare(b.Cards, a.Cards) })
	fit := Fit{}
	for _, w := range want {
		if w.Cards > 0 {
			fit.Needed += max(w.Pods, 0)
		}
	}
	if !s.Known {
		fit.Ever = true
		return fit
	}
	fit.Free = place(want, freeNodes(s.Nodes))
	fit.Ever = place(want, emptyNodes(s.Nodes)) == fit.Needed
	return fit
}

// room is what a node can still take; without figures for CPU and memory these are not looked at.
type room struct {
	cards       int
	cpu, memory int64
	figures     bool
}

func freeNodes(nodes []Node) []room {
	var rooms []room
	for _, n := range nodes {
		if n.Schedulable {
			rooms = append(rooms, room{cards: n.Free, cpu: n.FreeCPU, memory: n.FreeMemory, figures: true})
		}
	}
	return rooms
}

// emptyNodes counts cordoned nodes too: they come back. What CPU and memory they would have is not in a stock.
func emptyNodes(nodes []Node) []room {
	var rooms []room
	for _, n := range nodes {
		rooms = append(rooms, room{cards: n.Total})
	}
	return rooms
}

// place counts the pods that find a node.
func place(want []Want, rooms []room) int {
	placed := 0
	for _, w := range want {
		if w.Cards <= 0 {
			continue
		}
		for range w.Pods {
			best := -1
			for i, r := range rooms {
				if r.cards < w.Cards || r.figures && (r.cpu < w.CPU || r.memory < w.Memory) {
					continue
				}
				if best < 0 || r.cards < rooms[best].cards {
					best = i
				}
			}
			if best < 0 {
				break // the next pod of the same size finds none either
			}
			rooms[best].cards -= w.Cards
			rooms[best].cpu -= w.CPU
			rooms[best].memory -= w.Memory
			placed++
		}
	}
	return placed
}
