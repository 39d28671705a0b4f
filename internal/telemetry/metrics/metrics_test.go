package metrics_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/internal/telemetry/metrics"
)

func page(t *testing.T, h http.Handler, path string) (code int, text string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
	return w.Code, w.Body.String()
}

// TestSource shows that a table is filled in anew for every page, and that no label
// can spoil one.
func TestSource(t *testing.T) {
	t.Parallel()
	var states atomic.Int64
	total := metrics.NewMetric(metrics.Counter, "states_total", "states", "run")
	registry := prometheus.NewRegistry()
	registry.MustRegister(&metrics.Source{
		Metrics: []*metrics.Metric{total},
		Read:    func(put metrics.Put) { put(total, float64(states.Load()), "a\xff") },
	})
	pages := metrics.Pages(registry, func() error { return nil })
	for _, n := range []int64{1, 7} {
		states.Store(n)
		code, text := page(t, pages, "/metrics")
		if want := `states_total{run="a?"} ` + string('0'+rune(n)); code != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%d\n%s\nhas no %s", code, text, want)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	var broken error
	pages := metrics.Pages(prometheus.NewRegistry(), func() error { return broken })
	if code, text := page(t, pages, "/healthz"); code != http.StatusOK || text != "ok\n" {
		t.Errorf("%d %q", code, text)
	}
	broken = errors.New("the disk is gone")
	if code, text := page(t, pages, "/healthz"); code != http.StatusServiceUnavailable || text != "the disk is gone\n" {
		t.Errorf("%d %q", code, text)
	}
	if code, _ := page(t, pages, "/debug/pprof/"); code != http.StatusNotFound {
		t.Errorf("profiles beside metrics: %d", code)
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	s, err := metrics.Serve(t.Context(), "127.0.0.1:0", metrics.Pages(metrics.NewRegistry(), func() error { return nil }))
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr()+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil || !strings.Contains(string(text), "go_goroutines ") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := metrics.Serve(t.Context(), s.Addr(), http.NotFoundHandler()); err == nil {
		t.Error("two servers at one address")
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// TestCallsOfStrangers shows that made-up methods make no new series.
func TestCallsOfStrangers(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	calls := metrics.NewServerCalls(registry)
	call := func(method string, err error) {
		ctx := calls.TagRPC(context.Background(), &stats.RPCTagInfo{FullMethodName: method})
		now := time.Now()
		calls.HandleRPC(ctx, &stats.InPayload{WireLength: 10})
		calls.HandleRPC(ctx, &stats.End{BeginTime: now, EndTime: now.Add(time.Second), Error: err})
	}
	call("/a.v1.S/M", nil)
	call("/a.v1.S/M", status.Error(codes.NotFound, "no"))
	for _, m := range []string{"/x/y", "/x/z", "nonsense"} {
		call(m, status.Error(codes.Unimplemented, "no such method"))
	}
	_, text := page(t, metrics.Pages(registry, nil), "/metrics")
	for _, want := range []string{
		`grpc_server_handled_total{grpc_code="OK",grpc_method="M",grpc_service="a.v1.S"} 1`,
		`grpc_server_handled_total{grpc_code="NotFound",grpc_method="M",grpc_service="a.v1.S"} 1`,
		`grpc_server_handled_total{grpc_code="Unimplemented",grpc_method="unknown",grpc_service="unknown"} 3`,
		`grpc_server_handling_seconds_sum{grpc_method="M",grpc_service="a.v1.S"} 2`,
		`grpc_server_message_bytes_total{direction="received"} 50`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// TestNames holds the names of this package to the conventions; those of others are
// held to them in internal/test/deploy.
func TestNames(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^(everystate|grpc)_[a-z0-9_]+$`)
	for _, m := range append(metrics.GRPC(), metrics.Build) {
		if !name.MatchString(m.Name) || (m.Kind == metrics.Counter) != strings.HasSuffix(m.Name, "_total") {
			t.Errorf("%s, a %v", m.Name, m.Kind)
		}
	}
}
