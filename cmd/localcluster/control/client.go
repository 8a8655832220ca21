package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ErrNotRunning says that no daemon answers at the data directory's socket.
var ErrNotRunning = errors.New("no cluster runs on this data directory")

// Client talks to the daemon of one data directory.
type Client struct{ http *http.Client }

// NewClient returns a client; it connects with each call.
func NewClient(dir string) Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		path, done, err := socketPath(dir)
		if err != nil {
			return nil, errors.Join(ErrNotRunning, err)
		}
		defer done()
		conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
		if err != nil {
			return nil, errors.Join(ErrNotRunning, err)
		}
		return conn, nil
	}
	return Client{&http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}}
}

// Status asks what the daemon does.
func (c Client) Status(ctx context.Context) (Status, error) {
	var s Status
	err := c.do(ctx, http.MethodGet, "/status", func(body io.Reader) error { return json.NewDecoder(body).Decode(&s) })
	return s, err
}

// Events calls back for each event of the start, from the first on, and returns after the last.
func (c Client) Events(ctx context.Context, each func(Event)) error {
	return c.do(ctx, http.MethodGet, "/events", func(body io.Reader) error {
		for in := json.NewDecoder(body); ; {
			var e Event
			if err := in.Decode(&e); err != nil {
				return fmt.Errorf("the daemon ended during its start: %w", err)
			}
			each(e)
			if e.Last() {
				return nil
			}
		}
	})
}

// Shutdown asks the daemon to end.
func (c Client) Shutdown(ctx context.Context) error {
	return c.do(ctx, http.MethodPost, "/shutdown", nil)
}

// StartAPIServer starts a stopped API server and returns when it is ready.
func (c Client) StartAPIServer(ctx context.Context) error {
	return c.do(ctx, http.MethodPost, "/apiserver/start", nil)
}

// StopAPIServer ends the API server, by SIGKILL unless there is grace, and returns when it is gone.
func (c Client) StopAPIServer(ctx context.Context, grace time.Duration) error {
	return c.do(ctx, http.MethodPost, "/apiserver/stop?grace="+url.QueryEscape(grace.String()), nil)
}

func (c Client) do(ctx context.Context, method, path string, read func(io.Reader) error) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://localcluster"+path, nil)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096)) // the status says enough without it
		return fmt.Errorf("the daemon answers %s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	if read != nil {
		return read(resp.Body)
	}
	return nil
}
