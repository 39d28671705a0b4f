package main

import (
	"cmp"
	"context"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// fakeCoordinator serves a run directory as a coordinator serves a run, and
// statuses as they are.
type fakeCoordinator struct {
	everystatev1.UnimplementedRunServiceServer
	everystatev1.UnimplementedRecordServiceServer

	runs    []*everystatev1.RunStatus
	workers []*everystatev1.WorkerStatus
	states  uint64 // of the run that is submitted

	store *store.Store
	shape store.Shape
	// bend gives what is sent in place of a block; nil stands for what is there.
	bend func(ctx context.Context, req *everystatev1.ReadLayerRequest, block []byte) []byte
}

// serve returns the address of the coordinator.
func (f *fakeCoordinator) serve(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	lis, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer(grpc.WaitForHandlers(true)) // they read the store
	everystatev1.RegisterRunServiceServer(g, f)
	everystatev1.RegisterRecordServiceServer(g, f)
	done := make(chan error, 1)
	go func() { done <- g.Serve(lis) }()
	t.Cleanup(func() {
		g.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return lis.Addr().String()
}

// SubmitRun says that a run is queued.
func (f *fakeCoordinator) SubmitRun(_ context.Context, req *everystatev1.SubmitRunRequest) (*everystatev1.SubmitRunResponse, error) {
	return &everystatev1.SubmitRunResponse{Status: &everystatev1.RunStatus{
		Run: req.GetRun(), State: everystatev1.RunState_RUN_STATE_QUEUED, States: f.states,
	}}, nil
}

// open serves a run directory.
func (f *fakeCoordinator) open(t *testing.T, dir string) {
	t.Helper()
	var err error
	if f.store, err = store.Open(dir, store.Options{ReadOnly: true, CacheBytes: 1 << 20, MemTableBytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.store.Close(); err != nil {
			t.Error(err)
		}
	})
	spec, past, err := journal.Read(f.store)
	if err != nil {
		t.Fatal(err)
	}
	boards, err := families.Read([]byte(spec.Text), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scheme, err := partition.New(boards[0].Puzzle.Layout(), spec.Partitions)
	if err != nil {
		t.Fatal(err)
	}
	f.shape = worker.ShapeOf(scheme)
	complete := past.End(history.Forward) != nil
	f.runs = append(f.runs, &everystatev1.RunStatus{
		Run: "here", State: everystatev1.RunState_RUN_STATE_STOPPED, Complete: complete,
		Phase: everystatev1.Phase_PHASE_FORWARD,
		Spec:  &everystatev1.RunSpec{Family: spec.Family, Name: spec.Name, Metric: spec.Metric},
		Want:  &everystatev1.Want{MaxDepth: proto.Uint32(5)}, JournalEntries: 1 << 20,
	})
}

func (f *fakeCoordinator) ListRuns(context.Context, *everystatev1.ListRunsRequest) (*everystatev1.ListRunsResponse, error) {
	return &everystatev1.ListRunsResponse{Runs: f.runs, Workers: f.workers}, nil
}

func (f *fakeCoordinator) GetRun(_ context.Context, req *everystatev1.GetRunRequest) (*everystatev1.GetRunResponse, error) {
	i := slices.IndexFunc(f.runs, func(s *everystatev1.RunStatus) bool { return s.GetRun() == req.GetRun() })
	if i < 0 {
		return nil, status.Error(codes.NotFound, "no such run")
	}
	return &everystatev1.GetRunResponse{Status: f.runs[i], Workers: f.workers}, nil
}

func (f *fakeCoordinator) ControlRun(_ context.Context, req *everystatev1.ControlRunRequest) (*everystatev1.ControlRunResponse, error) {
	res, err := f.GetRun(context.Background(), &everystatev1.GetRunRequest{Run: req.GetRun()})
	if err != nil {
		return nil, err
	}
	return &everystatev1.ControlRunResponse{Status: &everystatev1.RunStatus{
		Run: res.GetStatus().GetRun(), State: everystatev1.RunState_RUN_STATE_PAUSED,
	}}, nil
}

func (f *fakeCoordinator) GetJournal(req *everystatev1.GetJournalRequest, out everystatev1.RunService_GetJournalServer) error {
	if f.store == nil || req.GetRun() != "here" {
		return status.Error(codes.NotFound, "no such run")
	}
	n := uint64(0)
	return f.store.Journal(func(body []byte) error {
		if n++; n <= req.GetEntries() {
			return nil
		}
		var e everystatev1.JournalEntry
		if err := proto.Unmarshal(body, &e); err != nil {
			return err
		}
		return out.Send(&everystatev1.GetJournalResponse{Entry: &e})
	})
}

func fakeSegmentID(p *everystatev1.LayerPart) store.SegmentID {
	return store.SegmentID{Phase: uint8(p.GetPhase()), Layer: p.GetDepth(), Epoch: uint32(p.GetEpoch())}
}

func (f *fakeCoordinator) FindRecord(_ context.Context, req *everystatev1.FindRecordRequest) (*everystatev1.FindRecordResponse, error) {
	p := req.GetPart()
	found, _, err := f.store.Find(f.shape, fakeSegmentID(p), p.GetPartition(), req.GetRecord(), nil)
	return &everystatev1.FindRecordResponse{Record: found}, err
}

func (f *fakeCoordinator) ReadLayer(req *everystatev1.ReadLayerRequest, out everystatev1.RecordService_ReadLayerServer) error {
	id := store.SegmentID{Phase: uint8(req.GetPhase()), Layer: req.GetDepth(), Epoch: uint32(req.GetEpoch())}
	sender := layerstream.NewSender(out.Send)
	for _, part := range req.GetPartitions() {
		c, err := f.store.NewCursor(f.shape, id, part)
		if err != nil {
			return err
		}
		for {
			block, err := c.NextBlock(nil)
			if err != nil {
				return cmp.Or(status.Error(codes.DataLoss, err.Error()), c.Close())
			}
			if len(block) == 0 {
				break
			}
			if f.bend != nil {
				block = f.bend(out.Context(), req, block)
			}
			if err := sender.Add(part, block); err != nil {
				return cmp.Or(err, c.Close())
			}
		}
		if err := c.Close(); err != nil {
			return err
		}
	}
	return sender.Flush()
}

// TestRemoteQuestions puts the same questions to a directory and to a
// coordinator.
func TestRemoteQuestions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file    string
		options []string
		state   string
	}{
		{"jam-93.txt", []string{"--goal-distance", "--partitions", "4"}, "333BCC / B22BCC / B.XXCC / 22B... / .BB.22 / .B2222"},
		{"small-4x4.txt", []string{"--goal-distance", "--metric", "slide"}, "E.BB / ECCC / AA.F / DD.F"},
		{"small-4x4.txt", []string{"--max-depth", "5"}, "E.BB / ECCC / AA.F / DD.F"},
	} {
		t.Run(test.file+strings.Join(test.options, " "), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "here")
			call("", append([]string{"explore", puzzleFile(t, test.file), "--run", dir, "-q"}, test.options...)...)
			var f fakeCoordinator
			f.open(t, dir)
			there := f.serve(t) + "/here"
			for _, args := range [][]string{
				{"layers", "RUN"},
				{"layers", "RUN", "--json"},
				{"layers", "RUN", "--goal"},
				{"hardest", "RUN", "-q"},
				{"hardest", "RUN", "-n", "20", "--json"},
				{"trace", "RUN"},
				{"trace", "RUN", "--boards"},
				{"trace", "RUN", "--deepest"},
				{"trace", "RUN", "--hardest", "--to-goal", "--json"},
				{"trace", "RUN", test.state},
				{"trace", "RUN", "nonsense"},
				{"show", "RUN", test.state},
				{"show", "RUN", test.state, "--json"},
				{"export", "RUN"},
				{"export", "RUN", "--format", "jsonl"},
			} {
				ask := func(run string) result {
					words := slices.Clone(args)
					words[slices.Index(words, "RUN")] = run
					r := call("", words...)
					r.out, r.errs = strings.ReplaceAll(r.out, run, "RUN"), strings.ReplaceAll(r.errs, run, "RUN")
					return r
				}
				want, got := ask(dir), ask(there)
				if got != want {
					t.Errorf("%q: exit %d, want %d\n%s\n%s%s", args, got.code, want.code, difference(want.out, got.out), got.errs, want.errs)
				}
			}
		})
	}
}

// statuses returns a coordinator with a run in each state.
func statuses() *fakeCoordinator {
	spec := &everystatev1.RunSpec{Family: "rush-hour", Name: "Jam 93", Metric: "step"}
	forward, goal := everystatev1.Phase_PHASE_FORWARD, everystatev1.Phase_PHASE_GOAL
	return &fakeCoordinator{
		runs: []*everystatev1.RunStatus{
			{Run: "broken", Spec: spec, State: everystatev1.RunState_RUN_STATE_FAILED, Phase: forward, Failure: "worker a: the disk is full"},
			{Run: "done", Spec: spec, State: everystatev1.RunState_RUN_STATE_STOPPED, Phase: goal, Complete: true, States: 24132, Depth: 93, ExploredDepth: new(uint32(114))},
			{
				Run: "going", Spec: spec, State: everystatev1.RunState_RUN_STATE_RUNNING, Phase: goal, Depth: 40, ExploredDepth: new(uint32(114)), States: 20000, ExploredStates: new(uint64(24132)),
				Frontier: 1200, Expanded: 300, Written: 7, IdleMillis: 250, WaitingFor: "for a to reach stage written",
			},
			{Run: "limited", Spec: spec, State: everystatev1.RunState_RUN_STATE_STOPPED, Phase: forward, States: 14, Depth: 4},
			{Run: "next", Spec: spec, State: everystatev1.RunState_RUN_STATE_QUEUED, Phase: forward},
			{Run: "stuck", Spec: spec, State: everystatev1.RunState_RUN_STATE_WAITING, Phase: forward, Depth: 9, States: 100, WaitingFor: "for b to come back"},
		},
		workers: []*everystatev1.WorkerStatus{
			{Worker: "a", Address: "10.0.0.1:7001", Present: true, Partitions: 128, Stage: everystatev1.Stage_STAGE_EXPANDED},
			{Worker: "b", Address: "10.0.0.2:7001", SilentMillis: 63_000, Partitions: 128},
			{Worker: "c", Address: "10.0.0.3:7001", Present: true, Draining: true},
		},
	}
}

// TestRemoteStatus compares what is said of runs with testdata/remote.golden.
func TestRemoteStatus(t *testing.T) {
	t.Parallel()
	addr := statuses().serve(t)
	checkScript(t, "testdata/remote.golden", func(line string) result {
		args := words(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "ADDR", addr)
		}
		r := call("", args...)
		r.out, r.errs = strings.ReplaceAll(r.out, addr, "ADDR"), strings.ReplaceAll(r.errs, addr, "ADDR")
		return r
	})
}

func TestRemoteName(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]runs.Remote{
		"127.0.0.1:7000/jam-93": {Addr: "127.0.0.1:7000", Name: "jam-93"}, "[::1]:7000/a": {Addr: "[::1]:7000", Name: "a"}, "host:1/a": {Addr: "host:1", Name: "a"},
		"runs/jam-93": {}, "host/a": {}, ":7000/a": {}, "host:0/a": {}, "host:x/a": {}, "host:7000": {}, "host:7000/": {}, "host:7000/a/b": {}, "host:70000/a": {},
	} {
		got, ok := runs.RemoteName(arg)
		if got != want || ok != (want != runs.Remote{}) {
			t.Errorf("%q: got %v, %v", arg, got, ok)
		}
	}
}
