package server

import (
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/everystate/everystate/internal/platform/disk"
	"github.com/everystate/everystate/internal/telemetry/metrics"
	"github.com/everystate/everystate/internal/telemetry/tracing"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/worker/gauges"
)

// Healthy returns why the process cannot continue, or nil.
func (s *Stats) Healthy() error {
	if s.broken.Load() {
		return errBroken
	}
	return nil
}

// meter provides the metrics of a worker process to Prometheus.
type meter struct {
	name   string
	opts   *Options
	stores *stores
	stages *prometheus.HistogramVec
}

// newMeter registers the metrics, if they are wanted, and returns how to unregister
// them.
func newMeter(opts *Options, name string, s *stores) (m *meter, unregister func()) {
	m = &meter{name: name, opts: opts, stores: s, stages: gauges.StageSeconds.NewHistogram(metrics.SecondsBounds())}
	if opts.Metrics == nil {
		return m, func() {}
	}
	counted := &metrics.Source{Metrics: gauges.Counted(), Read: m.read}
	opts.Metrics.MustRegister(counted, m.stages)
	return m, func() {
		opts.Metrics.Unregister(counted)
		opts.Metrics.Unregister(m.stages)
	}
}

// stageNames holds the label of each stage, by the stage that was reached.
var stageNames = map[everystatev1.Stage]string{
	everystatev1.Stage_STAGE_EXPANDED: "expand",
	everystatev1.Stage_STAGE_WRITTEN:  "write",
	everystatev1.Stage_STAGE_HELD:     "move",
}

func (m *meter) stage(reached everystatev1.Stage, at *attempt, run string, began time.Time) {
	phase := "forward"
	if at.target.Phase == goal {
		phase = "goal_distance"
	}
	a := tracing.Attempt{Run: run, Phase: phase, Depth: int(at.target.Layer), Epoch: uint64(at.target.Epoch)}
	m.opts.Traces.Stage(a, stageNames[reached], m.name, len(at.own), began)
	m.stages.WithLabelValues(stageNames[reached]).Observe(time.Since(began).Seconds())
}

func (m *meter) read(put metrics.Put) {
	s := m.opts.Stats
	w, run, depth, partitions := s.work.Sum()
	put(gauges.WorkerInfo, 1, m.name, run)
	for _, c := range []struct {
		metric *metrics.Metric
		value  int64
	}{
		{gauges.AttemptsTotal, s.Attempts.Load()},
		{gauges.FailuresTotal, s.Failures.Load()},
		{gauges.DepthNow, int64(depth)},
		{gauges.PartitionsNow, int64(partitions)},
		{gauges.OfferedTotal, s.Candidates.Load()},
		{gauges.SentTotal, s.Sent.Load()},
		{gauges.SentBytesTotal, s.WireBytes.Load()},
		{gauges.ReceivedTotal, s.Received.Load()},
		{gauges.MisroutedTotal, s.Misrouted.Load()},
		{gauges.FetchedTotal, s.Fetched.Load()},
		{gauges.UploadedTotal, s.Uploaded.Load()},
		{gauges.ScrubbedTotal, m.stores.mender.Pace.Bytes.Load()},
		{gauges.DamageTotal, m.stores.mender.Found.Load()},
		{gauges.MemoryBudget, m.opts.MemoryBytes},
	} {
		put(c.metric, float64(c.value))
	}
	w.Put(put)
	put(gauges.LastAnswer, float64(s.Answered.Load())/1e9)
	if space, err := disk.SpaceOf(m.opts.Data); err == nil {
		put(gauges.DiskFree, float64(space.Free))
		put(gauges.DiskSize, float64(space.Size))
	}
	for _, run := range m.stores.metrics() {
		gauges.Pebble(put, run.name, run.metrics)
	}
}

// runMetrics holds what Pebble reports of the store of a run.
type runMetrics struct {
	name    string
	metrics *pebble.Metrics
}

// metrics returns the metrics of all open stores.
func (s *stores) metrics() []runMetrics {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []runMetrics
	for name, k := range s.open {
		if m := k.Store.Metrics(); m != nil {
			all = append(all, runMetrics{name, m})
		}
	}
	return all
}
