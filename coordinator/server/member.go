package server

import (
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/requests"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// member is a worker that has called, with its order.
type member struct {
	name        string
	address     string
	joins       core.Joined // what it says when it joins a run
	diskFree    uint64      // bytes, 0 if unknown
	sentBytes   uint64      // as of its last call
	memoryBytes uint64
	report      *everystatev1.RunReport
	trouble     string // why it cannot upload
	damaged     []*everystatev1.Damage
	kept        []string // runs that it keeps records of

	// The order in force. Its number changes whenever it does.
	order   uint64
	attempt *everystatev1.AttemptOrder
	ahead   *everystatev1.Ahead
	run     *run

	changed chan struct{} // closed when the order changes
}

func newMember(name string) *member {
	// An earlier coordinator's numbers almost surely differ; only equality matters.
	return &member{name: name, order: uint64(time.Now().UnixNano()), changed: make(chan struct{})}
}

// joining returns the event that the worker joins a run, in which it has a number.
func (m *member) joining(id history.WorkerID, r *run, damaged []*everystatev1.Damage, more bool) core.Joined {
	ev := m.joins
	ev.Worker, ev.Damaged, ev.Lacking, ev.More = id, tells(damaged, r, false) || (r.backup != nil || r.spec.Store == history.Table) && r.job.past().Placement().On(m.name) && !requests.Keeps(m.kept, r.name), tells(damaged, r, true), more
	return ev
}

// overtaken is the answer to a process that must stop.
func (m *member) overtaken() error {
	return status.Errorf(codes.AlreadyExists, "a later process, started %[2]s, has the name %[1]s: do not copy a worker's data directory", m.name, m.address)
}

// wake has the worker's waiting call look at its order.
func (m *member) wake() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// tell changes the worker's order.
func (m *member) tell(r *run, attempt *everystatev1.AttemptOrder) {
	m.order++
	if r != m.run {
		m.ahead = nil
	}
	m.run, m.attempt = r, attempt
	m.wake()
}
