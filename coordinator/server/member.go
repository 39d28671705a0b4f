package server

import (
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// member is a worker that has called, with its order.
type member struct {
	name        string
	address     string
	weight      uint32
	diskFree    uint64 // bytes, 0 if unknown
	lanes       uint32
	straight    bool   // it can go through all stages without being told
	alone       bool   // it can make layers alone
	fetches     bool   // it can get partitions ahead
	sentBytes   uint64 // as of its last call
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
