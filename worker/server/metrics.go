package server

import (
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/everystate/everystate/internal/platform/disk"
	"github.com/everystate/everystate/internal/telemetry/metrics"
	"github.com/everystate/everystate/internal/telemetry/tracing"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/worker"
)

// The metrics of a worker process.
var (
	workerInfo = metrics.NewMetric(metrics.Gauge, "everystate_worker_info", "1, with the worker's persistent name and its current run (empty for none)", "worker", "run")

	expandedTotal  = metrics.NewMetric(metrics.Counter, "everystate_worker_expanded_states_total", "states expanded")
	generatedTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_generated_successors_total", "successors generated, duplicates and pruned moves included")
	arrivedTotal   = metrics.NewMetric(metrics.Counter, "everystate_worker_candidates_total", "candidates received for this worker's partitions, local or remote")
	newTotal       = metrics.NewMetric(metrics.Counter, "everystate_worker_new_states_total", "distinct new states written")
	droppedTotal   = metrics.NewMetric(metrics.Counter, "everystate_worker_duplicates_total", "candidates dropped as duplicates")

	attemptsTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_attempts_total", "attempts started, at a layer or at moving partitions")
	failuresTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_failures_total", "of these, failed attempts")
	stageSeconds  = metrics.NewMetric(metrics.Histogram, "everystate_worker_stage_seconds", "duration of a stage of an attempt (expand, write, move)", "stage")

	depthNow      = metrics.NewMetric(metrics.Gauge, "everystate_worker_layer", "depth of the layer in progress, or of the last one")
	partitionsNow = metrics.NewMetric(metrics.Gauge, "everystate_worker_partitions", "partitions of this worker in the attempt in progress")

	offeredTotal   = metrics.NewMetric(metrics.Counter, "everystate_worker_exchange_offered_candidates_total", "candidates generated here for partitions of other workers")
	sentTotal      = metrics.NewMetric(metrics.Counter, "everystate_worker_exchange_sent_candidates_total", "of these, candidates sent, after deduplication within each chunk")
	sentBytesTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_exchange_sent_bytes_total", "bytes of candidate messages sent to other workers")
	receivedTotal  = metrics.NewMetric(metrics.Counter, "everystate_worker_exchange_received_candidates_total", "candidates received from other workers")

	misroutedTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_misrouted_calls_total", "calls refused because they were meant for another worker or for a different run of the same name")

	spilledTotal    = metrics.NewMetric(metrics.Counter, "everystate_worker_spilled_bytes_total", "bytes of candidates spilled to disk because memory was full")
	layerHits       = metrics.NewMetric(metrics.Counter, "everystate_worker_layer_cache_hits_total", "partitions of layers read from memory")
	layerMisses     = metrics.NewMetric(metrics.Counter, "everystate_worker_layer_cache_misses_total", "partitions of layers read from disk")
	layerCacheBytes = metrics.NewMetric(metrics.Gauge, "everystate_worker_layer_cache_bytes", "memory used for blocks of recent layers")

	fetchedTotal  = metrics.NewMetric(metrics.Counter, "everystate_worker_fetched_states_total", "states of partitions moved to this worker")
	uploadedTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_uploaded_bytes_total", "bytes of layers written to the bucket")
	scrubbedTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_scrubbed_bytes_total", "bytes of stores read again to find damage")
	damageTotal   = metrics.NewMetric(metrics.Counter, "everystate_worker_damaged_stores_total", "damaged stores found, by reading again or otherwise")
	memoryBudget  = metrics.NewMetric(metrics.Gauge, "everystate_worker_memory_budget_bytes", "the budget set by --memory")
	diskFree      = metrics.NewMetric(metrics.Gauge, "everystate_worker_disk_free_bytes", "free space at --data, for this user")
	diskSize      = metrics.NewMetric(metrics.Gauge, "everystate_worker_disk_size_bytes", "size of the file system at --data")
	lastAnswer    = metrics.NewMetric(metrics.Gauge, "everystate_worker_coordinator_answer_timestamp_seconds", "Unix time of the coordinator's last answer; 0 if it never answered")
)

// Metrics that Pebble reports of the open stores, one store per run.
var (
	pebbleCacheHits   = pebbleMetric(metrics.Counter, "block_cache_hits_total", "blocks found in the block cache")
	pebbleCacheMisses = pebbleMetric(metrics.Counter, "block_cache_misses_total", "blocks read from disk")
	pebbleCacheBytes  = pebbleMetric(metrics.Gauge, "block_cache_bytes", "size of the block cache")
	pebbleCompactions = pebbleMetric(metrics.Counter, "compactions_total", "finished compactions")
	pebbleCompacting  = pebbleMetric(metrics.Gauge, "compactions_in_progress", "compactions in progress")
	pebbleCompactTime = pebbleMetric(metrics.Counter, "compaction_seconds_total", "time spent in compactions")
	pebbleDebt        = pebbleMetric(metrics.Gauge, "compaction_debt_bytes", "estimate of the bytes that compactions have yet to write")
	pebbleFlushes     = pebbleMetric(metrics.Counter, "flushes_total", "memtables flushed")
	pebbleIngests     = pebbleMetric(metrics.Counter, "ingests_total", "ingestions of finished tables")
	pebbleIngested    = pebbleMetric(metrics.Counter, "ingested_bytes_total", "bytes of ingested tables")
	pebbleCompacted   = pebbleMetric(metrics.Counter, "compacted_bytes_total", "bytes written by compactions")
	pebbleFlushed     = pebbleMetric(metrics.Counter, "flushed_bytes_total", "bytes written by flushes")
	pebbleMemTable    = pebbleMetric(metrics.Gauge, "memtable_bytes", "memory for small writes not yet flushed")
	pebbleTables      = pebbleMetric(metrics.Gauge, "tables", "tables on disk")
	pebbleDisk        = pebbleMetric(metrics.Gauge, "disk_bytes", "size of Pebble's files on disk")
	pebbleReadAmp     = pebbleMetric(metrics.Gauge, "read_amplification", "tables that a lookup may have to read")
	pebbleWAL         = pebbleMetric(metrics.Counter, "wal_written_bytes_total", "bytes written to the log")
)

func pebbleMetric(kind metrics.Kind, name, help string) *metrics.Metric {
	return metrics.NewMetric(kind, "everystate_pebble_"+name, help, "run")
}

// Metrics returns the metrics of a worker process, for the documents.
func Metrics() []*metrics.Metric {
	return append(countedMetrics(), stageSeconds)
}

func countedMetrics() []*metrics.Metric {
	return []*metrics.Metric{
		workerInfo, expandedTotal, generatedTotal, arrivedTotal, newTotal, droppedTotal, attemptsTotal, failuresTotal,
		depthNow, partitionsNow, offeredTotal, sentTotal, sentBytesTotal, receivedTotal, misroutedTotal, spilledTotal,
		layerHits, layerMisses, layerCacheBytes, fetchedTotal, uploadedTotal, scrubbedTotal, damageTotal, memoryBudget, diskFree, diskSize, lastAnswer,
		pebbleCacheHits, pebbleCacheMisses, pebbleCacheBytes, pebbleCompactions, pebbleCompacting, pebbleCompactTime, pebbleDebt,
		pebbleFlushes, pebbleIngests, pebbleIngested, pebbleCompacted, pebbleFlushed, pebbleMemTable, pebbleTables, pebbleDisk,
		pebbleReadAmp, pebbleWAL,
	}
}

// Healthy returns why the process cannot continue, or nil.
func (s *Stats) Healthy() error {
	if s.broken.Load() {
		return errBroken
	}
	return nil
}

// totals adds up the work of this process's lanes, including those that have ended.
type totals struct {
	mu    sync.Mutex // guards the fields below
	lanes []*worker.Progress
	gone  work

	run               string
	depth, partitions int
}

// work is what a set of lanes has done.
type work struct {
	expanded, generated, arrived, written, dropped, spilled, hits, misses, cached int64
}

func (w *work) add(p *worker.Progress) {
	w.expanded += p.Expanded.Load()
	w.generated += p.Generated.Load()
	w.arrived += p.Arrived.Load()
	w.written += p.Written.Load()
	w.dropped += p.Dropped.Load()
	w.spilled += p.SpilledBytes.Load()
	w.hits += p.CacheHits.Load()
	w.misses += p.CacheMisses.Load()
	w.cached += p.CacheBytes.Load()
}

// enter begins counting a lane of a run.
func (t *totals) enter(run string, p *worker.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.run = run
	t.lanes = append(t.lanes, p)
}

// leave stops counting all current lanes.
func (t *totals) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.lanes {
		t.gone.add(p)
	}
	t.lanes, t.run, t.partitions = nil, "", 0
	t.gone.cached = 0
}

func (t *totals) at(depth, partitions int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.depth, t.partitions = depth, partitions
}

// sum returns the work done in total, and what is in progress.
func (t *totals) sum() (w work, run string, depth, partitions int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w = t.gone
	for _, p := range t.lanes {
		w.add(p)
	}
	return w, t.run, t.depth, t.partitions
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
	m = &meter{name: name, opts: opts, stores: s, stages: stageSeconds.NewHistogram(metrics.SecondsBounds())}
	if opts.Metrics == nil {
		return m, func() {}
	}
	counted := &metrics.Source{Metrics: countedMetrics(), Read: m.read}
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
	w, run, depth, partitions := s.work.sum()
	put(workerInfo, 1, m.name, run)
	for _, c := range []struct {
		metric *metrics.Metric
		value  int64
	}{
		{expandedTotal, w.expanded},
		{generatedTotal, w.generated},
		{arrivedTotal, w.arrived},
		{newTotal, w.written},
		{droppedTotal, w.dropped},
		{attemptsTotal, s.Attempts.Load()},
		{failuresTotal, s.Failures.Load()},
		{depthNow, int64(depth)},
		{partitionsNow, int64(partitions)},
		{offeredTotal, s.Candidates.Load()},
		{sentTotal, s.Sent.Load()},
		{sentBytesTotal, s.WireBytes.Load()},
		{receivedTotal, s.Received.Load()},
		{misroutedTotal, s.Misrouted.Load()},
		{spilledTotal, w.spilled},
		{layerHits, w.hits},
		{layerMisses, w.misses},
		{layerCacheBytes, w.cached},
		{fetchedTotal, s.Fetched.Load()},
		{uploadedTotal, s.Uploaded.Load()},
		{scrubbedTotal, m.stores.mender.Pace.Bytes.Load()},
		{damageTotal, m.stores.mender.Found.Load()},
		{memoryBudget, m.opts.MemoryBytes},
	} {
		put(c.metric, float64(c.value))
	}
	put(lastAnswer, float64(s.Answered.Load())/1e9)
	if space, err := disk.SpaceOf(m.opts.Data); err == nil {
		put(diskFree, float64(space.Free))
		put(diskSize, float64(space.Size))
	}
	for _, run := range m.stores.metrics() {
		readPebble(put, run.name, run.metrics)
	}
}

func readPebble(put metrics.Put, run string, p *pebble.Metrics) {
	total := p.Total()
	for _, c := range []struct {
		metric *metrics.Metric
		value  float64
	}{
		{pebbleCacheHits, float64(p.BlockCache.Hits)},
		{pebbleCacheMisses, float64(p.BlockCache.Misses)},
		{pebbleCacheBytes, float64(p.BlockCache.Size)},
		{pebbleCompactions, float64(p.Compact.Count)},
		{pebbleCompacting, float64(p.Compact.NumInProgress)},
		{pebbleCompactTime, p.Compact.Duration.Seconds()},
		{pebbleDebt, float64(p.Compact.EstimatedDebt)},
		{pebbleFlushes, float64(p.Flush.Count)},
		{pebbleIngests, float64(p.Ingest.Count)},
		{pebbleIngested, float64(total.TableBytesIngested)},
		{pebbleCompacted, float64(total.TableBytesCompacted)},
		{pebbleFlushed, float64(total.TableBytesFlushed)},
		{pebbleMemTable, float64(p.MemTable.Size)},
		{pebbleTables, float64(total.TablesCount)},
		{pebbleDisk, float64(p.DiskSpaceUsage())},
		{pebbleReadAmp, float64(p.ReadAmp())},
		{pebbleWAL, float64(p.WAL.BytesWritten)},
	} {
		put(c.metric, c.value, run)
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
		if m := k.store.Metrics(); m != nil {
			all = append(all, runMetrics{name, m})
		}
	}
	return all
}
