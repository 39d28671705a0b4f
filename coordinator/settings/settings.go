// Package settings has what a coordinator is configured with, and the defaults. It must never
// act on any of it.
package settings

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"log/slog"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/telemetry/tracing"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/pace"
)

// ScrubBytes is how many bytes per second are read again unless something else is asked for.
const ScrubBytes = pace.PerSecond

// Options configures a coordinator.
type Options struct {
	// Data is the directory for the journals, in FS. A nil FS means that of the system.
	Data string
	FS   vfs.FS

	// Random returns random numbers, which distinguish runs from other runs, and journal
	// entries from those of other coordinators. Nil means the operating system's.
	Random func() uint64

	// LeaseMillis is how long a worker counts as present after a call, in milliseconds.
	// Zero means 10,000.
	LeaseMillis int

	// SettleMillis is how long no new worker may have come before a new run begins, in
	// milliseconds: its partitions stay with the workers present then. Zero means 1,000.
	SettleMillis int

	// SilenceMillis is how long a run may make no progress before the log says whom it
	// waits for and why, and before it repeats that, in milliseconds. Zero means 60,000.
	SilenceMillis int

	// Bucket is where runs are kept as well, so that they survive the loss of any
	// machine. Nil means nowhere. The caller closes it after Serve has returned.
	Bucket *bucket.Bucket

	// ScrubMillis is how often the objects of a run in the bucket are compared with its
	// log, in milliseconds. Zero means 600,000.
	ScrubMillis int

	// ScrubBytes is how many bytes per second of the objects in the bucket are read again,
	// to find damage, each no more often than every RereadMillis. Zero means 4 MiB, and
	// 86,400,000; a negative rate means never.
	ScrubBytes   int64
	RereadMillis int

	// SliceMillis is how long a run is worked on before one submitted later may come
	// first, in milliseconds; see core.First. Zero means 60,000.
	SliceMillis int

	// AloneStates, SpreadStates and AheadStates are Alone, Spread and Ahead of core.Options.
	AloneStates, SpreadStates, AheadStates int64

	// Adopt means that unfinished runs in the bucket that this coordinator does not know
	// are continued. Otherwise they wait to be resumed.
	Adopt bool

	// Log receives log records. Nil discards them.
	Log *slog.Logger

	// Sweeps returns the enumeration for rules. Nil means package kinds.
	Sweeps func(rules string) (sweep.Enumeration, error)

	// Metrics is where metrics are registered. Nil means nowhere.
	Metrics prometheus.Registerer

	// Traces traces layers. Nil means no tracing.
	Traces *tracing.Tracer

	// Serve and Dial hold options for transport security. Dial is for calling workers.
	Serve []grpc.ServerOption
	Dial  []grpc.DialOption
}

// EnsureDefaults sets what is zero or nil to its default.
func (o *Options) EnsureDefaults() {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Random == nil {
		o.Random = random
	}
	o.LeaseMillis = cmp.Or(o.LeaseMillis, 10_000)
	o.SettleMillis = cmp.Or(o.SettleMillis, 1000)
	o.SilenceMillis = cmp.Or(o.SilenceMillis, 60_000)
	o.ScrubMillis = cmp.Or(o.ScrubMillis, 600_000)
	o.ScrubBytes = cmp.Or(o.ScrubBytes, ScrubBytes)
	o.RereadMillis = cmp.Or(o.RereadMillis, 24*60*60*1000)
	o.SliceMillis = cmp.Or(o.SliceMillis, int(core.SliceTicks))
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// random returns an unpredictable number.
func random() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.BigEndian.Uint64(b[:])
}
