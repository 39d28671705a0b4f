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

// job is what there is to do for a run: the layers of a board, or the units of a sweep.
// newJob knows which, and nobody else asks. The server's mutex guards it.
type job interface {
	// read makes of the spec and the journal what the job needs.
	read() error

	// refuses says why the run cannot be asked for something, and wants returns what
	// it is asked for then.
	refuses(want history.Want) error
	wants(want history.Want) history.Want

	// complete reports whether all that was asked for has been found, and past returns
	// what has been committed.
	complete() bool
	past() *history.History

	// gathers reports whether the run begins with the workers that are there then.
	gathers() bool

	// begin begins the work on the run, whose claim is this coordinator's, and end puts
	// it aside. In between it is working.
	begin() error
	end()
	working() bool

	// step takes what the core has a word for: who comes and goes, what the bucket
	// has, what is asked for. take takes a worker's report, and needs reports whether a
	// worker that wants to leave has to stay.
	step(ev core.Event)
	take(m *member, was, report *everystatev1.RunReport)
	needs(m *member) bool

	// tick is called from time to time.
	tick()

	// takeUnit gives a lane of a worker a unit. Without one, changed is closed when
	// there may be one, if it is not nil. commitUnit records what a unit found, and
	// failUnit that it failed.
	takeUnit(m *member, lane uint32) (res *everystatev1.TakeUnitResponse, changed <-chan struct{})
	commitUnit(req *everystatev1.CommitUnitRequest, totals *sweep.Totals, found []byte) error
	failUnit(req *everystatev1.CommitUnitRequest, why string) error

	// waitingFor says whether the work has to wait, and for whom and why.
	waitingFor() (text string, waits bool)
	status(st *everystatev1.RunStatus)
	measure(put metrics.Put)
}

// newJob returns the job of a run.
func newJob(r *run) job {
	if r.spec.Units > 0 {
		return &sweepJob{run: r}
	}
	return &layersJob{run: r}
}

// noUnits is the part of a job that has none.
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
