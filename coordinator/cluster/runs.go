package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// DefaultPartitions is the number of partitions of a run on a cluster, and
// PartitionsMax the greatest, which bounds the messages.
const (
	DefaultPartitions = 256
	PartitionsMax     = 1024
)

const (
	// textMax bounds the text of a puzzle.
	textMax = 1 << 20

	// runsMax bounds the runs, each of which has a journal open.
	runsMax = 1000
)

// SubmitRun puts a run in the queue.
func (s *Server) SubmitRun(_ context.Context, req *everystatev1.SubmitRunRequest) (*everystatev1.SubmitRunResponse, error) {
	if !validName(req.GetRun()) {
		return nil, status.Errorf(codes.InvalidArgument, "%q is no name for a run: letters, digits, '-', '_' and '.', at most %d, not beginning with '.'", req.GetRun(), nameMax)
	}
	spec, err := readSpec(req.GetSpec())
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.runs[req.GetRun()]; r != nil {
		if r.spec.Text != spec.Text || r.spec.Metric != spec.Metric || r.spec.Family != spec.Family {
			return nil, status.Errorf(codes.AlreadyExists, "run %s is that of another puzzle", r.name)
		}
		if err := s.goOn(r, wantOf(req.GetWant())); err != nil {
			return nil, status.Error(codes.Internal, err.Error())
		}
		return &everystatev1.SubmitRunResponse{Status: s.status(r)}, nil
	}
	if who := s.deleted.pending(req.GetRun()); who != "" {
		return nil, status.Errorf(codes.FailedPrecondition, "a run %s is being deleted, and has not been removed yet by %s", req.GetRun(), who)
	}
	if len(s.runs) >= runsMax {
		return nil, status.Errorf(codes.ResourceExhausted, "there are %d runs: delete some", len(s.runs))
	}
	r, err := makeRun(filepath.Join(s.opts.Data, runsDir, req.GetRun()), req.GetRun(), spec, wantOf(req.GetWant()))
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	s.runs[r.name] = r
	s.log.Info("run submitted", "run", r.name, "puzzle", spec.Family, "metric", spec.Metric)
	s.activateNext()
	return &everystatev1.SubmitRunResponse{Status: s.status(r)}, nil
}

// readSpec reads the puzzle of a spec and returns the spec in canonical form.
func readSpec(m *everystatev1.RunSpec) (core.Spec, error) {
	if len(m.GetText()) > textMax {
		return core.Spec{}, fmt.Errorf("the puzzle has %d bytes: at most %d", len(m.GetText()), textMax)
	}
	boards, err := families.Read([]byte(m.GetText()), puzzle.ReadOptions{Metric: m.GetMetric()})
	if err != nil {
		return core.Spec{}, fmt.Errorf("the puzzle cannot be read: %w", err)
	}
	if len(boards) != 1 {
		return core.Spec{}, fmt.Errorf("%d boards: a run has one", len(boards))
	}
	b := boards[0]
	partitions := int(m.GetPartitions())
	if partitions == 0 {
		partitions = DefaultPartitions
	}
	if partitions < 1 || partitions > PartitionsMax || partitions&(partitions-1) != 0 {
		return core.Spec{}, fmt.Errorf("%d partitions: must be a power of two from 1 to %d", partitions, PartitionsMax)
	}
	name := m.GetName()
	if name == "" {
		name = b.Name
	}
	if len(name) > nameMax {
		return core.Spec{}, fmt.Errorf("the puzzle's name has %d bytes: at most %d", len(name), nameMax)
	}
	return core.Spec{Family: b.Family, Name: name, Metric: b.Metric, Text: b.Text, Partitions: partitions}, nil
}

func wantOf(m *everystatev1.Want) core.Want {
	w := core.Want{MaxDepth: -1, MaxStates: int64(m.GetMaxStates()), StopAtGoal: m.GetStopAtGoal(), GoalDistance: m.GetGoalDistance(), Settle: m.GetSettle()}
	if m != nil && m.MaxDepth != nil {
		w.MaxDepth = int(m.GetMaxDepth())
	}
	return w
}

func wantMessage(w core.Want) *everystatev1.Want {
	m := &everystatev1.Want{MaxStates: uint64(w.MaxStates), StopAtGoal: w.StopAtGoal, GoalDistance: w.GoalDistance, Settle: w.Settle}
	if w.MaxDepth >= 0 {
		m.MaxDepth = proto.Uint32(uint32(w.MaxDepth))
	}
	return m
}

// goOn puts a run back in the queue with what is wanted of it now.
func (s *Server) goOn(r *run, want core.Want) error {
	// What is complete can still have lost a worker, and be restored.
	want.Settle = want.Settle || r.backup != nil && s.someKeeperIsAway(r)
	r.control.Want = want
	if r == s.active {
		err := r.saveControl()
		s.step(core.Asked{Want: want})
		return err
	}
	r.control.State = everystatev1.RunState_RUN_STATE_QUEUED
	r.control.Failure = ""
	if r.complete() && !want.Settle {
		r.control.State = everystatev1.RunState_RUN_STATE_STOPPED
	}
	if r.backup != nil && r.backup.conflict && !r.backup.busy {
		r.backup.ready = false
		s.startBackup(r)
	}
	if err := r.saveControl(); err != nil {
		return err
	}
	s.activateNext()
	return nil
}

// someKeeperIsAway reports whether partitions of a run are kept by workers that are
// not there, or by none.
func (s *Server) someKeeperIsAway(r *run) bool {
	ids := keepers(r.past())
	if len(ids) == 0 {
		return len(r.past().Layers(core.Forward)) > 0
	}
	for _, id := range ids {
		if m := s.memberOf(r, id); m == nil || !m.present {
			return true
		}
	}
	return false
}

// ListRuns returns all runs.
func (s *Server) ListRuns(context.Context, *everystatev1.ListRunsRequest) (*everystatev1.ListRunsResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	res := &everystatev1.ListRunsResponse{Workers: s.workers(s.active)}
	for _, r := range s.runs {
		res.Runs = append(res.Runs, s.status(r))
	}
	sort.Slice(res.Runs, func(i, j int) bool { return res.Runs[i].GetRun() < res.Runs[j].GetRun() })
	return res, nil
}

// GetRun returns how far a run is.
func (s *Server) GetRun(_ context.Context, req *everystatev1.GetRunRequest) (*everystatev1.GetRunResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(req.GetRun())
	if err != nil {
		return nil, err
	}
	return &everystatev1.GetRunResponse{Status: s.status(r), Workers: s.workers(r)}, nil
}

func (s *Server) find(name string) (*run, error) {
	r := s.runs[name]
	if r == nil {
		return nil, status.Errorf(codes.NotFound, "no run %q here", name)
	}
	return r, nil
}

// GetJournal streams a run's journal.
func (s *Server) GetJournal(req *everystatev1.GetJournalRequest, stream everystatev1.RunService_GetJournalServer) error {
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

// journal returns the entries of a run's journal from a number on. They are the
// journal's own, which never change.
func (s *Server) journal(name string, from uint64) (journal.Entries, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(name)
	if err != nil {
		return nil, err
	}
	return slices.Clip(r.log[min(from, uint64(len(r.log))):]), nil
}

// ControlRun pauses, resumes, cancels or deletes a run.
func (s *Server) ControlRun(_ context.Context, req *everystatev1.ControlRunRequest) (*everystatev1.ControlRunResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(req.GetRun())
	if err != nil {
		return nil, err
	}
	switch req.GetControl() {
	case everystatev1.Control_CONTROL_PAUSE:
		err = s.aside(r, everystatev1.RunState_RUN_STATE_PAUSED)
	case everystatev1.Control_CONTROL_CANCEL:
		err = s.aside(r, everystatev1.RunState_RUN_STATE_CANCELLED)
	case everystatev1.Control_CONTROL_RESUME:
		want := r.control.Want
		if req.GetWant() != nil {
			want = wantOf(req.GetWant())
		}
		if want.GoalDistance && !r.board.Puzzle.Layout().Reversible {
			return nil, status.Error(codes.FailedPrecondition, "goal distances need a puzzle whose moves can be undone by moves")
		}
		err = s.goOn(r, want)
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

// aside stops the work on a run that has not come to its end.
func (s *Server) aside(r *run, state everystatev1.RunState) error {
	if r == s.active {
		s.deactivate(state, "")
		s.activateNext()
		return nil
	}
	switch r.control.State {
	case everystatev1.RunState_RUN_STATE_STOPPED, everystatev1.RunState_RUN_STATE_CANCELLED:
		return nil
	default:
	}
	r.control.State = state
	return r.saveControl()
}

// remove removes a run. Workers drop what they keep of it when they call next,
// and the bucket as soon as it can be reached.
func (s *Server) remove(r *run) error {
	if err := s.aside(r, everystatev1.RunState_RUN_STATE_CANCELLED); err != nil {
		return err
	}
	keep := everKept(r)
	if s.bucket != nil {
		keep = append(keep, theBucket)
	}
	if err := s.deleted.add(r.name, keep); err != nil {
		return err
	}
	delete(s.runs, r.name)
	var idle chan struct{}
	if r.backup != nil {
		idle = r.backup.idle
		r.backup.wake()
	}
	if s.bucket != nil {
		s.removeFromBucket(r.name, idle)
	}
	for _, m := range s.members {
		m.tell(m.run, m.attempt) // so that they call
	}
	return errors.Join(r.store.Close(), os.RemoveAll(r.dir))
}

// everKept returns the workers that have ever kept partitions of a run.
func everKept(r *run) []string {
	var names []string
	for _, entry := range r.log {
		e, err := journal.ReadEntry(entry, r.spec.Partitions)
		if err != nil || e.Placement == nil {
			continue
		}
		for _, name := range e.Placement.Workers {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// removeFromBucket removes a run from the bucket, when idle is closed unless it
// is nil, and tries until it is done. As long as workers keep the run, uploads
// may be under way: when there are none any more it is removed once again, and
// its name is free then.
func (s *Server) removeFromBucket(run string, idle <-chan struct{}) {
	s.spawn(func(ctx context.Context) {
		if idle != nil {
			<-idle // whoever closes it has been woken, or ends with ctx
		}
		for backOff := backOffFirst; ctx.Err() == nil; {
			again, changed := s.tryRemove(ctx, run, backOff)
			switch {
			case again != nil:
				backOff = min(2*backOff, backOffMax)
			case changed == nil:
				return
			}
			select {
			case <-ctx.Done():
			case <-again:
			case <-changed:
			}
		}
	})
}

// tryRemove removes a run from the bucket. It returns what to wait for before it
// is tried again: time, if the bucket did not answer, or workers, if there are
// some that still keep the run; nothing if it is done.
func (s *Server) tryRemove(ctx context.Context, run string, backOff time.Duration) (again <-chan time.Time, changed <-chan struct{}) {
	s.mu.Lock()
	last, changed := s.deleted.onlyInBucket(run), s.deleted.changed
	s.mu.Unlock()
	n, err := s.bucket.Run(run).Delete(ctx)
	switch {
	case err != nil:
		s.log.Warn("a run is not removed from the bucket yet; trying again", "run", run, "error", oneLine(err.Error()))
		return time.After(backOff), nil
	case !last:
		return nil, changed
	}
	s.log.Info("run removed from the bucket", "run", run, "objects", n)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.deleted.settle(theBucket, nil, run); err != nil {
		s.log.Error("deletions not written", "error", err)
	}
	return nil, nil
}

func (s *Server) status(r *run) *everystatev1.RunStatus {
	h := r.past()
	st := &everystatev1.RunStatus{
		Run: r.name, Spec: journal.RunSpec(r.spec), State: r.control.State, Want: wantMessage(r.control.Want),
		Phase: everystatev1.Phase_PHASE_FORWARD, JournalEntries: uint64(len(r.log)), Failure: r.control.Failure, Complete: r.complete(),
	}
	if h.End(core.Forward) != nil && (r.control.Want.GoalDistance || len(h.Layers(core.Goal)) > 0) {
		st.Phase = everystatev1.Phase_PHASE_GOAL
	}
	layers := h.Layers(core.Phase(st.GetPhase()))
	st.Depth = uint32(max(0, len(layers)-1))
	st.States = uint64(h.States(core.Phase(st.GetPhase())))
	if b := r.backup; b != nil {
		st.Bucket, st.DurableEntries, st.BucketTrouble = b.url, uint64(b.logged), b.trouble
	}
	if r != s.active {
		return st
	}
	st.WaitingFor = s.waitingFor(r)
	st.IdleMillis = uint64(time.Since(r.moved).Milliseconds())
	if len(r.waitFor) > 0 || r.core == nil || r.committed != nil {
		st.State = everystatev1.RunState_RUN_STATE_WAITING
	}
	if r.core == nil {
		return st
	}
	if a, underWay := r.core.Attempt(); underWay {
		st.Phase, st.Depth = everystatev1.Phase(a.Phase), a.Depth
		st.States = uint64(h.States(a.Phase))
		for _, l := range a.Expand {
			st.Frontier += uint64(l.States)
		}
		for _, m := range s.members {
			if m.run == r && m.report.GetEpoch() == uint64(a.Epoch) {
				st.Expanded += m.report.GetExpanded()
				st.Written += m.report.GetWritten()
			}
		}
	}
	return st
}

// workers returns all workers, with what they do for a run.
func (s *Server) workers(r *run) []*everystatev1.WorkerStatus {
	var place *core.Placement
	if r != nil {
		place = r.past().Placement()
	}
	var all []*everystatev1.WorkerStatus
	for _, m := range s.members {
		w := &everystatev1.WorkerStatus{
			Worker: m.name, Address: m.address, Present: m.present, Draining: m.draining,
			SilentMillis: uint64(time.Since(m.lastCall).Milliseconds()), Stage: m.report.GetStage(), Weight: m.weight,
		}
		if place != nil {
			if id := slices.Index(place.Workers, m.name); id >= 0 {
				w.Partitions = uint32(partitionsOf(place, core.WorkerID(id)))
			}
		}
		all = append(all, w)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].GetWorker() < all[j].GetWorker() })
	return all
}
