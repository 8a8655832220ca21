package kube

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoCredentialIsShown: not even when a server repeats all that it was sent, wherever the credential is from.
func TestNoCredentialIsShown(t *testing.T) {
	const secret = "s3cr3t-w0rd"
	sent := ""
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		sent = r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		// A client that is gone is not the server's trouble.
		_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403, "reason": "Forbidden",
			"message": fmt.Sprintf("no entry for %s (%s)", sent, password)})
	}))
	defer server.Close()
	folder := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plugin := write("plugin", "#!/bin/sh\necho '"+`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"`+secret+`"}}`+"'\n", 0o700)
	authority := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	for name, c := range map[string]struct{ server, cluster, user string }{
		"token":         {server.URL, "", `"token":"` + secret + `"`},
		"file":          {server.URL, "", `"tokenFile":"` + write("token", secret+"\n", 0o600) + `"`},
		"password":      {server.URL, "", `"username":"alice","password":"` + secret + `"`},
		"plugin":        {server.URL, "", `"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":"` + plugin + `","interactiveMode":"Never"}`},
		"server's URL":  {strings.Replace(server.URL, "://", "://alice:"+secret+"@", 1), "", ``},
		"escaped":       {strings.Replace(server.URL, "://", "://alice:"+strings.ReplaceAll(secret, "-", "%2D")+"@", 1), "", ``},
		"nobody there":  {"https://alice:" + secret + "@127.0.0.1:1", "", ``},
		"not a URL":     {"https://alice:" + secret + "/x@127.0.0.1:1", "", ``},
		"proxy":         {server.URL, `,"proxy-url":"http://alice:` + secret + `@127.0.0.1:1"`, ``},
		"broken proxy":  {server.URL, `,"proxy-url":"alice:` + secret + `@127.0.0.1:1"`, ``},
		"another proxy": {server.URL, `,"proxy-url":"ftp://alice:` + secret + `@127.0.0.1:1"`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			sent = ""
			path := write("config", `{"apiVersion":"v1","kind":"Config","current-context":"x","contexts":[{"name":"x","context":{"cluster":"x","user":"u"}}],
				"users":[{"name":"u","user":{`+c.user+`}}],
				"clusters":[{"name":"x","cluster":{"server":"`+c.server+`","certificate-authority-data":"`+authority+`"`+c.cluster+`}}]}`, 0o600)
			cluster, err := New(Options{Kubeconfig: path})
			text := fmt.Sprint(err)
			if err == nil {
				_, err = cluster.link.find(t.Context(), "research", "j")
				text = fmt.Sprint(err, cluster.Doctor(t.Context()))
			}
			if err == nil {
				t.Fatal("no error to look at")
			}
			encoded := base64.StdEncoding.EncodeToString([]byte("alice:" + secret))
			if strings.Contains(text, secret) || strings.Contains(text, encoded) || strings.Contains(text, strings.ReplaceAll(secret, "-", "%2D")) {
				t.Error(text)
			}
			if local := strings.HasSuffix(c.server, server.Listener.Addr().String()) && c.cluster == ""; local && (sent == "" || !strings.Contains(text, "no entry for ")) {
				t.Errorf("sent %q; %s", sent, text)
			}
		})
	}
}
