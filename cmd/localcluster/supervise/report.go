package supervise

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
)

// Report is what a child tells its parent.
type Report struct {
	Step  string `json:"step,omitempty"`  // something begins
	Ready bool   `json:"ready,omitempty"` // all of it runs
	Error string `json:"error,omitempty"` // it cannot go on, and why
}

// reportFD is the first of exec.Cmd's ExtraFiles.
const reportFD = 3

// Reporter is the child's end of the connection to its parent.
type Reporter struct {
	mu  sync.Mutex
	out *os.File
}

// Attach is called by a child as it starts. It makes the child end when its parent does.
func Attach() (*Reporter, error) {
	out := os.NewFile(reportFD, "reports")
	if info, err := out.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, fmt.Errorf("this command is for localcluster itself, use `localcluster up`")
	}
	go func() {
		// Nothing is ever written to it. The end of file is the parent's end, and there is nobody left to tell.
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	return &Reporter{out: out}, nil
}

// Send tells the parent. A parent that is gone ends this process anyway, so that there is no error to return.
func (r *Reporter) Send(report Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if line, err := json.Marshal(report); err == nil {
		_, _ = r.out.Write(append(line, '\n'))
	}
}
