package server

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/coordinator/modules"
	"github.com/everystate/everystate/coordinator/requests"
	"github.com/everystate/everystate/coordinator/specs"
	"github.com/everystate/everystate/internal/frontier"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/naming"
)

// runsMax bounds the runs, each of which keeps its journal open.
const runsMax = 1000

// runService answers clients about runs.
type runService struct {
	everystatev1.UnimplementedRunServiceServer
	*Server

	uploaded modules.Uploaded
}

// SubmitRun puts a run in the queue.
func (s *runService) SubmitRun(ctx context.Context, req *everystatev1.SubmitRunRequest) (*everystatev1.SubmitRunResponse, error) {
	if err := naming.CheckRun(req.GetRun()); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	spec, err := s.readSpec(req.GetSpec())
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	lookAgainAtDamaged(ctx, s.Server, req.GetRun())
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.runs[req.GetRun()]; r != nil {
		if err := specs.Again(r.name, req.GetSpec(), spec, r.spec); err != nil {
			return nil, err
		}
		if err := r.job.refuses(wire.WantOf(req.GetWant())); err != nil {
			return nil, status.Error(codes.FailedPrecondition, err.Error())
		}
		if err := s.requeue(r, wire.WantOf(req.GetWant())); err != nil {
			return nil, status.Error(codes.Internal, err.Error())
		}
		return &everystatev1.SubmitRunResponse{Status: s.status(r)}, nil
	}
	if err := refuseDamaged(s.Server, req.GetRun()); err != nil {
		return nil, err
	}
	if who := s.deleted.Pending(req.GetRun()); who != "" {
		return nil, status.Errorf(codes.FailedPrecondition, "a run named %s is still being removed by %s: try again later, or choose another name with --name NAME", req.GetRun(), who)
	}
	if len(s.runs) >= runsMax {
		return nil, status.Errorf(codes.ResourceExhausted, "there are already %d runs: delete some", len(s.runs))
	}
	if err := frontier.Refuses(spec, wire.WantOf(req.GetWant())); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	r, err := makeRun(s.Server, filepath.Join(s.opts.Data, runsDir, req.GetRun()), req.GetRun(), spec, wire.WantOf(req.GetWant()))
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	s.runs[r.name] = r
	s.startBackup(r) // while it waits in the queue, only the bucket has it besides this disk
	s.log.Info("run submitted", "run", r.name, "puzzle", spec.Family, "metric", spec.Metric)
	s.activateNext()
	return &everystatev1.SubmitRunResponse{Status: s.status(r)}, nil
}

// readSpec reads the puzzle of a spec and returns the spec in canonical form.
func (s *runService) readSpec(m *everystatev1.RunSpec) (history.Spec, error) {
	return (&specs.Reader{Workers: s.workersThere(), Bucket: s.bucket != nil, Module: s.uploaded.Module, Sweeps: s.plans.Open}).Read(m)
}

// workersThere returns what the workers that are there can do.
func (s *runService) workersThere() (all []core.Able) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.members {
		if s.roster.Of(m.name).Present {
			all = append(all, m.joins.Able)
		}
	}
	return all
}

// requeue puts a run back in the queue with what is now wanted of it.
func (s *Server) requeue(r *run, want history.Want) error {
	if r != s.active && r.store.Err() != nil {
		if err := r.reopen(); err != nil {
			return fmt.Errorf("the journal cannot be opened again: %w", err)
		}
		s.log.Info("the journal was opened again after an error of the disk", "run", r.name, "entries", len(r.log))
	}
	// A complete run may have lost a worker, and can be restored.
	want.Settle = want.Settle || (r.backup != nil || r.spec.Store == history.Table) && r.someKeeperIsAway()
	r.control.Want = want
	if r.control.Elsewhere && r.backup != nil {
		// It may have been continued elsewhere since it was found.
		r.backup.ready = false
		r.backup.wake()
	}
	r.control.Elsewhere = false
	if r == s.active {
		r.job.step(core.Asked{Want: r.job.wants(want)})
		return r.noteControl()
	}
	r.control.State = core.Resumed(r.job.complete(), want.Settle)
	r.control.Failure = ""
	if r.backup != nil && r.backup.conflict && !r.backup.busy {
		r.backup.ready = false
		s.startBackup(r)
	}
	err := r.noteControl()
	s.activateNext()
	return err
}

// someKeeperIsAway reports whether partitions of a run are kept by workers that are not
// there or have lost them, or by none.
func (r *run) someKeeperIsAway() bool {
	ids := r.job.past().Placement().Keepers()
	return len(ids) == 0 && len(r.job.past().Layers(history.Forward)) > 0 || slices.ContainsFunc(ids, func(id history.WorkerID) bool {
		m := r.memberOf(id)
		return m == nil || !r.server.roster.Of(m.name).Present || !requests.Keeps(m.kept, r.name)
	})
}

// ListRuns returns all runs.
func (s *runService) ListRuns(context.Context, *everystatev1.ListRunsRequest) (*everystatev1.ListRunsResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	res := &everystatev1.ListRunsResponse{Workers: s.workers(s.active)}
	for _, r := range s.runs {
		res.Runs = append(res.Runs, s.status(r))
	}
	for name := range s.damaged {
		res.Runs = append(res.Runs, damagedStatus(s.Server, name))
	}
	sort.Slice(res.Runs, func(i, j int) bool { return res.Runs[i].GetRun() < res.Runs[j].GetRun() })
	return res, nil
}

// GetRun returns the status of a run.
func (s *runService) GetRun(_ context.Context, req *everystatev1.GetRunRequest) (*everystatev1.GetRunResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, is := s.damaged[req.GetRun()]; is {
		return &everystatev1.GetRunResponse{Status: damagedStatus(s.Server, req.GetRun()), Workers: s.workers(nil)}, nil
	}
	r, err := s.find(req.GetRun())
	if err != nil {
		return nil, err
	}
	if r.backup != nil && req.GetLook() {
		r.backup.scrubbed.Asked = true
	}
	return &everystatev1.GetRunResponse{Status: s.status(r), Workers: s.workers(r)}, nil
}

func (s *Server) find(name string) (*run, error) {
	r := s.runs[name]
	if r == nil {
		if err := refuseDamaged(s, name); err != nil {
			return nil, err
		}
		return nil, status.Errorf(codes.NotFound, "no run %q here", name)
	}
	return r, nil
}

// GetJournal streams a run's journal.
func (s *runService) GetJournal(req *everystatev1.GetJournalRequest, stream everystatev1.RunService_GetJournalServer) error {
	entries, err := s.journal(req.GetRun(), req.GetEntries())
	if err != nil {
		return err
	}
	for i, entry := range entries {
		var e everystatev1.JournalEntry
		if err := proto.Unmarshal(entry, &e); err != nil {
			return status.Errorf(codes.DataLoss, "journal entry %d: %v", req.GetEntries()+uint64(i), err)
		}
		if err := stream.Send(&everystatev1.GetJournalResponse{Entry: &e}); err != nil {
			return err
		}
	}
	return nil
}

// journal returns the entries of a run's journal from a number on. They never change.
func (s *runService) journal(name string, from uint64) (journal.Entries, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(name)
	if err != nil {
		return nil, err
	}
	return slices.Clip(r.log[min(from, uint64(len(r.log))):]), nil
}

// ControlRun pauses, resumes, cancels or deletes a run.
func (s *runService) ControlRun(ctx context.Context, req *everystatev1.ControlRunRequest) (*everystatev1.ControlRunResponse, error) {
	if err := s.beforeControl(ctx, req); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, is := s.damaged[req.GetRun()]; is && req.GetControl() == everystatev1.Control_CONTROL_DELETE && isHere(s.Server, req.GetRun()) {
		gone := damagedStatus(s.Server, req.GetRun())
		if err := removeDamaged(s.Server, req.GetRun()); err != nil {
			return nil, status.Error(codes.Internal, err.Error())
		}
		return &everystatev1.ControlRunResponse{Status: gone}, nil
	}
	r, err := s.find(req.GetRun())
	if err != nil {
		return nil, err
	}
	switch req.GetControl() {
	case everystatev1.Control_CONTROL_PAUSE:
		err = s.aside(r, history.Paused)
	case everystatev1.Control_CONTROL_CANCEL:
		err = s.aside(r, history.Cancelled)
	case everystatev1.Control_CONTROL_RESUME:
		want := r.control.Want.Resumed(r.control.State)
		if req.GetWant() != nil {
			want = wire.WantOf(req.GetWant())
			want.GoalDistance = want.GoalDistance || r.control.Want.GoalDistance
		}
		if err := r.job.refuses(want); err != nil {
			return nil, status.Error(codes.FailedPrecondition, err.Error())
		}
		err = s.requeue(r, want)
	case everystatev1.Control_CONTROL_DELETE:
		err = s.remove(r)
	default:
		return nil, status.Error(codes.InvalidArgument, "no such control")
	}
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &everystatev1.ControlRunResponse{Status: s.status(r)}, nil
}

// beforeControl looks into the bucket for what others have done with a run.
func (s *runService) beforeControl(ctx context.Context, req *everystatev1.ControlRunRequest) error {
	if s.bucket == nil || req.GetControl() == everystatev1.Control_CONTROL_DELETE || !naming.IsRun(req.GetRun()) {
		return nil
	}
	s.mu.Lock()
	r := s.runs[req.GetRun()]
	mine := r != nil && !r.control.Elsewhere
	s.mu.Unlock()
	if mine {
		ctx, cancel := context.WithTimeout(ctx, askedMax)
		defer cancel()
		if err := readAsked(ctx, s.Server, r, false); err != nil { // the bucket may be away
			s.log.Warn("cannot read what is asked of a run in the bucket", "run", r.name, "error", oneLine(err.Error()))
		}
		return nil
	}
	if req.GetControl() != everystatev1.Control_CONTROL_RESUME && r == nil {
		return nil
	}
	switch err := s.importOne(ctx, req.GetRun(), false); { // it may have come into the bucket since
	case bucket.Retryable(err):
		return status.Error(codes.Unavailable, oneLine(err.Error()))
	case err != nil:
		return status.Errorf(codes.DataLoss, "run %s cannot be read from the bucket: %s", req.GetRun(), oneLine(err.Error()))
	}
	return nil
}

// askedMax is how long to wait for what a bucket says of a run before it is resumed, paused or
// cancelled all the same.
const askedMax = 3 * time.Second

// aside stops the work on a run that has not come to its end.
func (s *Server) aside(r *run, state history.State) error {
	if r == s.active {
		s.deactivate(state, "")
		s.activateNext()
		return r.noteControl()
	}
	if core.Aside(r.control.State, state) != state {
		return nil
	}
	r.control.State, r.control.Elsewhere = state, false
	return r.noteControl()
}
