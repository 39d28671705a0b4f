package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// collected is a collector of traces that keeps them.
type collected struct {
	collector.UnimplementedTraceServiceServer
	mu    sync.Mutex // guards the fields below
	roots map[string]int64
	spans map[string][]string // names, by trace
	ids   map[string]string   // of the root, by trace
	of    map[string]string   // the service, by name of span
}

func (c *collected) Export(_ context.Context, req *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range req.GetResourceSpans() {
		service := ""
		for _, a := range r.GetResource().GetAttributes() {
			if a.GetKey() == "service.name" {
				service = a.GetValue().GetStringValue()
			}
		}
		for _, scope := range r.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				trace, parent := hex.EncodeToString(s.GetTraceId()), hex.EncodeToString(s.GetParentSpanId())
				c.of[s.GetName()] = service
				if parent == "" {
					c.ids[trace] = hex.EncodeToString(s.GetSpanId())
					for _, a := range s.GetAttributes() {
						if a.GetKey() == "everystate.states" {
							c.roots[trace] = a.GetValue().GetIntValue()
						}
					}
					continue
				}
				c.spans[trace] = append(c.spans[trace], s.GetName()+" "+parent)
			}
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

// TestTraces has a coordinator and two workers tell a collector of the layers of a run:
// each is a trace whose root is the coordinator's and whose stages are those of both
// workers, or of the one that makes small layers alone.
func TestTraces(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &collected{roots: map[string]int64{}, spans: map[string][]string{}, ids: map[string]string{}, of: map[string]string{}}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, c)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	url := fmt.Sprintf("--otlp-endpoint=http://%v", listener.Addr())

	dir := t.TempDir()
	addr := startServed(t, "coordinator", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "c"), url).says(t, "coordinator listens", "address")
	for _, name := range []string{"w1", "w2"} {
		startServed(t, "worker", "--coordinator", addr, "--data", filepath.Join(dir, name), "--memory", "64MiB", url).says(t, "worker starts", "address")
	}
	must(t, "submit", puzzleFile(t, "jam-93.txt"), "--coordinator", addr, "--wait", "--quiet")

	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	said := "nothing"
	for began := time.Now(); said != "" && time.Since(began) < 30*time.Second; <-ticker.C {
		said = c.lacks(24_132)
	}
	if said != "" {
		t.Error(said)
	}
	server.Stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// lacks says what is not there yet of the traces of a run with so many states, each
// layer made by two workers or by one of them.
func (c *collected) lacks(states int64) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var sum int64
	for trace, n := range c.roots {
		sum += n
		made := map[string]int{}
		for _, s := range c.spans[trace] {
			made[s]++
		}
		for _, stage := range []string{"expand", "write"} {
			if n := made[stage+" "+c.ids[trace]]; n < 1 || n > 2 {
				return fmt.Sprintf("%d times %s below the root of a layer: %v", n, stage, c.spans[trace])
			}
		}
	}
	switch {
	case sum != states:
		return fmt.Sprintf("%d states in %d layers", sum, len(c.roots))
	case c.of["layer"] != "everystate-coordinator" || c.of["expand"] != "everystate-worker":
		return fmt.Sprintf("services: %v", c.of)
	}
	return ""
}

// TestTracesRefused has the flag be no URL.
func TestTracesRefused(t *testing.T) {
	t.Parallel()
	r := call("", "coordinator", "--data", t.TempDir(), "--otlp-endpoint", "localhost:4317")
	if r.code != exit.Usage || !strings.Contains(r.errs, "must be http://HOST:PORT or https://HOST:PORT") {
		t.Errorf("%+v", r)
	}
}
