package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/kinds"
	"github.com/everystate/everystate/internal/telemetry/tracing"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/pace"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/exchange"
	"github.com/everystate/everystate/worker/gauges"
)

// ScrubBytes is how many bytes per second are read again unless something else is asked for.
const ScrubBytes = pace.PerSecond

// MemoryMin is the smallest memory budget, in bytes.
const MemoryMin = worker.MemoryMin

// Options configures a worker process.
type Options struct {
	// Coordinator is the address of the coordinator, as gRPC names targets: host:port.
	Coordinator string

	// Data is the directory of the worker's name and its runs, in FS; a nil FS means the
	// operating system's file system. The directory is made if necessary, and locked.
	Data string
	FS   vfs.FS

	// Listen is the address to serve on. Empty means 127.0.0.1 and any port.
	Listen string

	// Listener is served on instead of Listen. Nil means that Run listens, with TCP. Run
	// closes it.
	Listener net.Listener

	// Buckets opens a bucket by its URL. Nil means bucket.Open.
	Buckets func(ctx context.Context, url string) (*bucket.Bucket, error)

	// Random returns random numbers: for the worker's name, for the incarnation of this
	// process, and for the time between calls that fail. Nil means rand.Uint64.
	Random func() uint64

	// Advertise is the address at which others reach this worker. Empty means the
	// listener's, which must then name a host.
	Advertise string

	// Lanes is the number of workers side by side. Zero means one per core.
	Lanes int

	// Machine names the machine, whose Cores it shares with other workers that name the same
	// one. Empty means that it is not known which others are there.
	Machine string
	Cores   int

	// GatherStates is how many states of layers that a run no longer needs are left until
	// they are removed or put into its table. Zero means 262,144.
	GatherStates int64

	// MemoryBytes is the memory budget, at least MemoryMin. The caller sets the
	// runtime's memory limit.
	MemoryBytes int64

	// Weight is the worker's share of the partitions relative to others. Zero means one
	// for each MiB of memory.
	Weight uint32

	// ScrubBytes is how many bytes per second of what is kept are read again, to find
	// damage, a whole round no more often than ScrubEvery. Zero means 4 MiB, and a day;
	// a negative rate means never.
	ScrubBytes int64
	ScrubEvery time.Duration

	// Stood returns how long the process has stood still since it began. Nil means that
	// this is measured.
	Stood func() time.Duration

	// Dial and Serve are added to the options of connections and of the server;
	// without credentials among them, connections are not encrypted.
	Dial  []grpc.DialOption
	Serve []grpc.ServerOption

	// Drain, when closed, asks for an orderly end: the worker takes no further attempt,
	// and Run returns once the one under way is over. Nil means never.
	Drain <-chan struct{}

	// Version is that of the program: what another version has saved of an interrupted
	// proof is not used.
	Version string

	// Sweeps returns the enumeration of a sweep's rules. Nil means those of package
	// kinds.
	Sweeps func(rules string) (sweep.Enumeration, error)

	// Stats is where the worker counts. Nil means nowhere.
	Stats *Stats

	// Metrics is where metrics are registered. Nil means nowhere.
	Metrics prometheus.Registerer

	// Traces traces stages. Nil means no tracing.
	Traces *tracing.Tracer

	// BackOffMax bounds the time between two calls of a coordinator that does not
	// answer. Zero means 5 seconds.
	BackOffMax time.Duration

	// Log receives log records. Nil discards them.
	Log *slog.Logger
}

// Stats counts what a worker process has done. It may be read at any time.
type Stats struct {
	exchange.Counts

	Received  atomic.Int64 // candidates that arrived from other workers
	Attempts  atomic.Int64 // attempts begun
	Failures  atomic.Int64 // of these, those that failed
	Uploaded  atomic.Int64 // bytes of objects written to buckets
	Fetched   atomic.Int64 // states of partitions that were moved here
	Misrouted atomic.Int64 // calls meant for another worker or run, and refused
	Answered  atomic.Int64 // when the coordinator last answered, in Unix nanoseconds; 0 if never

	work   gauges.Totals
	broken atomic.Bool
}

func (o *Options) ensureDefaults() {
	o.GatherStates = cmp.Or(o.GatherStates, dropGather)
	o.ScrubBytes = cmp.Or(o.ScrubBytes, ScrubBytes)
	o.ScrubEvery = cmp.Or(o.ScrubEvery, 24*time.Hour)
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Listener != nil {
		o.Listen = o.Listener.Addr().String()
	}
	if o.Buckets == nil {
		o.Buckets = bucket.Open
	}
	if o.Random == nil {
		o.Random = rand.Uint64
	}
	o.Listen = cmp.Or(o.Listen, "127.0.0.1:0")
	o.Lanes = cmp.Or(o.Lanes, runtime.GOMAXPROCS(0))
	o.Weight = cmp.Or(o.Weight, uint32(min(max(1, o.MemoryBytes>>20), math.MaxUint32)))
	o.Stats = cmp.Or(o.Stats, new(Stats))
	o.BackOffMax = cmp.Or(o.BackOffMax, 5*time.Second)
	if o.Sweeps == nil {
		o.Sweeps = kinds.Open
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Validate returns what is wrong with the options, or nil.
func (o Options) Validate() error {
	o.ensureDefaults()
	return o.validate()
}

func (o *Options) validate() error {
	var errs []error
	if o.Coordinator == "" {
		errs = append(errs, errors.New("coordinator: no address"))
	}
	if o.Data == "" {
		errs = append(errs, errors.New("data: no directory"))
	}
	if o.Lanes < 1 || o.Lanes > worker.LanesMax {
		errs = append(errs, fmt.Errorf("%d lanes: must be 1 to %d", o.Lanes, worker.LanesMax))
	}
	if len(o.Machine) > 64 {
		errs = append(errs, fmt.Errorf("machine %q: longer than 64 bytes", o.Machine))
	}
	errs = append(errs, worker.CheckMemory(o.MemoryBytes))
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		errs = append(errs, fmt.Errorf("listen: %w", err))
	}
	switch ip := net.ParseIP(host); {
	case o.Advertise != "":
		if _, _, err := net.SplitHostPort(o.Advertise); err != nil {
			errs = append(errs, fmt.Errorf("advertise: %w", err))
		}
	case err == nil && (host == "" || ip != nil && ip.IsUnspecified()):
		errs = append(errs, fmt.Errorf("advertise: %s is not a host at which others can reach this worker", o.Listen))
	}
	return errors.Join(errs...)
}

// log logs in one line what has been exchanged.
func (s *Stats) log(to *slog.Logger) {
	to.Info("exchanged", "candidates", s.Candidates.Load(), "sent", s.Sent.Load(),
		"block_bytes", s.SentBytes.Load(), "wire_bytes", s.WireBytes.Load(), "received", s.Received.Load())
}
