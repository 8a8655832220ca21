package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"muster.dev/muster/backend/logs"
)

// The watchdog of a stream that says nothing: it asks for the log's last line, and when the stream does not bring
// that line either, the stream is dead. It looks less often the longer nothing comes.
const (
	stallFirst = 15 * time.Second
	stallMost  = 8 * stallFirst
	stallGrace = 2 * time.Second
)

const (
	batchLines = 512
	batchBytes = 256 << 10
)

// logRequest is one request for the container's log.
type logRequest struct {
	follow, previous, final bool
	lastLine                bool
}

// errNoLog: the node has no log of the container any more, and says so in the log's place.
var errNoLog = errors.New("no log")

// stream asks for the log from where the cursor stands.
func (p *podLog) stream(ctx context.Context, want logRequest) (io.ReadCloser, error) {
	l := p.follower.api()
	request := p.follower.request
	r := l.core.Get().Namespace(p.pod.Namespace).Resource("pods").Name(p.pod.Name).SubResource("log").
		Param("container", p.container).Param("timestamps", "true")
	if want.follow {
		r.Param("follow", "true")
	}
	if want.previous {
		r.Param("previous", "true")
	}
	p.mu.Lock()
	since := p.cursor.Since()
	p.mu.Unlock()
	switch {
	case want.lastLine:
		r.Param("tailLines", "1")
	case !since.IsZero():
		r.Param("sinceTime", since.UTC().Format(time.RFC3339))
	default:
		if request.Since > 0 {
			// By the node's clock, which also wrote the stamps. What has passed since the first request is added, or
			// lines would fall out while muster tries to connect.
			seconds := (request.Since + time.Since(p.follower.began) + time.Second - 1) / time.Second
			r.Param("sinceSeconds", strconv.FormatInt(int64(seconds), 10))
		}
		if request.Tail >= 0 {
			r.Param("tailLines", strconv.Itoa(request.Tail))
		}
	}
	return r.Stream(ctx)
}

// read asks for the log once and hands on what is new of it.
func (p *podLog) read(ctx context.Context, want logRequest) ending {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	body, err := p.stream(ctx, want)
	if err != nil {
		return ending{err: err, final: want.final}
	}
	defer body.Close()
	p.opened, p.refused = true, time.Time{}
	p.mu.Lock()
	resumed := p.cut
	p.cut = false
	p.heard = time.Now()
	p.mu.Unlock()
	if resumed {
		p.mark(logs.Resumed, "")
	}
	if want.follow {
		var watchdog sync.WaitGroup
		defer watchdog.Wait()
		inner, stop := context.WithCancel(ctx)
		defer stop()
		watchdog.Go(func() { p.watch(inner, cancel) })
	}
	err = p.copy(logs.NewLineReader(body), !want.follow)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if cause := context.Cause(ctx); cause != nil && err != nil {
		err = cause
	}
	return ending{err: err, final: want.final}
}

var errStalled = errors.New("nothing came although the container wrote")

// watch ends a stream that is silent while the container is not.
func (p *podLog) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	first := p.follower.cluster.stall
	wait := first
	for {
		sleep(ctx, wait)
		if ctx.Err() != nil {
			return
		}
		p.mu.Lock()
		idle := time.Since(p.heard)
		p.mu.Unlock()
		if idle < wait {
			wait = first
			continue
		}
		wait = min(2*wait, stallMost)
		if !p.behind(ctx) {
			continue
		}
		// The line may have been under way.
		sleep(ctx, min(stallGrace, first))
		p.mu.Lock()
		idle = time.Since(p.heard)
		p.mu.Unlock()
		if ctx.Err() == nil && idle > min(stallGrace, first) {
			cancel(errStalled)
			return
		}
	}
}

// behind tells whether the log's last line is one that the stream did not bring.
func (p *podLog) behind(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	body, err := p.stream(ctx, logRequest{lastLine: true})
	if err != nil {
		return false
	}
	defer body.Close()
	line, _, err := logs.NewLineReader(body).Next()
	if err != nil {
		return false // nothing, or not yet a whole line
	}
	stamp, text, ok := logs.Split(line)
	p.mu.Lock()
	defer p.mu.Unlock()
	return ok && !p.cursor.Has(stamp, text) && !stamp.Before(p.cursor.Newest())
}

// copy hands on what is new. A last line without its newline counts when the stream ends as it should, whole: while
// the container is followed it is a line that was cut, and comes again.
func (p *podLog) copy(r *logs.LineReader, whole bool) error {
	var batch []logs.Line
	bytes := 0
	var stamp time.Time
	for {
		raw, continued, err := r.Next()
		if len(raw) > 0 && (err == nil || whole && errors.Is(err, io.EOF)) {
			text, ok := "", true
			if continued {
				text = strings.TrimSuffix(string(raw), "\n")
			} else {
				stamp, text, ok = logs.Split(raw)
			}
			if !ok {
				// The kubelet's own words stand in the log's place, without a stamp.
				p.flush(batch)
				return fmt.Errorf("%w: %s", errNoLog, text)
			}
			if line, fresh := p.accept(stamp, text); fresh {
				batch = append(batch, line)
				bytes += len(line.Text)
			}
			if p.takeGap() {
				last := batch[len(batch)-1]
				gap := last
				gap.Text, gap.Mark = "", logs.Gap
				batch = append(batch[:len(batch)-1], gap, last)
			}
		}
		if err != nil || len(batch) >= batchLines || bytes >= batchBytes || len(batch) > 0 && !r.Ready() {
			if !p.flush(batch) {
				return io.ErrClosedPipe
			}
			batch, bytes = nil, 0
		}
		if err != nil {
			return err
		}
	}
}

func (p *podLog) flush(batch []logs.Line) bool {
	if len(batch) == 0 {
		return true
	}
	p.last = batch[len(batch)-1].Time
	return p.source.Send(batch)
}

// accept tells whether a line is new, and makes it a Line.
func (p *podLog) accept(stamp time.Time, text string) (logs.Line, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard = time.Now()
	if !p.cursor.Accept(stamp, text) {
		return logs.Line{}, false
	}
	return logs.Line{Time: stamp, Role: p.role, Index: p.index, Pod: p.pod.Name, Text: text}, true
}

// takeGap tells once that the log was rotated past the place where the reader stood.
func (p *podLog) takeGap() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cursor.TakeGap()
}
