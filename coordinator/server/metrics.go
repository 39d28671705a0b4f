package server

import (
	"slices"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/telemetry/metrics"
)

// The metrics of a coordinator. Those of a run come from its journal, so they continue
// where they were when the coordinator is restarted.
var (
	memberPresent    = metrics.NewMetric(metrics.Gauge, "everystate_member_present", "1 if the worker is connected, 0 if it is lost", "worker")
	memberDraining   = metrics.NewMetric(metrics.Gauge, "everystate_member_draining", "1 if the worker is draining", "worker")
	memberSilent     = metrics.NewMetric(metrics.Gauge, "everystate_member_silent_seconds", "time since the worker last called", "worker")
	memberPartitions = metrics.NewMetric(metrics.Gauge, "everystate_member_partitions", "partitions of the active run that the worker owns", "worker")
	memberLate       = metrics.NewMetric(metrics.Gauge, "everystate_member_late", "1 if the active run is waiting for the worker to reach a stage", "worker")
	membersLost      = metrics.NewMetric(metrics.Counter, "everystate_members_lost_total", "leases of workers that expired")
	attemptsGivenUp  = metrics.NewMetric(metrics.Counter, "everystate_attempts_given_up_total", "attempts that failed on a worker")
	misrouted        = metrics.NewMetric(metrics.Counter, "everystate_misrouted_calls_total", "reports and queries about a different run of the same name, refused")
	unbalanced       = metrics.NewMetric(metrics.Counter, "everystate_unbalanced_attempts_total", "attempts abandoned because candidates sent and received differ")

	runState      = metrics.NewMetric(metrics.Gauge, "everystate_run_state", "1 for the current state of the run (queued, running, waiting, paused, stopped, cancelled, failed)", "run", "state")
	runComplete   = metrics.NewMetric(metrics.Gauge, "everystate_run_complete", "1 if everything that was asked for has been found", "run")
	runStates     = metrics.NewMetric(metrics.Gauge, "everystate_run_states", "distinct states in committed layers; for a sweep, whose phase is sweep, states of finished units", "run", "phase")
	runGenerated  = metrics.NewMetric(metrics.Gauge, "everystate_run_generated_successors", "successors generated for committed layers", "run", "phase")
	runDuplicates = metrics.NewMetric(metrics.Gauge, "everystate_run_duplicates", "of these, duplicates", "run", "phase")
	runLayers     = metrics.NewMetric(metrics.Gauge, "everystate_run_layers", "committed layers", "run", "phase")
	runBytes      = metrics.NewMetric(metrics.Gauge, "everystate_run_layer_bytes", "size of the blocks of committed layers", "run", "phase")
	runSeconds    = metrics.NewMetric(metrics.Gauge, "everystate_run_layer_seconds", "time spent on committed layers", "run", "phase")

	runUnits     = metrics.NewMetric(metrics.Gauge, "everystate_run_units", "units of a sweep", "run")
	runUnitsDone = metrics.NewMetric(metrics.Gauge, "everystate_run_units_done", "of these, finished units", "run")
	runRecords   = metrics.NewMetric(metrics.Gauge, "everystate_run_records", "records found by finished units", "run")

	activeLayer    = metrics.NewMetric(metrics.Gauge, "everystate_active_layer", "depth of the layer in progress", "run", "phase")
	activeFrontier = metrics.NewMetric(metrics.Gauge, "everystate_active_frontier_states", "states of the frontier being expanded", "run", "phase")
	activeExpanded = metrics.NewMetric(metrics.Gauge, "everystate_active_expanded_states", "of these, states expanded so far", "run", "phase")
	activeWritten  = metrics.NewMetric(metrics.Gauge, "everystate_active_written_states", "distinct states written in the attempt", "run", "phase")
	activeIdle     = metrics.NewMetric(metrics.Gauge, "everystate_active_idle_seconds", "time since the active run last made progress", "run")

	checkpointPending = metrics.NewMetric(metrics.Gauge, "everystate_checkpoint_pending_layers", "committed layers not yet in the bucket", "run")
	checkpointBytes   = metrics.NewMetric(metrics.Gauge, "everystate_checkpoint_pending_bytes", "size of these layers", "run")
	checkpointAge     = metrics.NewMetric(metrics.Gauge, "everystate_checkpoint_lag_seconds", "age of the oldest of these layers", "run")
)

// Metrics returns the metrics of a coordinator, for the documents.
func Metrics() []*metrics.Metric {
	return []*metrics.Metric{
		memberPresent, memberDraining, memberSilent, memberPartitions, memberLate, membersLost, attemptsGivenUp, misrouted, unbalanced,
		runState, runComplete, runStates, runGenerated, runDuplicates, runLayers, runBytes, runSeconds,
		runUnits, runUnitsDone, runRecords,
		activeLayer, activeFrontier, activeExpanded, activeWritten, activeIdle,
		checkpointPending, checkpointBytes, checkpointAge,
	}
}

// meter reports the metrics of a coordinator to Prometheus.
type meter struct{ *Server }

// register registers the meter, if metrics are wanted, and returns how to unregister it.
func (s *meter) register() (unregister func()) {
	if s.opts.Metrics == nil {
		return func() {}
	}
	source := &metrics.Source{Metrics: Metrics(), Read: s.measure}
	s.opts.Metrics.MustRegister(source)
	return func() { s.opts.Metrics.Unregister(source) }
}

func (s *meter) measure(put metrics.Put) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(membersLost, float64(s.lost))
	put(attemptsGivenUp, float64(s.attemptsGivenUp))
	put(misrouted, float64(s.misrouted))
	put(unbalanced, float64(s.unbalanced))
	s.measureMembers(put)
	for _, r := range s.runs {
		measureRun(put, r, s.stateOf(r))
	}
	if s.active != nil {
		put(activeIdle, float64(s.active.pace.Idle(s.now()))/1e3, s.active.name)
	}
}

func (s *meter) measureMembers(put metrics.Put) {
	var place *history.Placement
	if s.active != nil {
		place = s.active.job.past().Placement()
	}
	for _, m := range s.members {
		is := s.roster.Of(m.name)
		put(memberPresent, one(is.Present), m.name)
		put(memberDraining, one(is.Draining), m.name)
		put(memberSilent, s.silence(m.name).Seconds(), m.name)
		late := s.active != nil && m.run == s.active && m.attempt != nil && m.report.GetStage() < m.attempt.GetStage()
		put(memberLate, one(late), m.name)
		parts := 0
		if place != nil {
			if id := slices.Index(place.Workers, m.name); id >= 0 {
				parts = partitionsOf(place, history.WorkerID(id))
			}
		}
		put(memberPartitions, float64(parts), m.name)
	}
}

// stateOf returns the state of a run as clients see it.
func (s *Server) stateOf(r *run) history.State {
	if r != s.active {
		return r.control.State
	}
	if _, waits := r.job.waitingFor(); waits || !r.job.working() {
		return history.Waiting
	}
	return r.control.State
}

func measureRun(put metrics.Put, r *run, state history.State) {
	for _, other := range history.States() {
		if other != state {
			put(runState, 0, r.name, other.String())
		}
	}
	put(runState, 1, r.name, state.String())
	put(runComplete, one(r.job.complete()), r.name)
	r.job.measure(put)
	b := r.backup
	if b == nil {
		return
	}
	var age time.Duration
	for _, u := range b.copy.Pending() {
		age = max(age, time.Since(u.Since))
	}
	put(checkpointPending, float64(len(b.copy.Pending())), r.name)
	put(checkpointBytes, float64(b.copy.Bytes()), r.name)
	put(checkpointAge, age.Seconds(), r.name)
}

func phaseName(p history.Phase) string {
	if p == history.Goal {
		return "goal_distance"
	}
	return "forward"
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
