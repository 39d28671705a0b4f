package server

import (
	"slices"
	"time"

	"github.com/everystate/everystate/coordinator/gauges"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/telemetry/metrics"
)

// Metrics returns the metrics of a coordinator, for the documents.
func Metrics() []*metrics.Metric { return gauges.All() }

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
	put(gauges.MembersLost, float64(s.lost))
	put(gauges.AttemptsGivenUp, float64(s.attemptsGivenUp))
	put(gauges.Misrouted, float64(s.misrouted))
	put(gauges.Unbalanced, float64(s.unbalanced))
	put(gauges.DamagedStores, float64(s.damages))
	put(gauges.DamagedObjects, float64(s.objectDamages))
	put(gauges.ScrubbedBytes, float64(s.reread.Bytes.Load()))
	s.measureMembers(put)
	for _, r := range s.runs {
		measureRun(put, r, s.stateOf(r))
	}
	if s.active != nil {
		put(gauges.ActiveIdle, float64(s.active.pace.Idle(s.now()))/1e3, s.active.name)
	}
}

func (s *meter) measureMembers(put metrics.Put) {
	var place *history.Placement
	if s.active != nil {
		place = s.active.job.past().Placement()
	}
	for _, m := range s.members {
		is := s.roster.Of(m.name)
		put(gauges.MemberPresent, gauges.One(is.Present), m.name)
		put(gauges.MemberDraining, gauges.One(is.Draining), m.name)
		put(gauges.MemberSilent, s.silence(m.name).Seconds(), m.name)
		late := s.active != nil && m.run == s.active && m.attempt != nil && m.report.GetStage() < m.attempt.GetStage()
		put(gauges.MemberLate, gauges.One(late), m.name)
		parts := 0
		if place != nil {
			if id := slices.Index(place.Workers, m.name); id >= 0 {
				parts = place.KeptBy(history.WorkerID(id))
			}
		}
		put(gauges.MemberPartitions, float64(parts), m.name)
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
			put(gauges.RunState, 0, r.name, other.String())
		}
	}
	put(gauges.RunState, 1, r.name, state.String())
	put(gauges.RunComplete, gauges.One(r.job.complete()), r.name)
	r.job.measure(put)
	b := r.backup
	if b == nil {
		return
	}
	var age time.Duration
	for _, u := range b.copy.Pending() {
		age = max(age, time.Since(u.Since))
	}
	put(gauges.CheckpointPending, float64(len(b.copy.Pending())), r.name)
	put(gauges.CheckpointBytes, float64(b.copy.Bytes()), r.name)
	put(gauges.CheckpointAge, age.Seconds(), r.name)
}
