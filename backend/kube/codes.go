package kube

import (
	"errors"

	"muster.dev/muster/backend/job"
)

// Codes of errors and problems, beside those of package job. Arguments stand in [Codes].
const (
	CodeKubeconfigMissing    = "KubeconfigMissing"    // no file
	CodeKubeconfigEmpty      = "KubeconfigEmpty"      // a file that names no cluster
	CodeKubeconfigUnreadable = "KubeconfigUnreadable" // no right to read it
	CodeKubeconfigBroken     = "KubeconfigBroken"     // not a kubeconfig, or one that contradicts itself
	CodeKubeconfigContext    = "KubeconfigContext"    // has no such context
	CodeKubeconfigNamespace  = "KubeconfigNamespace"  // value, the namespace of its context, is not the name of one
	CodeSiteFile             = "SiteFile"             // the --site file or the ConfigMap; field and problem are the first of its problems

	CodeUnreachable       = "Unreachable"   // no answer
	CodeCertificate       = "Certificate"   // it answers, and its certificate is not to be trusted
	CodeTimedOut          = "TimedOut"      // no answer in time
	CodeUnauthorized      = "Unauthorized"  // 401, or the credential plugin failed
	CodeDenied            = "Denied"        // 403
	CodeImpersonation     = "Impersonation" // no right to act as another user
	CodeJobNotFound       = "JobNotFound"
	CodeNamespaceNotFound = "NamespaceNotFound"
	CodeNotFound          = "NotFound"
	CodeNotServed         = "NotServed" // the server does not know the resource
	CodeChanged           = "Changed"   // it was changed or replaced meanwhile
	CodeNoEngine          = "NoEngine"  // none is served
	CodeInvalid           = "Invalid"   // the cluster finds a value invalid; message is its words
	CodeCluster           = "Cluster"   // anything else that the cluster says

	CodeNameTaken        = "NameTaken"        // another job has the name
	CodeNameDeleting     = "NameDeleting"     // a job of that name is being deleted
	CodeSecretTaken      = "SecretTaken"      // a Secret of the needed name is somebody else's
	CodeSecretMissing    = "SecretMissing"    // no value for a secretEnv
	CodeSecretNotOwned   = "SecretNotOwned"   // warning
	CodeSecretKept       = "SecretKept"       // warning: the job is there, with other values of secretEnv
	CodeQueueNotFound    = "QueueNotFound"    // no such LocalQueue
	CodeQueueStopped     = "QueueStopped"     // warning: it admits nothing now
	CodeKueueMissing     = "KueueMissing"     // queue mode without Kueue
	CodePriorityNotFound = "PriorityNotFound" // the site's class is not in the cluster
	CodePriorityDenied   = "PriorityDenied"   // the right that the site asks for lacks
	CodeQuotaExceeded    = "QuotaExceeded"    // a ResourceQuota of the workspace
	CodeWebhook          = "Webhook"          // an admission webhook or policy refused
	CodeStopNeedsRight   = "StopNeedsRight"   // a queued job is stopped through its workload
	CodeNoWorkloadYet    = "NoWorkloadYet"    // queued, and Kueue has not made its workload
	CodeAlreadyEnded     = "AlreadyEnded"     // stop or resume of a job that has ended
	CodeReplaced         = "Replaced"         // the job that was meant is gone, and another has its name
)

// Codes lists them with the arguments that each carries; one may be empty.
func Codes() []job.CodeDoc {
	call := []string{"message", "name", "resource", "verb", "workspace"}
	return []job.CodeDoc{
		{Code: CodeKubeconfigMissing, Args: []string{"message", "path"}},
		{Code: CodeKubeconfigEmpty, Args: []string{"message", "path"}},
		{Code: CodeKubeconfigUnreadable, Args: []string{"message", "path"}},
		{Code: CodeKubeconfigBroken, Args: []string{"message", "path"}},
		{Code: CodeKubeconfigContext, Args: []string{"message", "path"}},
		{Code: CodeKubeconfigNamespace, Args: []string{"context", "message", "path", "value"}},
		{Code: CodeSiteFile, Args: []string{"field", "message", "path", "problem"}},
		{Code: CodeUnreachable, Args: append([]string{"host"}, call...)},
		{Code: CodeCertificate, Args: append([]string{"host"}, call...)},
		{Code: CodeTimedOut, Args: append([]string{"host"}, call...)},
		{Code: CodeUnauthorized, Args: call},
		{Code: CodeDenied, Args: call},
		{Code: CodeImpersonation, Args: []string{"message"}},
		{Code: CodeJobNotFound, Args: []string{"name", "workspace"}},
		{Code: CodeNamespaceNotFound, Args: []string{"workspace"}},
		{Code: CodeNotFound, Args: call},
		{Code: CodeNotServed, Args: call},
		{Code: CodeChanged, Args: call},
		{Code: CodeNoEngine, Args: []string{"workspace"}},
		{Code: CodeInvalid, Args: call},
		{Code: CodeCluster, Args: call},
		{Code: CodeNameTaken, Args: []string{"created", "name", "workspace"}},
		{Code: CodeNameDeleting, Args: []string{"name", "workspace"}},
		{Code: CodeSecretTaken, Args: []string{"name", "workspace"}},
		{Code: CodeSecretMissing, Args: []string{"name"}},
		{Code: CodeSecretNotOwned, Args: []string{"name", "resource", "verb"}},
		{Code: CodeSecretKept, Args: []string{"name", "variables", "workspace"}},
		{Code: CodeQueueNotFound, Args: []string{"known", "nearest", "value", "workspace"}},
		{Code: CodeQueueStopped, Args: []string{"message", "value"}},
		{Code: CodeKueueMissing, Args: nil},
		{Code: CodePriorityNotFound, Args: []string{"kind", "name", "value"}},
		{Code: CodePriorityDenied, Args: []string{"name", "resource", "value", "verb", "workspace"}},
		{Code: CodeQuotaExceeded, Args: call},
		{Code: CodeWebhook, Args: call},
		{Code: CodeStopNeedsRight, Args: call},
		{Code: CodeNoWorkloadYet, Args: []string{"name", "workspace"}},
		{Code: CodeAlreadyEnded, Args: []string{"name", "verb", "workspace"}},
		{Code: CodeReplaced, Args: []string{"name", "workspace"}},
	}
}

// asError is errors.As with the type spelled by the target.
func asError[T error](err error, into *T) bool { return errors.As(err, into) }
