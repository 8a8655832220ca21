// Package node is the nodes of a local cluster: pods that the scheduler binds to them run as processes of this
// machine, each pod in namespaces of its own (package sandbox says how), with what a kubelet gives: environment, volumes,
// logs, exit codes, restarts, exec, port forwarding.
//
// # Nodes and pods
//
// virtual-kubelet registers the nodes and keeps their heart beats, and serves exec, attach and port forwarding. Pods are not
// left to its pod controller: that force-deletes a pod whose init container still runs, and writes whole pods where a
// status is meant, which brings finalizers back that another controller has just taken off. One loop here serves the
// pods of all nodes: see sync.go.
//
// # What differs from a real node
//
//   - Images are not pulled: this machine's directories are the image (and PATH is this program's). A command must be
//     given. An image of the host missing.local is refused, as ErrImagePull and ImagePullBackOff, to try what becomes of a
//     job with such an image.
//   - Names come from /etc/hosts instead of DNS, by the same rules: see package hosts. A Service leads straight to its
//     pods, at their ports; there is no service proxy, and pods reach neither the API server nor the world outside.
//   - CPU and memory limits are not enforced, but for memory volumes. Devices are numbers only.
//     So none is OOMKilled: a process that takes too much is the machine's to kill.
//   - What Config.Hide names is empty to pods, since they run as the user whose cluster this is. What else that user may read
//     they see. hostPath volumes, privileged containers and SYS_ADMIN are refused: they would uncover it.
//   - Probes are not run: a container is ready while it runs. Hooks: exec and sleep only.
//   - ConfigMaps and Secrets stay in a pod as they were at its start.
//   - Users: with the cluster started by root, any; by an ordinary user, only 0 of the container, who is that user.
//
// # A node that dies
//
// With the annotation localcluster.muster.dev/dead: "true" on its Node, a node sends no more heart beats, says nothing of
// its pods, stops their processes and cuts them off the network, as if its power had failed, until the annotation goes.
//
// # Restart
//
// A pod that ran when its nodes ended, in whatever way, is Failed when they come back, with reason NodeRestarted and the
// condition DisruptionTarget: its processes are gone.
package node
