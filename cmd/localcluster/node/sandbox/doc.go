// Package sandbox gives the pods of a local cluster what a container runtime gives them, as an ordinary user and
// with processes of this machine. It knows nothing of Kubernetes.
//
// # How it works
//
//   - Start runs this same binary again as the holder: the first process of a user, PID, mount, network, IPC and UTS
//     namespace of its own. In its user namespace the holder is root whoever started it. Its network namespace has
//     nothing but a bridge, 10.244.0.1/16.
//   - A pod is a network, an IPC and a UTS namespace, held by open files of the holder: no process stands for it. A
//     veth pair puts it on the bridge with an address of its own, so that two pods may listen on the same port and
//     each reaches the other.
//   - A container is a PID and a mount namespace inside the pod's. The holder runs this binary once more as the
//     container's first process; that mounts the container's root, enters it and then becomes the container's command
//     by exec. So the command is process 1, as in a container: everything it started ends with it, and a command that
//     does not handle SIGTERM is not ended by it.
//   - The root of a container is this machine's, directory by directory, each under an overlay whose upper layer is a
//     tmpfs that goes away with the container; /tmp, /run and /dev are new. A directory that an overlay cannot take (file
//     systems mounted below it) is shown read-only. So nothing a pod does outside its volumes is seen by the machine.
//   - exec and port forwarding are done by threads of the holder that enter the container's namespaces and are
//     thrown away afterwards.
//
// # How it ends
//
// The holder is process 1 of its PID namespace: when it ends, the kernel ends every process of every pod. It ends when
// its starter closes the connection, or dies (PR_SET_PDEATHSIG, and the connection's end), also by kill -9.
//
// # What a machine must permit
//
// Linux 5.12 or newer with user namespaces for the user who runs it. Start says what is missing.
package sandbox
