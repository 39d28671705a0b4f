package cluster

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.opentelemetry.io/otel"
	"google.golang.org/grpc"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/telemetry/metrics"
	"github.com/everystate/everystate/internal/telemetry/tracing"
)

// observing holds the flags for observing a process.
type observing struct {
	metrics, pprof string
	format         string
	otlp           string
}

// The formats of the log.
const (
	textLog = "text"
	jsonLog = "json"
)

func (o *observing) observeFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.metrics, "metrics", "", "serve /metrics and /healthz over HTTP, without authentication, at `ADDR`, HOST:PORT or :PORT for loopback")
	flags.StringVar(&o.pprof, "pprof", "", "serve profiles at `ADDR`, which must be on loopback")
	flags.StringVar(&o.otlp, "otlp-endpoint", "", "send a trace of each layer to the OpenTelemetry collector at `URL`, such as http://127.0.0.1:4317 (default: $OTEL_EXPORTER_OTLP_ENDPOINT, or none)")
	flags.StringVar(&o.format, "log-format", textLog, "log as `FORMAT`, text for people or json for machines")
	shell.Choices(flags, "log-format", textLog, jsonLog)
}

func (o *observing) check(cmd *cobra.Command) error {
	for _, f := range []struct {
		name  string
		value *string
	}{{"metrics", &o.metrics}, {"pprof", &o.pprof}} {
		if *f.value == "" {
			continue
		}
		host, port, err := net.SplitHostPort(*f.value)
		if err != nil {
			return exit.Usagef(cmd, "--%s %q: must be HOST:PORT or :PORT", f.name, *f.value)
		}
		*f.value = net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port)
	}
	if u, err := url.Parse(o.otlp); o.otlp != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return exit.Usagef(cmd, "--otlp-endpoint %q: must be http://HOST:PORT or https://HOST:PORT", o.otlp)
	}
	if o.pprof != "" && !runs.IsLoopback(o.pprof) {
		return exit.Usagef(cmd, "--pprof %s: must be on this machine: 127.0.0.1 or localhost", o.pprof)
	}
	return nil
}

// newLog returns a log that writes one line per event.
func (o *observing) newLog(w io.Writer) *slog.Logger {
	if o.format == jsonLog {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// observed is a process that can be observed.
type observed struct {
	registry *prometheus.Registry // nil without metrics
	servers  []*metrics.Server
	traces   *tracing.Tracer // nil without tracing

	serve []grpc.ServerOption
	dial  []grpc.DialOption
}

// observe sets up what the flags ask for. The caller must call open once it knows how to
// check its health, and stop in any case.
func (o *observing) observe(ctx context.Context, service string, b shell.Build, log *slog.Logger) (*observed, error) {
	p := &observed{}
	if o.otlp != "" || slices.ContainsFunc(tracing.EndpointVars(), func(name string) bool { return os.Getenv(name) != "" }) {
		otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces are not delivered", "error", shell.OneLine(err)) }))
		traces, err := tracing.Open(ctx, o.otlp, service, b.Number)
		if err != nil {
			return nil, exit.Errorf(exit.Failed, "--otlp-endpoint: %v", err)
		}
		p.traces = traces
	}
	if o.pprof != "" {
		server, err := metrics.ServeProfiles(ctx, o.pprof)
		if err != nil {
			return nil, exit.Errorf(exit.Failed, "--pprof: %v", err)
		}
		p.servers = append(p.servers, server)
		log.Info("profiles are served", "address", server.Addr())
	}
	if o.metrics == "" {
		return p, nil
	}
	p.registry = metrics.NewRegistry()
	metrics.RegisterBuild(p.registry, b.Number, b.Commit, runtime.Version())
	p.serve = []grpc.ServerOption{grpc.StatsHandler(metrics.NewServerCalls(p.registry))}
	p.dial = []grpc.DialOption{grpc.WithStatsHandler(metrics.NewClientCalls(p.registry))}
	return p, nil
}

// registerer returns where metrics are registered, or nil without metrics.
func (p *observed) registerer() prometheus.Registerer {
	if p.registry == nil {
		return nil
	}
	return p.registry
}

// open serves the metrics.
func (p *observed) open(ctx context.Context, o *observing, healthy func() error, log *slog.Logger) error {
	if p.registry == nil {
		return nil
	}
	server, err := metrics.Serve(ctx, o.metrics, metrics.Pages(p.registry, healthy))
	if err != nil {
		return exit.Errorf(exit.Failed, "--metrics: %v", err)
	}
	p.servers = append(p.servers, server)
	log.Info("metrics are served", "address", server.Addr(), "pages", "/metrics /healthz")
	return nil
}

// tracesWait is how long sending the last traces may take.
const tracesWait = 2 * time.Second

// stop ends the servers.
func (p *observed) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), tracesWait)
	defer cancel()
	// An unreachable collector is not a failure of the traced process.
	_ = p.traces.Close(ctx)
	var first error
	for _, s := range p.servers {
		if err := s.Stop(); err != nil {
			first = cmp.Or(first, fmt.Errorf("serve %s: %w", s.Addr(), err))
		}
	}
	return first
}
