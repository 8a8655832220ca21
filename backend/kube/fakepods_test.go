package kube

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// logServer is an API server with one Job whose pods' logs break in every way that the peers' did.
type logServer struct {
	mu      sync.Mutex
	changed sync.Cond
	version int
	ended   bool // the job
	deleted bool // the job
	stopped bool // the job
	// podsBehind keeps what changes about pods from the watches.
	podsBehind bool
	pods       map[string]*fakePod
	watches    []chan watchEvent
	// stream, when set, may take over one request for a log: it tells whether it did.
	stream func(w http.ResponseWriter, r *http.Request, p *fakePod) bool
	asked  []string // queries of requests for logs
}

type watchEvent struct {
	kind   string
	object any
}

type fakePod struct {
	name     string
	index    int
	restarts int32
	running  bool
	code     int32
	finished time.Time // of the instance that ran last
	gone     bool
	log      []string // stamped lines of the instance that runs or ran last
	previous []string
}

var began = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func stamped(n int, text string) string {
	return began.Add(time.Duration(n)*10*time.Millisecond).Format(time.RFC3339Nano) + " " + text
}

func (p *fakePod) object(version int) *corev1.Pod {
	status := corev1.ContainerStatus{Name: "main", RestartCount: p.restarts}
	phase := corev1.PodRunning
	if p.running {
		status.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(began)}
	} else {
		status.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: p.code, StartedAt: metav1.NewTime(began), FinishedAt: metav1.NewTime(p.finished)}
		phase = corev1.PodSucceeded
	}
	if p.restarts > 0 {
		status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 9, FinishedAt: metav1.NewTime(p.finished)}
	}
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: p.name, Namespace: "research", UID: types.UID("uid-" + p.name), ResourceVersion: strconv.Itoa(version),
			Labels:      map[string]string{labelJobName: "j"},
			Annotations: map[string]string{batchv1.JobCompletionIndexAnnotation: strconv.Itoa(p.index)},
		},
		Spec:   corev1.PodSpec{RestartPolicy: corev1.RestartPolicyOnFailure, Containers: []corev1.Container{{Name: "main"}}},
		Status: corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{status}},
	}
}

func (s *logServer) job() *batchv1.Job {
	j := &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: "j", Namespace: "research", UID: "uid-j", ResourceVersion: strconv.Itoa(s.version)},
		Spec:       batchv1.JobSpec{Parallelism: ptr(int32(1)), Completions: ptr(int32(1))},
	}
	if s.ended {
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	}
	j.Spec.Suspend = ptr(s.stopped)
	return j
}

// newLogServer starts one and connects to it.
func newLogServer(t *testing.T, pods ...*fakePod) (*logServer, *Cluster) {
	t.Helper()
	s := &logServer{version: 1, pods: map[string]*fakePod{}}
	s.changed.L = &s.mu
	for _, p := range pods {
		s.pods[p.name] = p
	}
	server := httptest.NewUnstartedServer(s)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(func() {
		server.CloseClientConnections()
		s.mu.Lock()
		s.changed.Broadcast()
		s.mu.Unlock()
		server.Close()
	})
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	path := filepath.Join(t.TempDir(), "config")
	text := `{"apiVersion":"v1","kind":"Config","current-context":"x","contexts":[{"name":"x","context":{"cluster":"x","namespace":"research"}}],` +
		`"clusters":[{"name":"x","cluster":{"server":"` + server.URL + `","certificate-authority-data":"` + base64.StdEncoding.EncodeToString(authority) + `"}}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := New(Options{Kubeconfig: path})
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// changeOf is the kind of event of an object that is there, or no more.
func changeOf(gone bool) string {
	if gone {
		return "DELETED"
	}
	return "MODIFIED"
}

// change changes the world and tells the watches.
func (s *logServer) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	s.version++
	for _, w := range s.watches {
		for _, p := range s.pods {
			if s.podsBehind {
				break
			}
			w <- watchEvent{changeOf(p.gone), p.object(s.version)}
		}
		w <- watchEvent{changeOf(s.deleted), s.job()}
	}
	s.changed.Broadcast()
}

func (s *logServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	last := path[len(path)-1]
	switch {
	case last == "log":
		s.log(w, r, path[len(path)-2])
	case last == "readyz":
		fmt.Fprint(w, "ok")
	case r.URL.Query().Get("watch") != "":
		s.watch(w, r, last)
	case last == "pods" || last == "jobs":
		s.mu.Lock()
		defer s.mu.Unlock()
		var items []any
		if last == "jobs" {
			items = append(items, s.job())
		} else {
			for _, p := range s.pods {
				if !p.gone {
					items = append(items, p.object(s.version))
				}
			}
		}
		s.json(w, http.StatusOK, map[string]any{"metadata": map[string]any{"resourceVersion": strconv.Itoa(s.version)}, "items": items})
	case last == "j" && path[len(path)-2] == "jobs":
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.deleted {
			s.notFound(w, "jobs", last)
			return
		}
		s.json(w, http.StatusOK, s.job())
	case path[len(path)-2] == "pods":
		s.mu.Lock()
		defer s.mu.Unlock()
		if p := s.pods[last]; p != nil && !p.gone {
			s.json(w, http.StatusOK, p.object(s.version))
			return
		}
		s.notFound(w, "pods", last)
	default:
		s.notFound(w, path[len(path)-2], last)
	}
}

func (s *logServer) notFound(w http.ResponseWriter, kind, name string) {
	s.json(w, http.StatusNotFound, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404,
		"message": kind + " not found", "details": map[string]any{"kind": kind, "name": name}})
}

func (s *logServer) json(w http.ResponseWriter, code int, value any) {
	w.WriteHeader(code)
	// A client that is gone is not the server's trouble.
	_ = json.NewEncoder(w).Encode(value)
}

func (s *logServer) watch(w http.ResponseWriter, r *http.Request, kind string) {
	if r.URL.Query().Get("sendInitialEvents") != "" || kind != "pods" && kind != "jobs" {
		s.json(w, http.StatusUnprocessableEntity, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Invalid", "code": 422})
		return
	}
	events := make(chan watchEvent, 1000)
	s.mu.Lock()
	// What changed between the list and the watch.
	for _, p := range s.pods {
		if kind == "pods" {
			events <- watchEvent{changeOf(p.gone), p.object(s.version)}
		}
	}
	if kind == "jobs" {
		events <- watchEvent{changeOf(s.deleted), s.job()}
	}
	s.watches = append(s.watches, events)
	s.mu.Unlock()
	w.(http.Flusher).Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case e := <-events:
			if _, isJob := e.object.(*batchv1.Job); isJob != (kind == "jobs") {
				continue
			}
			if json.NewEncoder(w).Encode(map[string]any{"type": e.kind, "object": e.object}) != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	}
}

// log serves a log as the kubelet does.
func (s *logServer) log(w http.ResponseWriter, r *http.Request, name string) {
	query := r.URL.Query()
	s.mu.Lock()
	p := s.pods[name]
	if p == nil || p.gone {
		s.notFound(w, "pods", name)
		s.mu.Unlock()
		return
	}
	s.asked = append(s.asked, r.URL.RawQuery)
	take := s.stream
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain")
	if take != nil && take(w, r, p) {
		return
	}
	since, _ := time.Parse(time.RFC3339, query.Get("sinceTime"))
	tail, _ := strconv.Atoi(query.Get("tailLines"))
	sent := 0
	s.mu.Lock()
	instance := p.restarts
	for {
		lines, open := p.log, p.running && p.restarts == instance && !p.gone
		if query.Get("previous") != "" {
			lines, open = p.previous, false
		}
		if query.Get("tailLines") != "" && sent == 0 {
			lines = lines[max(len(lines)-tail, 0):]
		}
		out := lines[min(sent, len(lines)):]
		sent = len(lines)
		s.mu.Unlock()
		for _, line := range out {
			stamp, _ := time.Parse(time.RFC3339Nano, strings.SplitN(line, " ", 2)[0])
			if stamp.Before(since) {
				continue
			}
			fmt.Fprintln(w, line)
		}
		w.(http.Flusher).Flush()
		s.mu.Lock()
		if query.Get("follow") == "" || !open || r.Context().Err() != nil {
			s.mu.Unlock()
			return
		}
		if p.restarts == instance && len(p.log) == sent && p.running {
			s.changed.Wait()
		}
	}
}
