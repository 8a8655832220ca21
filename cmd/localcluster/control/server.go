package control

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"
)

// Daemon is what the server needs of the daemon.
type Daemon interface {
	Status() Status
	// Events sends the progress so far and what follows, and returns after the last event or with the context.
	Events(ctx context.Context, send func(Event) error) error
	// Shutdown begins the end; the end itself shows in the data directory's lock.
	Shutdown()
	StartAPIServer() error
	StopAPIServer(grace time.Duration) error
}

// Serve answers commands until stop is called, which gives those that are being answered a moment. The caller holds the
// data directory's lock, so that a socket which is there is one of a daemon that was killed.
func Serve(dir string, d Daemon) (stop func(), err error) {
	path, done, err := socketPath(dir)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		done()
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		done()
		return nil, err
	}
	server := &http.Server{Handler: handler(d), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }() // ends with stop
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil { // closes the listener, which removes the socket
			server.Close()
		}
		done()
	}, nil
}

func handler(d Daemon) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(d.Status()) // fails when the asker is gone
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		flusher := http.NewResponseController(w)
		out := json.NewEncoder(w)
		_ = d.Events(r.Context(), func(e Event) error {
			return errors.Join(out.Encode(e), flusher.Flush())
		})
	})
	mux.HandleFunc("POST /shutdown", func(w http.ResponseWriter, _ *http.Request) {
		d.Shutdown()
		w.WriteHeader(http.StatusAccepted)
	})
	mux.HandleFunc("POST /apiserver/start", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, d.StartAPIServer())
	})
	mux.HandleFunc("POST /apiserver/stop", func(w http.ResponseWriter, r *http.Request) {
		grace, err := time.ParseDuration(r.URL.Query().Get("grace"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer(w, d.StopAPIServer(grace))
	})
	return mux
}

func answer(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
