package node

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gorilla/mux"
	"github.com/virtual-kubelet/virtual-kubelet/errdefs"
	corev1 "k8s.io/api/core/v1"
	"muster.dev/muster/cmd/localcluster/node/podlog"
)

// logFile finds the log of a container's current or latest run, or of the one before.
func (k *kubelet) logFile(spec *corev1.Pod, name string, previous bool) (*podlog.File, error) {
	run, waiting, known := lastRun(spec, name)
	if p := k.byUID(spec.UID); p != nil {
		c := p.find(name)
		if c == nil {
			return nil, errdefs.NotFoundf("container %s not found in pod %s", name, spec.Name)
		}
		p.mu.Lock()
		status, log := c.status, c.log
		p.mu.Unlock()
		known, run = true, status.RestartCount
		if waiting = ""; status.State.Waiting != nil {
			waiting = status.State.Waiting.Reason
		}
		if log != nil && !previous {
			return log, nil
		}
	}
	switch {
	case !known:
		return nil, errdefs.NotFoundf("container %s not found in pod %s", name, spec.Name)
	case previous && run == 0:
		return nil, errdefs.InvalidInputf("previous terminated container %q in pod %q not found", name, spec.Name)
	case previous:
		run--
	}
	log, err := podlog.Open(k.logPath(spec.UID, name, run))
	if errors.Is(err, fs.ErrNotExist) {
		if waiting == "" {
			waiting = "ContainerCreating"
		}
		return nil, errdefs.InvalidInputf("container %q in pod %q is waiting to start: %s", name, spec.Name, waiting)
	}
	return log, err
}

// lastRun is a container's run number, and what it waits for, by the pod's status.
func lastRun(spec *corev1.Pod, name string) (run int32, waiting string, known bool) {
	for _, list := range [][]corev1.Container{spec.Spec.InitContainers, spec.Spec.Containers} {
		for i := range list {
			known = known || list[i].Name == name
		}
	}
	for _, list := range [][]corev1.ContainerStatus{spec.Status.InitContainerStatuses, spec.Status.ContainerStatuses} {
		for i := range list {
			if c := &list[i]; c.Name == name {
				run = c.RestartCount
				if c.State.Waiting != nil {
					waiting = c.State.Waiting.Reason
				}
			}
		}
	}
	return run, waiting, known
}

// serveLogs is the kubelet API's containerLogs. virtual-kubelet's handler is not used: it cannot tell tailLines=0 from
// no tailLines, and sends nothing, not even a header, before the first line.
func (s *server) serveLogs(w http.ResponseWriter, r *http.Request) {
	vars := mux.Vars(r)
	options, previous, err := logOptions(r.URL.Query(), time.Now())
	if err != nil {
		fail(w, errdefs.AsInvalidInput(err))
		return
	}
	spec, err := s.pod(vars["namespace"], vars["pod"])
	if err != nil {
		fail(w, err)
		return
	}
	log, err := s.logFile(spec, vars["container"], previous)
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w).Flush
	_ = flush()
	if err := log.Copy(r.Context(), w, options, func() { _ = flush() }); err != nil && !errors.Is(err, context.Canceled) {
		s.log.Debug("a log was not read to its end", "pod", spec.Name, "error", err)
	}
}

// logOptions reads the query of containerLogs.
func logOptions(q url.Values, now time.Time) (o podlog.Options, previous bool, err error) {
	number := func(name string) *int64 {
		if q.Get(name) == "" || err != nil {
			return nil
		}
		var n int64
		if n, err = strconv.ParseInt(q.Get(name), 10, 64); err == nil && n < 0 {
			err = errors.New(name + " must not be negative")
		}
		return &n
	}
	yes := func(name string) (b bool) {
		if q.Get(name) != "" && err == nil {
			b, err = strconv.ParseBool(q.Get(name))
		}
		return b
	}
	o = podlog.Options{Tail: number("tailLines"), Limit: number("limitBytes"), Follow: yes("follow"), Timestamps: yes("timestamps")}
	previous = yes("previous")
	if seconds := number("sinceSeconds"); seconds != nil {
		o.Since = now.Add(-time.Duration(*seconds) * time.Second)
	}
	if t := q.Get("sinceTime"); t != "" && err == nil {
		if !o.Since.IsZero() {
			return o, previous, errors.New("at most one of sinceTime and sinceSeconds may be given")
		}
		o.Since, err = time.Parse(time.RFC3339Nano, t)
	}
	return o, previous, err
}
