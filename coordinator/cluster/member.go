package cluster

import (
	"time"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// member is a worker that has called, and what it should do.
type member struct {
	name        string
	incarnation uint64
	address     string
	present     bool
	draining    bool
	lastCall    time.Time
	report      *everystatev1.RunReport

	// The order in force. Its number changes with it.
	order   uint64
	attempt *everystatev1.AttemptOrder
	run     *run

	changed chan struct{} // closed when the order changes
}

func newMember(name string) *member {
	// The numbers of an earlier coordinator's orders are other ones, as like as
	// not; only whether two are equal matters.
	return &member{name: name, order: uint64(time.Now().UnixNano()), changed: make(chan struct{})}
}

// wake lets the worker's call look at its order.
func (m *member) wake() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// tell changes the worker's order.
func (m *member) tell(r *run, attempt *everystatev1.AttemptOrder) {
	m.order++
	m.run, m.attempt = r, attempt
	m.wake()
}

// known returns how many layers of each phase of a run the worker knows.
func (m *member) known(r *run) (forward, goal int) {
	if m.report.GetRun() != r.name {
		return 0, 0
	}
	return int(m.report.GetForwardLayers()), int(m.report.GetGoalLayers())
}
