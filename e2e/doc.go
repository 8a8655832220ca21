// Package e2e holds tests that use the built program as people do: commands as processes, and the UI in a pseudo
// terminal, on the local cluster.
package e2e
