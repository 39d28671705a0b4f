package server

import (
	"bytes"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// member is a worker that has called, and what it should do.
type member struct {
	name        string
	incarnation uint64
	ended       []uint64 // incarnations before it, the last ones
	address     string
	present     bool
	draining    bool
	weight      uint32
	diskFree    uint64 // bytes, 0 if unknown
	lanes       uint32
	sentBytes   uint64 // as it said when it last called
	memoryBytes uint64
	lastCall    time.Time
	report      *everystatev1.RunReport
	trouble     string // why it cannot upload

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

// endedMax bounds the incarnations that are remembered.
const endedMax = 16

// begin notes that a process works under the name. Of two, the one that came
// later has it: the disk can only have been copied, or have been taken over from
// a machine that was believed to be dead.
func (m *member) begin(incarnation uint64) {
	if m.incarnation != incarnation && m.incarnation != 0 {
		m.ended = append(m.ended[max(0, len(m.ended)-endedMax+1):], m.incarnation)
	}
}

// overtaken is the answer to a process that must not go on.
func (m *member) overtaken() error {
	return status.Errorf(codes.AlreadyExists, "a later process, started %[2]s, has the name %[1]s: do not copy a worker's data directory", m.name, m.address)
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

// known returns how many layers of each phase of a run the worker knows, none if
// they are others than there are.
func (m *member) known(r *run) (forward, goal int) {
	rep := m.report
	h := r.past()
	if rep.GetRun() != r.name || !bytes.Equal(rep.GetRunIdentity(), wire.Identity(h.Identity())) {
		return 0, 0
	}
	forward, goal = int(rep.GetForwardLayers()), int(rep.GetGoalLayers())
	if !isLast(h.Layers(history.Forward), forward, rep.GetForwardEpoch()) || !isLast(h.Layers(history.Goal), goal, rep.GetGoalEpoch()) {
		return 0, 0
	}
	return forward, goal
}

// isLast reports whether the n-th layer is of an attempt. An attempt was made on
// one history only, so that the layers before it are the same too.
func isLast(layers []history.Layer, n int, epoch uint64) bool {
	return n == 0 && epoch == 0 || n > 0 && n <= len(layers) && uint64(layers[n-1].Epoch) == epoch
}
