package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// How often a source is polled while somebody watches, and how often a watcher is told
// that there is nothing new.
const (
	lookInterval = 500 * time.Millisecond
	stillThere   = 15 * time.Second
	writeTime    = 10 * time.Second
)

// hubs polls each source once for all its watchers.
type hubs struct {
	ctx  context.Context //nolint:containedctx // ends the watching, which outlives any request
	stop context.CancelFunc
	wait sync.WaitGroup

	mu       sync.Mutex // guards the fields below
	of       map[Source]*hub
	watchers int
}

// hub is what is known of a source.
type hub struct {
	stop     context.CancelFunc
	watchers map[chan struct{}]bool // each has one element if there is news

	// seen holds the last status of each run, and order their names; both are replaced,
	// never changed.
	seen    map[string][]byte
	order   []string
	trouble string
}

func (h *hubs) init() {
	h.ctx, h.stop = context.WithCancel(context.Background())
	h.of = make(map[Source]*hub)
}

func (h *hubs) close() {
	h.stop()
	h.wait.Wait()
}

var errWatchers = fmt.Errorf("%w: too many watchers", ErrRefused)

// join returns a channel that receives a message when there is news of a source.
func (h *hubs) join(source Source) (*hub, chan struct{}, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers >= watchersMax || h.ctx.Err() != nil {
		return nil, nil, errWatchers
	}
	h.watchers++
	news := make(chan struct{}, 1)
	b := h.of[source]
	if b == nil {
		ctx, stop := context.WithCancel(h.ctx)
		b = &hub{stop: stop, watchers: make(map[chan struct{}]bool)}
		h.of[source] = b
		h.wait.Go(func() { h.look(ctx, source, b) })
	}
	b.watchers[news] = true
	if b.seen != nil {
		news <- struct{}{}
	}
	return b, news, nil
}

// leave ends what join began.
func (h *hubs) leave(source Source, b *hub, news chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchers--
	delete(b.watchers, news)
	if len(b.watchers) == 0 {
		b.stop()
		delete(h.of, source)
	}
}

// look polls a source while it is watched.
func (h *hubs) look(ctx context.Context, source Source, b *hub) {
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	for {
		runs, err := source.Runs(ctx)
		if ctx.Err() != nil {
			return
		}
		h.tell(b, runs, err)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// tell notifies the watchers if anything differs from what was known.
func (h *hubs) tell(b *hub, runs []Run, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fresh := b.seen == nil
	trouble := ""
	if err != nil {
		trouble, runs = err.Error(), nil
	}
	fresh = fresh || trouble != b.trouble
	b.trouble = trouble
	seen, order := b.seen, b.order
	if err == nil || seen == nil {
		seen, order = make(map[string][]byte, len(runs)), make([]string, 0, len(runs))
	}
	for i := range runs {
		text, err := json.Marshal(&runs[i])
		if err != nil {
			continue // a NaN or infinity has no JSON; the run is shown once it is finite
		}
		order = append(order, runs[i].Name)
		seen[runs[i].Name] = text
		fresh = fresh || !bytes.Equal(b.seen[runs[i].Name], text)
	}
	fresh = fresh || len(seen) != len(b.seen)
	b.seen, b.order = seen, order
	if !fresh {
		return
	}
	for news := range b.watchers {
		select {
		case news <- struct{}{}:
		default: // has not been read yet
		}
	}
}

// events streams the changes of all runs: an event "runs" with the names, and an event
// "run" for each run that has changed.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	source, err := s.source(r)
	if err != nil {
		s.explain(w, r, err)
		return
	}
	b, news, err := s.hubs.join(source)
	if err != nil {
		s.explain(w, r, err)
		return
	}
	defer s.hubs.leave(source, b, news)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := &eventWriter{w: w, control: http.NewResponseController(w), told: make(map[string][]byte)}
	if err := out.control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return
	}
	calm := time.NewTicker(stillThere)
	defer calm.Stop()
	for {
		select {
		case <-news:
			s.hubs.mu.Lock()
			seen, order, trouble := b.seen, b.order, b.trouble
			s.hubs.mu.Unlock()
			err = out.news(seen, order, trouble)
		case <-calm.C:
			err = out.send(": still there\n\n")
		case <-r.Context().Done():
			return
		case <-s.hubs.ctx.Done():
			return
		}
		if err != nil {
			return // the watcher is gone
		}
	}
}

// eventWriter writes events.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	told    map[string][]byte
}

func (e *eventWriter) news(seen map[string][]byte, order []string, trouble string) error {
	var out bytes.Buffer
	head, err := json.Marshal(struct {
		Runs    []string `json:"runs"`
		Trouble string   `json:"trouble"`
	}{order, trouble})
	if err != nil {
		return err
	}
	for _, name := range order {
		if !bytes.Equal(e.told[name], seen[name]) {
			e.told[name] = seen[name]
			fmt.Fprintf(&out, "event: run\ndata: %s\n\n", seen[name])
		}
	}
	for name := range e.told {
		if seen[name] == nil {
			delete(e.told, name)
		}
	}
	fmt.Fprintf(&out, "event: runs\ndata: %s\n\n", head)
	return e.send(out.String())
}

// send sets its own deadline, as the stream has none.
func (e *eventWriter) send(text string) error {
	if err := e.control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	return e.control.Flush()
}
