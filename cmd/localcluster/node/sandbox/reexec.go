package sandbox

import (
	"fmt"
	"os"
)

// The names under which the program starts itself; ps shows them.
const (
	holderName    = "localcluster-pods"
	containerName = "localcluster-container"
)

// ReexecMain takes over, and never returns, when this program was started by a Host or a holder. It belongs at the
// very start of main.
func ReexecMain() bool {
	var err error
	switch os.Args[0] {
	default:
		return false
	case holderName:
		err = holderMain()
	case containerName:
		err = containerMain()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[0], err)
		os.Exit(1)
	}
	os.Exit(0)
	return true
}
