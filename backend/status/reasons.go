package status

// Reasons of a job: why it is in its phase, as codes. The catalogue has a text for each under "reason.<Code>". A pod's
// reason may also be a word of Kubernetes' own that is not among them.
const (
	// While Queued.
	QuotaExceeded    = "QuotaExceeded"    // would fit once others end
	QuotaTooSmall    = "QuotaTooSmall"    // asks for more than the queue could ever give
	NoMatchingFlavor = "NoMatchingFlavor" // no resource flavor of the queue fits node selector and tolerations
	QueueStopped     = "QueueStopped"     // LocalQueue or ClusterQueue stopped or inactive
	QueueMissing     = "QueueMissing"     // LocalQueue or ClusterQueue does not exist
	QueueRefused     = "QueueRefused"     // Kueue will not take the job: limits, namespace, priority class
	AdmissionCheck   = "AdmissionCheck"   // quota is there, a check is not done
	WaitingTurn      = "WaitingTurn"      // Kueue has not looked at it yet, or others come first
	NoWorkload       = "NoWorkload"       // no Kueue workload seen: just created, Kueue away, or no right to read it
	QueuePreempted   = "QueuePreempted"   // taken back for a job of higher priority; queued again
	PodsReadyTimeout = "PodsReadyTimeout" // admitted, but its pods did not all come up in time; queued again
	QueueEvicted     = "QueueEvicted"     // quota taken back for another cause; queued again

	// While Starting or Restarting.
	Unschedulable    = "Unschedulable"    // no node fits
	SchedulingGated  = "SchedulingGated"  // a scheduling gate is not lifted
	ImagePull        = "ImagePull"        // the image can't be pulled
	InvalidImage     = "InvalidImage"     // the image's name is not one
	ContainerConfig  = "ContainerConfig"  // a Secret, ConfigMap or key that the container needs is not there
	ContainerCreate  = "ContainerCreate"  // the runtime can't create the container
	ContainerWaiting = "ContainerWaiting" // volumes, network or the image are being prepared
	CrashLoop        = "CrashLoop"        // the container ends again and again
	PodsMissing      = "PodsMissing"      // not all pods are created: a moment, or a quota, or an admission webhook
	Disrupted        = "Disrupted"        // restarted because the platform took a pod

	// At the end of a job or pod, or while it runs on without that pod.
	ExitCode           = "ExitCode"           // a container ended with an exit code other than 0
	OOMKilled          = "OOMKilled"          // used more memory than it asked for
	StartError         = "StartError"         // the command can't be executed in the image
	Evicted            = "Evicted"            // by the kubelet under pressure, or through the eviction API
	Preempted          = "Preempted"          // by the scheduler, for a pod of higher priority
	NodeLost           = "NodeLost"           // its node is gone or unreachable
	NodeShutdown       = "NodeShutdown"       // its node was shut down
	AdmissionRefused   = "AdmissionRefused"   // its node refused it after scheduling: a device or a resource lacked
	PodFailed          = "PodFailed"          // failed, and nothing says why
	MaxRestartsReached = "MaxRestartsReached" // restarts are used up
	DeadlineExceeded   = "DeadlineExceeded"   // ran longer than its timeout; also Kueue's maximum execution time

	// Of Stopping and Stopped.
	StoppedByUser = "StoppedByUser" // suspended, or its workload deactivated
	RequeueLimit  = "RequeueLimit"  // deactivated by Kueue: requeued too often
	CheckRejected = "CheckRejected" // deactivated by Kueue: an admission check rejected it
	Deleting      = "Deleting"      // being deleted
	NotOurEngine  = "NotOurEngine"  // managed by another controller (spec.managedBy), whose status is not read
)

// Reasons are all reasons that a job may have.
func Reasons() []string {
	return []string{
		QuotaExceeded, QuotaTooSmall, NoMatchingFlavor, QueueStopped, QueueMissing, QueueRefused, AdmissionCheck, WaitingTurn,
		NoWorkload, QueuePreempted, PodsReadyTimeout, QueueEvicted,
		Unschedulable, SchedulingGated, ImagePull, InvalidImage, ContainerConfig, ContainerCreate, ContainerWaiting, CrashLoop,
		PodsMissing, Disrupted,
		ExitCode, OOMKilled, StartError, Evicted, Preempted, NodeLost, NodeShutdown, AdmissionRefused, PodFailed,
		MaxRestartsReached, DeadlineExceeded,
		StoppedByUser, RequeueLimit, CheckRejected, Deleting, NotOurEngine,
	}
}
