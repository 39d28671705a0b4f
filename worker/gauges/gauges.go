// Package gauges has the names of a worker's metrics, and adds up what its lanes do. It
// must not know how the rest is measured.
package gauges

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/everystate/everystate/internal/telemetry/metrics"
	"github.com/everystate/everystate/worker"
)

// The metrics of a worker process.
var (
	WorkerInfo = metrics.NewMetric(metrics.Gauge, "everystate_worker_info", "1, with the worker's persistent name and its current run (empty for none)", "worker", "run")

	ExpandedTotal  = metrics.NewMetric(metrics.Counter, "everystate_worker_expanded_states_total", "states expanded")
	GeneratedTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_generated_successors_total", "successors generated, duplicates and pruned moves included")
	ArrivedTotal   = metrics.NewMetric(metrics.Counter, "everystate_worker_candidates_total", "candidates received for this worker's partitions, local or remote")
	NewTotal       = metrics.NewMetric(metrics.Counter, "everystate_worker_new_states_total", "distinct new states written")
	DroppedTotal   = metrics.NewMetric(metrics.Counter, "everystate_worker_duplicates_total", "candidates dropped as duplicates")

	AttemptsTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_attempts_total", "attempts started, at a layer or at moving partitions")
	FailuresTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_failures_total", "of these, failed attempts")
	StageSeconds  = metrics.NewMetric(metrics.Histogram, "everystate_worker_stage_seconds", "duration of a stage of an attempt (expand, write, move)", "stage")

	DepthNow      = metrics.NewMetric(metrics.Gauge, "everystate_worker_layer", "depth of the layer in progress, or of the last one")
	PartitionsNow = metrics.NewMetric(metrics.Gauge, "everystate_worker_partitions", "partitions of this worker in the attempt in progress")

	OfferedTotal   = metrics.NewMetric(metrics.Counter, "everystate_worker_exchange_offered_candidates_total", "candidates generated here for partitions of other workers")
	SentTotal      = metrics.NewMetric(metrics.Counter, "everystate_worker_exchange_sent_candidates_total", "of these, candidates sent, after deduplication within each chunk")
	SentBytesTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_exchange_sent_bytes_total", "bytes of candidate messages sent to other workers")
	ReceivedTotal  = metrics.NewMetric(metrics.Counter, "everystate_worker_exchange_received_candidates_total", "candidates received from other workers")

	MisroutedTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_misrouted_calls_total", "calls refused because they were meant for another worker or for a different run of the same name")

	SpilledTotal    = metrics.NewMetric(metrics.Counter, "everystate_worker_spilled_bytes_total", "bytes of candidates spilled to disk because memory was full")
	LayerHits       = metrics.NewMetric(metrics.Counter, "everystate_worker_layer_cache_hits_total", "partitions of layers read from memory")
	LayerMisses     = metrics.NewMetric(metrics.Counter, "everystate_worker_layer_cache_misses_total", "partitions of layers read from disk")
	LayerCacheBytes = metrics.NewMetric(metrics.Gauge, "everystate_worker_layer_cache_bytes", "memory used for blocks of recent layers")

	FetchedTotal  = metrics.NewMetric(metrics.Counter, "everystate_worker_fetched_states_total", "states of partitions moved to this worker, before, in or after the move")
	UploadedTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_uploaded_bytes_total", "bytes of layers written to the bucket")
	ScrubbedTotal = metrics.NewMetric(metrics.Counter, "everystate_worker_scrubbed_bytes_total", "bytes of stores read again to find damage")
	DamageTotal   = metrics.NewMetric(metrics.Counter, "everystate_worker_damaged_stores_total", "damaged stores found, by reading again or otherwise")
	MemoryBudget  = metrics.NewMetric(metrics.Gauge, "everystate_worker_memory_budget_bytes", "the budget set by --memory")
	DiskFree      = metrics.NewMetric(metrics.Gauge, "everystate_worker_disk_free_bytes", "free space at --data, for this user")
	DiskSize      = metrics.NewMetric(metrics.Gauge, "everystate_worker_disk_size_bytes", "size of the file system at --data")
	LastAnswer    = metrics.NewMetric(metrics.Gauge, "everystate_worker_coordinator_answer_timestamp_seconds", "Unix time of the coordinator's last answer; 0 if it never answered")
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

// Metrics returns all metrics of a worker process.
func Metrics() []*metrics.Metric {
	return append(Counted(), StageSeconds)
}

// Counted returns those that are read when they are asked for.
func Counted() []*metrics.Metric {
	return []*metrics.Metric{
		WorkerInfo, ExpandedTotal, GeneratedTotal, ArrivedTotal, NewTotal, DroppedTotal, AttemptsTotal, FailuresTotal,
		DepthNow, PartitionsNow, OfferedTotal, SentTotal, SentBytesTotal, ReceivedTotal, MisroutedTotal, SpilledTotal,
		LayerHits, LayerMisses, LayerCacheBytes, FetchedTotal, UploadedTotal, ScrubbedTotal, DamageTotal, MemoryBudget, DiskFree, DiskSize, LastAnswer,
		pebbleCacheHits, pebbleCacheMisses, pebbleCacheBytes, pebbleCompactions, pebbleCompacting, pebbleCompactTime, pebbleDebt,
		pebbleFlushes, pebbleIngests, pebbleIngested, pebbleCompacted, pebbleFlushed, pebbleMemTable, pebbleTables, pebbleDisk,
		pebbleReadAmp, pebbleWAL,
	}
}

// Totals adds up the work of this process's lanes, including those that have ended.
type Totals struct {
	mu    sync.Mutex // guards the fields below
	lanes []*worker.Progress
	gone  Work

	run               string
	depth, partitions int
}

// Work is what a set of lanes has done.
type Work struct {
	Expanded, Generated, Arrived, Written, Dropped, Spilled, Hits, Misses, Cached int64
}

func (w *Work) add(p *worker.Progress) {
	w.Expanded += p.Expanded.Load()
	w.Generated += p.Generated.Load()
	w.Arrived += p.Arrived.Load()
	w.Written += p.Written.Load()
	w.Dropped += p.Dropped.Load()
	w.Spilled += p.SpilledBytes.Load()
	w.Hits += p.CacheHits.Load()
	w.Misses += p.CacheMisses.Load()
	w.Cached += p.CacheBytes.Load()
}

// Enter begins counting a lane of a run.
func (t *Totals) Enter(run string, p *worker.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.run = run
	t.lanes = append(t.lanes, p)
}

// Leave stops counting all current lanes.
func (t *Totals) Leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.lanes {
		t.gone.add(p)
	}
	t.lanes, t.run, t.partitions = nil, "", 0
	t.gone.Cached = 0
}

// At notes what is in progress.
func (t *Totals) At(depth, partitions int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.depth, t.partitions = depth, partitions
}

// Sum returns the work done in total, and what is in progress.
func (t *Totals) Sum() (w Work, run string, depth, partitions int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w = t.gone
	for _, p := range t.lanes {
		w.add(p)
	}
	return w, t.run, t.depth, t.partitions
}

// Put puts what lanes have done.
func (w *Work) Put(put metrics.Put) {
	for _, c := range []struct {
		metric *metrics.Metric
		value  int64
	}{
		{ExpandedTotal, w.Expanded},
		{GeneratedTotal, w.Generated},
		{ArrivedTotal, w.Arrived},
		{NewTotal, w.Written},
		{DroppedTotal, w.Dropped},
		{SpilledTotal, w.Spilled},
		{LayerHits, w.Hits},
		{LayerMisses, w.Misses},
		{LayerCacheBytes, w.Cached},
	} {
		put(c.metric, float64(c.value))
	}
}

// Pebble puts what Pebble reports of the store of a run.
func Pebble(put metrics.Put, run string, p *pebble.Metrics) {
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
