// Package gauges names the metrics of a coordinator and says what each means. It must
// never measure anything.
package gauges

import (
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/telemetry/metrics"
)

// The metrics of a coordinator. Those of a run come from its journal, so they continue
// where they were when the coordinator is restarted.
var (
	MemberPresent    = metrics.NewMetric(metrics.Gauge, "everystate_member_present", "1 if the worker is connected, 0 if it is lost", "worker")
	MemberDraining   = metrics.NewMetric(metrics.Gauge, "everystate_member_draining", "1 if the worker is draining", "worker")
	MemberSilent     = metrics.NewMetric(metrics.Gauge, "everystate_member_silent_seconds", "time since the worker last called", "worker")
	MemberPartitions = metrics.NewMetric(metrics.Gauge, "everystate_member_partitions", "partitions of the active run that the worker owns", "worker")
	MemberLate       = metrics.NewMetric(metrics.Gauge, "everystate_member_late", "1 if the active run is waiting for the worker to reach a stage", "worker")
	MembersLost      = metrics.NewMetric(metrics.Counter, "everystate_members_lost_total", "leases of workers that expired")
	AttemptsGivenUp  = metrics.NewMetric(metrics.Counter, "everystate_attempts_given_up_total", "attempts that failed on a worker")
	Misrouted        = metrics.NewMetric(metrics.Counter, "everystate_misrouted_calls_total", "reports and queries about a different run of the same name, refused")
	Unbalanced       = metrics.NewMetric(metrics.Counter, "everystate_unbalanced_attempts_total", "attempts abandoned because candidates sent and received differ")
	DamagedStores    = metrics.NewMetric(metrics.Counter, "everystate_damaged_stores_total", "damaged stores that workers have reported")
	DamagedObjects   = metrics.NewMetric(metrics.Counter, "everystate_damaged_objects_total", "damaged objects found in the bucket")
	ScrubbedBytes    = metrics.NewMetric(metrics.Counter, "everystate_scrubbed_bytes_total", "bytes of the bucket read again to find damage")

	RunState      = metrics.NewMetric(metrics.Gauge, "everystate_run_state", "1 for the current state of the run (queued, running, waiting, paused, stopped, cancelled, failed)", "run", "state")
	RunComplete   = metrics.NewMetric(metrics.Gauge, "everystate_run_complete", "1 if everything that was asked for has been found", "run")
	RunStates     = metrics.NewMetric(metrics.Gauge, "everystate_run_states", "distinct states in committed layers; for a sweep, whose phase is sweep, states of finished units", "run", "phase")
	RunGenerated  = metrics.NewMetric(metrics.Gauge, "everystate_run_generated_successors", "successors generated for committed layers", "run", "phase")
	RunDuplicates = metrics.NewMetric(metrics.Gauge, "everystate_run_duplicates", "of these, duplicates", "run", "phase")
	RunLayers     = metrics.NewMetric(metrics.Gauge, "everystate_run_layers", "committed layers", "run", "phase")
	RunBytes      = metrics.NewMetric(metrics.Gauge, "everystate_run_layer_bytes", "size of the blocks of committed layers", "run", "phase")
	RunSeconds    = metrics.NewMetric(metrics.Gauge, "everystate_run_layer_seconds", "time spent on committed layers", "run", "phase")

	RunUnits     = metrics.NewMetric(metrics.Gauge, "everystate_run_units", "units of a sweep", "run")
	RunUnitsDone = metrics.NewMetric(metrics.Gauge, "everystate_run_units_done", "of these, finished units", "run")
	RunRecords   = metrics.NewMetric(metrics.Gauge, "everystate_run_records", "records found by finished units", "run")

	ActiveLayer    = metrics.NewMetric(metrics.Gauge, "everystate_active_layer", "depth of the layer in progress", "run", "phase")
	ActiveFrontier = metrics.NewMetric(metrics.Gauge, "everystate_active_frontier_states", "states of the frontier being expanded", "run", "phase")
	ActiveExpanded = metrics.NewMetric(metrics.Gauge, "everystate_active_expanded_states", "of these, states expanded so far", "run", "phase")
	ActiveWritten  = metrics.NewMetric(metrics.Gauge, "everystate_active_written_states", "distinct states written in the attempt", "run", "phase")
	ActiveIdle     = metrics.NewMetric(metrics.Gauge, "everystate_active_idle_seconds", "time since the active run last made progress", "run")

	CheckpointPending = metrics.NewMetric(metrics.Gauge, "everystate_checkpoint_pending_layers", "committed layers not yet in the bucket", "run")
	CheckpointBytes   = metrics.NewMetric(metrics.Gauge, "everystate_checkpoint_pending_bytes", "size of these layers", "run")
	CheckpointAge     = metrics.NewMetric(metrics.Gauge, "everystate_checkpoint_lag_seconds", "age of the oldest of these layers", "run")
)

// All returns the metrics of a coordinator.
func All() []*metrics.Metric {
	return []*metrics.Metric{
		MemberPresent, MemberDraining, MemberSilent, MemberPartitions, MemberLate, MembersLost, AttemptsGivenUp, Misrouted, Unbalanced, DamagedStores, DamagedObjects, ScrubbedBytes,
		RunState, RunComplete, RunStates, RunGenerated, RunDuplicates, RunLayers, RunBytes, RunSeconds,
		RunUnits, RunUnitsDone, RunRecords,
		ActiveLayer, ActiveFrontier, ActiveExpanded, ActiveWritten, ActiveIdle,
		CheckpointPending, CheckpointBytes, CheckpointAge,
	}
}

// Phase returns the name of a phase in metrics, logs and traces.
func Phase(p history.Phase) string {
	if p == history.Goal {
		return "goal_distance"
	}
	return "forward"
}

// One returns the value of a metric that is 1 or 0.
func One(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
