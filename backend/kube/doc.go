// Package kube is muster's link to a Kubernetes API server: what engines and rights are there, a live view of jobs,
// queues and stock, logs of many pods, submitting, stopping and deleting.
//
// [New] reads the kubeconfig and never the network. All that can fail gives an [*Error], which carries a code and
// its arguments for the user interface's catalogue ("problem.<Code>") and never a credential.
//
// Credential plugins (exec in a kubeconfig) run as client-go runs them: standard error is the process' own. A
// program that owns the terminal sets [Options.StdinTaken], so that a plugin does not read the user's keys; one that
// needs a prompt then fails and says so.
package kube
