package metrics

import (
	"context"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// The metrics of calls. By convention, those of incoming calls begin with
// grpc_server, those of this process's own calls with grpc_client.
var (
	serverCalls   = NewMetric(Counter, "grpc_server_handled_total", "calls served", "grpc_service", "grpc_method", "grpc_code")
	serverSeconds = NewMetric(Histogram, "grpc_server_handling_seconds", "duration of calls served; a worker's Synchronize waits for orders", "grpc_service", "grpc_method")
	serverOpen    = NewMetric(Gauge, "grpc_server_connections", "open incoming connections")
	serverBytes   = NewMetric(Counter, "grpc_server_message_bytes_total", "bytes of messages on the wire, by direction (received, sent)", "direction")
	clientCalls   = NewMetric(Counter, "grpc_client_handled_total", "calls made", "grpc_service", "grpc_method", "grpc_code")
	clientSeconds = NewMetric(Histogram, "grpc_client_handling_seconds", "duration of calls made", "grpc_service", "grpc_method")
	clientOpen    = NewMetric(Gauge, "grpc_client_connections", "open outgoing connections")
	clientBytes   = NewMetric(Counter, "grpc_client_message_bytes_total", "bytes of messages on the wire, by direction (received, sent)", "direction")
)

// GRPC returns the metrics of calls, for the documents.
func GRPC() []*Metric {
	return []*Metric{
		serverCalls, serverSeconds, serverOpen, serverBytes, clientCalls, clientSeconds, clientOpen, clientBytes,
	}
}

// secondsBounds are the histogram bounds for durations: from a call on the local
// network to a layer that takes an hour.
var secondsBounds = []float64{.001, .005, .025, .1, .5, 2.5, 10, 60, 600, 3600}

// SecondsBounds returns a copy of these bounds.
func SecondsBounds() []float64 { return append([]float64(nil), secondsBounds...) }

// Calls counts calls. It is a stats.Handler.
type Calls struct {
	handled *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	open    prometheus.Gauge
	in, out prometheus.Counter
}

// NewServerCalls counts incoming calls.
func NewServerCalls(to prometheus.Registerer) *Calls {
	return newCalls(to, serverCalls, serverSeconds, serverOpen, serverBytes)
}

// NewClientCalls counts calls of this process.
func NewClientCalls(to prometheus.Registerer) *Calls {
	return newCalls(to, clientCalls, clientSeconds, clientOpen, clientBytes)
}

func newCalls(to prometheus.Registerer, handled, seconds, open, bytes *Metric) *Calls {
	conns, sizes := open.NewGauge(), bytes.NewCounter()
	c := &Calls{
		handled: handled.NewCounter(), seconds: seconds.NewHistogram(secondsBounds), open: conns.WithLabelValues(),
		in: sizes.WithLabelValues("received"), out: sizes.WithLabelValues("sent"),
	}
	to.MustRegister(c.handled, c.seconds, conns, sizes)
	return c
}

// methodOf is the key of a call's method in its context.
type methodOf struct{}

// TagRPC records which method is called.
func (c *Calls) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, methodOf{}, info.FullMethodName)
}

// HandleRPC counts a call.
func (c *Calls) HandleRPC(ctx context.Context, s stats.RPCStats) {
	switch s := s.(type) {
	case *stats.InPayload:
		c.in.Add(float64(s.WireLength))
	case *stats.OutPayload:
		c.out.Add(float64(s.WireLength))
	case *stats.End:
		full, _ := ctx.Value(methodOf{}).(string)
		service, method, _ := strings.Cut(strings.TrimPrefix(full, "/"), "/")
		code := status.Code(s.Error)
		if code == codes.Unimplemented || code > codes.Unauthenticated {
			// Callers can invent any number of methods that do not exist.
			service, method, code = "unknown", "unknown", codes.Unimplemented
		}
		c.handled.WithLabelValues(service, method, code.String()).Inc()
		c.seconds.WithLabelValues(service, method).Observe(s.EndTime.Sub(s.BeginTime).Seconds())
	}
}

// TagConn returns ctx unchanged.
func (c *Calls) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn counts connections.
func (c *Calls) HandleConn(_ context.Context, s stats.ConnStats) {
	switch s.(type) {
	case *stats.ConnBegin:
		c.open.Inc()
	case *stats.ConnEnd:
		c.open.Dec()
	}
}
