package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
)

// Ports are the loopback ports of one cluster. They are chosen once and kept, so that kubeconfigs outlive a restart.
type Ports struct {
	APIServer     int `json:"apiserver"`
	JobSetWebhook int `json:"jobsetWebhook"`
	KueueWebhook  int `json:"kueueWebhook"`
	Visibility    int `json:"visibility"`
}

// Ports come from below the range from which Linux takes the ports of outgoing connections (32768 and up by default), so
// that none of those takes a stopped cluster's port.
const portsFrom, portsTo = 20000, 32000

// PortTaken says that the API server's kept port is in use by something else.
type PortTaken struct {
	Port int
	Err  error
}

func (e *PortTaken) Error() string {
	return fmt.Sprintf("port %d, which this cluster's kubeconfigs name, is in use by another program (%v); "+
		"end that program, or give the cluster another port with `up --port 0`, which writes its kubeconfigs anew", e.Port, e.Err)
}

func (e *PortTaken) Unwrap() error { return e.Err }

// LoadPorts returns the cluster's ports, all of them free now. want is the API server's port: nil keeps the one that was
// used before, 0 chooses any. The operators' ports stand in no file of a user, so one that is taken is simply replaced.
func (d Dir) LoadPorts(want *int) (Ports, error) {
	p, err := d.ReadPorts()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return p, err
	}
	if want != nil {
		p.APIServer = *want
	}
	if p.APIServer != 0 {
		if err := free(p.APIServer); err != nil {
			return p, &PortTaken{p.APIServer, err}
		}
	}
	taken := map[int]bool{p.APIServer: true}
	for _, port := range []*int{&p.APIServer, &p.JobSetWebhook, &p.KueueWebhook, &p.Visibility} {
		if port == &p.APIServer && *port != 0 {
			continue
		}
		if *port != 0 && !taken[*port] && free(*port) == nil {
			taken[*port] = true
			continue
		}
		if *port, err = choose(taken); err != nil {
			return p, err
		}
		taken[*port] = true
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return p, err
	}
	return p, os.WriteFile(d.Path("ports.json"), append(text, '\n'), 0o600)
}

// ReadPorts returns the ports that the running or the last cluster uses.
func (d Dir) ReadPorts() (Ports, error) {
	var p Ports
	text, err := os.ReadFile(d.Path("ports.json"))
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("%s: %w", d.Path("ports.json"), err)
	}
	return p, nil
}

func choose(taken map[int]bool) (int, error) {
	for range 200 {
		if p := portsFrom + rand.IntN(portsTo-portsFrom); !taken[p] && free(p) == nil {
			return p, nil
		}
	}
	return 0, fmt.Errorf("no free port found between %d and %d on 127.0.0.1", portsFrom, portsTo)
}

func free(port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return l.Close()
}
