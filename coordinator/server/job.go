package server

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/telemetry/metrics"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// job is the work of a run: the layers of a board, or the units of a sweep. Only newJob
// knows which. The server's mutex guards it.
type job interface {
	// read prepares the job from the spec and the journal.
	read() error

	// refuses returns why the run cannot do what is wanted, or nil. wants returns what
	// that comes to with what has been committed; the run keeps what was asked for.
	refuses(want history.Want) error
	wants(want history.Want) history.Want

	// complete reports whether everything asked for has been found. past returns what
	// has been committed.
	complete() bool
	past() *history.History

	// gathers reports whether the run begins with the workers present at that time.
	gathers() bool

	// begin begins the work on a run claimed by this coordinator, once ready reports true,
	// and end puts it aside. working reports true in between.
	ready() bool
	begin() error
	end()
	working() bool

	// step handles the core's events: workers that come and go, what the bucket has,
	// what is asked for. take handles a worker's report. needs reports whether a worker
	// that wants to leave has to stay.
	step(ev core.Event)
	take(m *member, was, report *everystatev1.RunReport)
	needs(m *member) bool

	// tick is called at regular intervals.
	tick()

	// takeUnit gives a lane of a worker a unit. If there is none, changed, unless nil,
	// is closed when there may be one. commitUnit records what a unit found, and
	// failUnit that it failed.
	takeUnit(m *member, lane uint32) (res *everystatev1.TakeUnitResponse, changed <-chan struct{})
	commitUnit(req *everystatev1.CommitUnitRequest, totals *sweep.Totals, found []byte) error
	failUnit(req *everystatev1.CommitUnitRequest, why string) error

	// waitingFor reports whether the work has to wait, and for whom and why.
	waitingFor() (text string, waits bool)
	status(st *everystatev1.RunStatus)
	measure(put metrics.Put)
}

// newJob returns the job of a run.
func newJob(r *run) job {
	if r.spec.Units > 0 {
		return &sweepJob{run: r, shares: core.Shares{}}
	}
	return &layersJob{run: r}
}

// noUnits is embedded by jobs that have no units.
type noUnits struct{}

func (noUnits) takeUnit(*member, uint32) (*everystatev1.TakeUnitResponse, <-chan struct{}) {
	return nil, nil
}

func (noUnits) commitUnit(req *everystatev1.CommitUnitRequest, _ *sweep.Totals, _ []byte) error {
	return errNoUnit(req)
}

func (noUnits) failUnit(req *everystatev1.CommitUnitRequest, _ string) error { return errNoUnit(req) }

func errNoUnit(req *everystatev1.CommitUnitRequest) error {
	return status.Errorf(codes.FailedPrecondition, "unit %d of %s: not a sweep that is being worked on", req.GetUnit(), req.GetRun())
}
