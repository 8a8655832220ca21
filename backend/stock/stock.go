// Package stock counts the cards that can still be had, by the scheduler's own formula: allocatable minus the
// requests of every pod that is not terminal, init containers, sidecars and pod overhead counted as the scheduler
// does. Pure.
package stock

// Stock is one card type of one training cluster.
type Stock struct {
	Cluster  string `json:"cluster"`
	CardType string `json:"cardType"`
	Total    int    `json:"total"` // cards of all its nodes, cordoned ones too
	Free     int    `json:"free"`  // cards that a new pod could still be given
	Nodes    []Node `json:"nodes"`
	Known    bool   `json:"known"`             // false: no right to list nodes or pods; the numbers mean nothing
	Missing  string `json:"missing,omitempty"` // the right that lacks when not Known, e.g. "list nodes"
}

// Node is one node's part of a stock.
type Node struct {
	Name        string `json:"name"`
	Total       int    `json:"total"`
	Free        int    `json:"free"`
	FreeCPU     int64  `json:"freeCPU"`       // millicores
	FreeMemory  int64  `json:"freeMemory"`    // bytes
	Schedulable bool   `json:"schedulable"`   // false: cordoned, tainted or not ready; then Free counts for nothing
	Why         string `json:"why,omitempty"` // why not Schedulable: Cordoned, Tainted, NotReady
}

// NodesWith counts the nodes that still have at least k cards free and can be scheduled to. k = 0 counts every
// schedulable node.
func (s Stock) NodesWith(k int) int {
	n := 0
	for _, node := range s.Nodes {
		if node.Schedulable && node.Free >= k {
			n++
		}
	}
	return n
}
