// Package tracing reports the time of layers to an OpenTelemetry collector: one trace
// per attempt at a layer. Its root is the layer, reported by the coordinator, with a
// span below it for each stage of each worker.
//
// The trace's identity need not be passed on: coordinator and workers derive it from
// the run and the attempt. A slow or unreachable collector must never hold up a run:
// spans are sent in the background, and dropped when too many are queued.
//
// A nil *Tracer reports nothing. All methods are safe for concurrent use.
package tracing

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// EndpointVars returns the environment variables that give a collector's address if
// no other setting does. The other variables that begin with OTEL_EXPORTER_OTLP apply
// as well.
func EndpointVars() []string {
	return []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"}
}

// Tracer reports layers.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// Open returns a tracer that reports to the collector at a URL, such as
// http://127.0.0.1:4317, or, if it is empty, where the environment says. It does not
// wait for the collector.
func Open(ctx context.Context, url, service, version string) (*Tracer, error) {
	var opts []otlptracegrpc.Option
	if url != "" {
		opts = append(opts, otlptracegrpc.WithEndpointURL(url))
	}
	exporter, err := otlptracegrpc.New(ctx, opts...)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithFromEnv(), resource.WithHost(), resource.WithAttributes(
		attribute.String("service.name", service), attribute.String("service.version", version),
	))
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about), sdktrace.WithIDGenerator(ids{}))
	return &Tracer{provider, provider.Tracer("github.com/everystate/everystate")}, nil
}

// Close sends what is queued, for as long as ctx lasts.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Attempt is an attempt at a layer.
type Attempt struct {
	Run   string
	Phase string
	Depth int
	Epoch uint64
}

// span returns the ids of the trace and of its root span.
func (a Attempt) span() (trace.TraceID, trace.SpanID) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d %d", a.Run, a.Phase, a.Depth, a.Epoch))
	return trace.TraceID(sum[:16]), trace.SpanID(sum[16:24])
}

func (a Attempt) attributes() []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("everystate.run", a.Run), attribute.String("everystate.phase", a.Phase),
		attribute.Int("everystate.layer", a.Depth), attribute.Int64("everystate.attempt", int64(a.Epoch)),
	}
}

// Layer reports an attempt that has just become a layer, with its counts.
func (t *Tracer) Layer(a Attempt, began time.Time, states, generated int64) {
	if t == nil {
		return
	}
	_, s := t.tracer.Start(context.WithValue(context.Background(), attemptKey{}, a), "layer",
		trace.WithTimestamp(began), trace.WithNewRoot(), trace.WithAttributes(a.attributes()...),
		trace.WithAttributes(attribute.Int64("everystate.states", states), attribute.Int64("everystate.generated", generated)))
	s.End()
}

// Stage reports a stage of an attempt that a worker has just finished.
func (t *Tracer) Stage(a Attempt, name, worker string, partitions int, began time.Time) {
	if t == nil {
		return
	}
	traceID, root := a.span()
	parent := trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: root, TraceFlags: trace.FlagsSampled, Remote: true})
	_, s := t.tracer.Start(trace.ContextWithRemoteSpanContext(context.Background(), parent), name,
		trace.WithTimestamp(began), trace.WithAttributes(a.attributes()...),
		trace.WithAttributes(attribute.String("everystate.worker", worker), attribute.Int("everystate.partitions", partitions)))
	s.End()
}

// attemptKey is the context key of a root's attempt.
type attemptKey struct{}

// ids derives the ids of roots from their attempts, and makes random ones for all
// other spans.
type ids struct{}

// NewIDs implements sdktrace.IDGenerator.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	a, _ := ctx.Value(attemptKey{}).(Attempt)
	return a.span()
}

// NewSpanID implements sdktrace.IDGenerator.
func (ids) NewSpanID(context.Context, trace.TraceID) trace.SpanID { return randomSpan() }
