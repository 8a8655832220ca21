package kube_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"muster.dev/muster/backend/kube"
	"muster.dev/muster/backend/snapshot"
)

// secure is a kubeconfig for a test server with a token: tokens are sent over TLS alone.
func secure(server *httptest.Server, token string) string {
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return strings.Replace(config(server.URL, token), "server:", "certificate-authority-data: "+base64.StdEncoding.EncodeToString(authority)+", server:", 1)
}

// config is a kubeconfig for a server with a token.
func config(server, token string) string {
	return `apiVersion: v1
kind: Config
current-context: one
clusters: [{name: c, cluster: {server: "` + server + `"}}]
users: [{name: u, user: {token: "` + token + `"}}]
contexts:
- {name: one, context: {cluster: c, user: u, namespace: research}}
- {name: two, context: {cluster: c, user: u, namespace: vision}}
`
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestKubeconfigErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "nowhere")
	for _, c := range []struct {
		name, path, code string
		context          string
	}{
		{"missing", missing, kube.CodeKubeconfigMissing, ""},
		{"not YAML", write(t, "{{{"), kube.CodeKubeconfigBroken, ""},
		{"another kind of file", write(t, "apiVersion: v1\nkind: Secret\n"), kube.CodeKubeconfigBroken, ""},
		{"empty", write(t, ""), kube.CodeKubeconfigEmpty, ""},
		{"no namespace's name", write(t, strings.Replace(config("https://localhost:1", "x"), "research", "a/b", 1)), kube.CodeKubeconfigNamespace, ""},
		{"no such context", write(t, config("https://localhost:1", "x")), kube.CodeKubeconfigContext, "three"},
		{"certificate file missing", write(t, strings.Replace(config("https://localhost:1", "x"), "server:", "certificate-authority: /nowhere, server:", 1)), kube.CodeKubeconfigBroken, ""},
		{"binary", write(t, "\x00\x01\xff"), kube.CodeKubeconfigBroken, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster, err := kube.New(kube.Options{Kubeconfig: c.path, Context: c.context})
			var e *kube.Error
			if !errors.As(err, &e) || e.Code != c.code {
				t.Fatalf("%v, want %s", err, c.code)
			}
			if p := e.Problem(); p.Args["path"] == "" || p.Args["message"] == "" {
				t.Errorf("says not where or why: %+v", p)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var seen snapshot.Snapshot
			if err := cluster.Watch(ctx, func(s snapshot.Snapshot) { seen = s; cancel() }); err != nil {
				t.Error(err)
			}
			if seen.Conn.State != snapshot.NoConfig || seen.Conn.Problem == nil || seen.Conn.Problem.Code != c.code {
				t.Errorf("watch: %+v", seen.Conn)
			}
			if _, err := cluster.Snapshot(t.Context()); !errors.As(err, &e) || e.Code != c.code {
				t.Errorf("Snapshot: %v", err)
			}
		})
	}
}

// A server that answers and cannot be trusted is not called silent, and no request with its parameters is shown.
func TestCertificateThatIsNotTrusted(t *testing.T) {
	var token atomic.Pointer[string]
	good := "good"
	token.Store(&good)
	server := empty(t, &token)
	foreign := strings.Replace(config(server.URL, "good"), "server:", "tls-server-name: elsewhere.example, server:", 1)
	if !strings.HasPrefix(server.URL, "https") {
		t.Fatal(server.URL)
	}
	c, err := kube.New(kube.Options{Kubeconfig: write(t, foreign)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Snapshot(t.Context())
	var e *kube.Error
	if !errors.As(err, &e) || e.Code != kube.CodeCertificate || e.Args["host"] != server.URL {
		t.Fatalf("%v", err)
	}
	if message := e.Args["message"]; strings.Contains(message, "watch=") || !strings.Contains(message, "x509") {
		t.Errorf("%q", message)
	}
}

func TestSiteFileErrors(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "nowhere"), write(t, "kind: Site\napiVersion: muster.dev/v1\nclutsers: []\n")} {
		_, err := kube.New(kube.Options{Kubeconfig: write(t, config("https://localhost:1", "x")), SiteFile: path})
		if code(err) != kube.CodeSiteFile || !strings.Contains(err.Error(), path) {
			t.Errorf("%v", err)
		}
	}
}

func TestNewKnowsTheFileAlone(t *testing.T) {
	c, err := kube.New(kube.Options{Kubeconfig: write(t, config("https://localhost:1", "x")), Context: "two"})
	if err != nil || c.Context() != "two" || c.Namespace() != "vision" || c.Workspace() != "vision" {
		t.Errorf("%v %q %q %q", err, c.Context(), c.Namespace(), c.Workspace())
	}
	all, err := kube.New(kube.Options{Kubeconfig: write(t, config("https://localhost:1", "x")), AllWorkspaces: true})
	if err != nil || all.Workspace() != "" || all.Namespace() != "research" {
		t.Errorf("%v %q", err, all.Workspace())
	}
}

// empty is an API server in which there is nothing, for those who have the token.
func empty(t *testing.T, token *atomic.Pointer[string]) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer "+*token.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			answer(w, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Unauthorized", "code": 401,
				"message": "Unauthorized: token " + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")})
			return
		}
		switch {
		case r.URL.Path == "/readyz":
			answer(w, "ok")
		case r.URL.Path == "/version":
			answer(w, map[string]any{"gitVersion": "v1.36.3"})
		case r.URL.Path == "/apis":
			answer(w, map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{}})
		case r.Method == http.MethodPost, strings.Contains(r.URL.Path, "/namespaces/") && strings.Count(r.URL.Path, "/") == 4:
			w.WriteHeader(http.StatusForbidden)
			answer(w, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403, "message": "no"})
		case r.URL.Query().Get("watch") != "":
			if r.URL.Query().Get("sendInitialEvents") != "" {
				w.WriteHeader(http.StatusBadRequest)
				answer(w, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Invalid", "code": 422, "message": "an old server"})
				return
			}
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			answer(w, map[string]any{"metadata": map[string]any{"resourceVersion": "7"}, "items": []any{}})
		}
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

func answer(w http.ResponseWriter, value any) { _ = json.NewEncoder(w).Encode(value) }

// TestExpiredToken: 401 is said, the data stay, no token is shown, and a renewed kubeconfig is taken up.
func TestExpiredToken(t *testing.T) {
	var token atomic.Pointer[string]
	good, renewed := "first-token-9d8f", "second-token-1c2b"
	token.Store(&good)
	server := empty(t, &token)
	path := write(t, secure(server, good))
	c, err := kube.New(kube.Options{Kubeconfig: path})
	if err != nil {
		t.Fatal(err)
	}
	w := watch(t, c)
	_, at := w.live()
	token.Store(&renewed)
	server.CloseClientConnections()
	refused, at := w.until("Unauthorized", at, func(s snapshot.Snapshot) bool { return s.Conn.State == snapshot.Unauthorized })
	if refused.Jobs == nil || refused.Conn.Problem == nil || refused.Conn.Problem.Code != kube.CodeUnauthorized {
		t.Errorf("%s", show(refused))
	}
	if strings.Contains(show(refused)+refused.Conn.Problem.Args["message"], good) {
		t.Errorf("the token is shown: %s", show(refused))
	}
	if _, err := c.Snapshot(within(t)); code(err) != kube.CodeUnauthorized {
		t.Errorf("Snapshot: %v", err)
	}
	if err := os.WriteFile(path, []byte(secure(server, renewed)), 0o600); err != nil {
		t.Fatal(err)
	}
	w.until("Live with the new token", at, func(s snapshot.Snapshot) bool { return s.Conn.State == snapshot.Live })
}

// TestMendedKubeconfig: a Watch without a kubeconfig takes one up once it is there.
func TestMendedKubeconfig(t *testing.T) {
	var token atomic.Pointer[string]
	good := "a-token"
	token.Store(&good)
	server := empty(t, &token)
	path := filepath.Join(t.TempDir(), "config")
	c, err := kube.New(kube.Options{Kubeconfig: path})
	if code(err) != kube.CodeKubeconfigMissing {
		t.Fatal(err)
	}
	w := watch(t, c)
	_, at := w.until("NoConfig", 0, func(s snapshot.Snapshot) bool { return s.Conn.State == snapshot.NoConfig })
	if err := os.WriteFile(path, []byte(secure(server, good)), 0o600); err != nil {
		t.Fatal(err)
	}
	live, _ := w.until("Live", at, func(s snapshot.Snapshot) bool { return s.Conn.State == snapshot.Live })
	if live.Facts.Workspace != "research" || live.Facts.Context != "one" {
		t.Errorf("%s", show(live))
	}
}

// TestNoGoroutineStays after a Watch with many changes of the workspace.
func TestNoGoroutineStays(t *testing.T) {
	var token atomic.Pointer[string]
	good := "a-token"
	token.Store(&good)
	server := empty(t, &token)
	c, err := kube.New(kube.Options{Kubeconfig: write(t, secure(server, good))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	lived := make(chan snapshot.Snapshot, 1000)
	go func() {
		done <- c.Watch(ctx, func(s snapshot.Snapshot) {
			select {
			case lived <- s:
			default:
			}
		})
	}()
	wait := func(workspace string) {
		for s := range lived {
			if s.Conn.State == snapshot.Live && s.Facts.Workspace == workspace {
				return
			}
		}
	}
	wait("research")
	before := runtime.NumGoroutine()
	for range 5 {
		c.SetWorkspace("vision")
		wait("vision")
		c.SetWorkspace("")
		wait("")
		c.SetWorkspace("research")
		wait("research")
	}
	// Streams that were cancelled end a moment later.
	for wait := time.Millisecond; runtime.NumGoroutine() > before+5; wait *= 2 {
		if wait > time.Minute {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(wait)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	stacks := make([]byte, 1<<20)
	for wait := time.Millisecond; ; wait *= 2 {
		text := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(text, "backend/kube.(*session)") && !strings.Contains(text, "backend/kube.(*feed)") && !strings.Contains(text, "cache.(*Reflector)") {
			return
		}
		if wait > time.Minute {
			t.Fatalf("left behind:\n%s", text)
		}
		time.Sleep(wait)
	}
}

func BenchmarkNew(b *testing.B) {
	path := filepath.Join(b.TempDir(), "config")
	if err := os.WriteFile(path, []byte(config("https://localhost:1", "x")), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := kube.New(kube.Options{Kubeconfig: path}); err != nil {
			b.Fatal(err)
		}
	}
}
