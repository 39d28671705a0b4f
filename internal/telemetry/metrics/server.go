package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Bounds of what a caller may use.
const (
	headerBytesMax = 16 << 10
	readTimeout    = 5 * time.Second
	writeTimeout   = 30 * time.Second
	idleTimeout    = 2 * time.Minute
	scrapesMax     = 4 // pages at a time

	// profileTimeout bounds the answer to a request for a profile.
	profileTimeout = 5 * time.Minute
)

// stopWait is how long responses in progress may take at the end.
const stopWait = time.Second

// NewRegistry returns a registry with the runtime's and the operating system's
// metrics of this process.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return r
}

// Build identifies the program.
var Build = NewMetric(Gauge, "everystate_build_info", "1, with the version of the program as labels", "version", "commit", "go_version")

// RegisterBuild registers Build.
func RegisterBuild(to prometheus.Registerer, version, commit, goVersion string) {
	to.MustRegister(&Source{
		Metrics: []*Metric{Build},
		Read:    func(put Put) { put(Build, 1, version, commit, goVersion) },
	})
}

// Pages returns the pages for metrics and health. Healthy returns what is wrong, or
// nil.
func Pages(from prometheus.Gatherer, healthy func() error) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(from, promhttp.HandlerOpts{MaxRequestsInFlight: scrapesMax}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if err := healthy(); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintln(w, err)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}

// Profiles returns the pages of net/http/pprof.
func Profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// A Server answers requests until it is stopped.
type Server struct {
	http   *http.Server
	addr   net.Addr
	served chan error
}

// Serve starts to serve at an address.
func Serve(ctx context.Context, address string, pages http.Handler) (*Server, error) {
	return serve(ctx, address, pages, writeTimeout)
}

// ServeProfiles serves Profiles, which take longer.
func ServeProfiles(ctx context.Context, address string) (*Server, error) {
	return serve(ctx, address, Profiles(), profileTimeout)
}

func serve(ctx context.Context, address string, pages http.Handler, timeout time.Duration) (*Server, error) {
	var config net.ListenConfig
	lis, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Server{
		http: &http.Server{
			Handler: pages, ReadTimeout: readTimeout, WriteTimeout: timeout, IdleTimeout: idleTimeout, MaxHeaderBytes: headerBytesMax,
		},
		addr: lis.Addr(), served: make(chan error, 1),
	}
	go func() { s.served <- s.http.Serve(lis) }()
	return s, nil
}

// Addr returns the address that the server listens at.
func (s *Server) Addr() string { return s.addr.String() }

// Stop stops the server, cutting off slow responses.
func (s *Server) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopWait)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
