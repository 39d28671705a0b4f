package server

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/deletions"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store/bucket"
)

const toyText = "puzzle: rush-hour\nnotation: letters\n\nAA.\n..B\n..B\n"

// fuzzServer is a coordinator that nobody has started.
func fuzzServer(tb testing.TB) *Server {
	tb.Helper()
	opts := Options{Data: tb.TempDir(), SettleMillis: -1} // a run begins at once
	opts.EnsureDefaults()
	s := newCoordinator(opts, "fuzz")
	s.spawn = func(func(context.Context)) {} // the test does what they would
	if err := os.MkdirAll(filepath.Join(s.opts.Data, runsDir), 0o755); err != nil {
		tb.Fatal(err)
	}
	var err error
	if s.deleted, err = deletions.Load(s.opts.FS, s.opts.Data, filepath.Join(s.opts.Data, runsDir)); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// FuzzSynchronize calls a coordinator that works on a run as one of two workers
// of it, whatever they say. What is committed stays what the journal says, and a
// run that fails by it says whose fault it is.
func FuzzSynchronize(f *testing.F) {
	s := fuzzServer(f)
	req := func(r *everystatev1.RunReport) *everystatev1.SynchronizeRequest {
		return &everystatev1.SynchronizeRequest{Worker: "a", Incarnation: 1, Address: "h:1", Report: r, WireVersion: wire.Version}
	}
	digest := make([]byte, 16)
	seeds := []*everystatev1.SynchronizeRequest{
		req(nil),
		req(&everystatev1.RunReport{Run: "run", Stage: 1}),
		req(&everystatev1.RunReport{Run: "run", Stage: 2, Generated: 7}),
		req(&everystatev1.RunReport{Run: "run", Stage: 2, Generated: 1 << 63}),
		req(&everystatev1.RunReport{Run: "run", Stage: 3, StoredBytes: 9, Partitions: []*everystatev1.PartitionReport{
			{Partition: 0, States: 1, Digest: digest}, {Partition: 1, States: 1, GoalStates: 1, Digest: digest},
		}}),
		req(&everystatev1.RunReport{Run: "run", Stage: 3, Partitions: []*everystatev1.PartitionReport{{Partition: 3, States: 1 << 63}}}),
		req(&everystatev1.RunReport{Run: "run", Stage: 4, ForwardLayers: 1 << 31, GoalLayers: 1, ForwardEpoch: 5}),
		req(&everystatev1.RunReport{Run: "run", Failure: "broken", FailureKind: everystatev1.FailureKind_FAILURE_KIND_INTERRUPTED}),
		req(&everystatev1.RunReport{Run: "run", Failure: "the disk\nis full"}),
		{Worker: "b", Incarnation: 2, Address: ":", WireVersion: wire.Version, Draining: true, KeptRuns: []string{"run", "x", ""}, Weight: 1<<32 - 1},
		{Worker: "c", Incarnation: 3, Address: "h:1", WireVersion: wire.Version, Uploaded: []*everystatev1.Upload{{Run: "run", Bytes: 1 << 63}}},
	}
	for i, a := range seeds {
		f.Add(encode(f, a), encode(f, seeds[(i+1)%len(seeds)]), encode(f, seeds[(i+3)%len(seeds)]))
	}
	res, err := (&runService{Server: s}).SubmitRun(f.Context(), &everystatev1.SubmitRunRequest{
		Run: "run", Spec: &everystatev1.RunSpec{Text: toyText, Partitions: 4}, Want: &everystatev1.Want{GoalDistance: true},
	})
	if err != nil || res.GetStatus().GetRun() != "run" {
		f.Fatal(err)
	}
	// A call that has ended is answered at once.
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	incarnation := uint64(0)
	f.Fuzz(func(t *testing.T, b1, b2, b3 []byte) {
		// A try that is to come again has the mutex when its time comes.
		locked := func(f func()) {
			s.mu.Lock()
			defer s.mu.Unlock()
			f()
		}
		incarnation += 16
		var r *run
		locked(func() {
			r = s.runs["run"]
			s.members = make(map[string]*member)
			s.roster = core.NewRoster(core.RosterOptions{LeaseTicks: core.Ticks(s.opts.LeaseMillis), SettleTicks: -1})
			if err := s.aside(r, history.Paused); err != nil {
				t.Fatal(err)
			}
		})
		for _, name := range []string{"a", "b"} {
			_, _ = (&sessionService{Server: s}).Synchronize(ended, &everystatev1.SynchronizeRequest{Worker: name, Incarnation: incarnation, Address: "h:1", WireVersion: wire.Version})
		}
		locked(func() {
			if err := s.requeue(r, r.control.Want); err != nil {
				t.Fatal(err)
			}
		})
		var callers []string
		for _, b := range [][]byte{b1, b2, b3} {
			var req everystatev1.SynchronizeRequest
			if proto.Unmarshal(b, &req) != nil {
				return
			}
			locked(func() { // so that something comes of it
				m := s.members[req.GetWorker()]
				if m != nil && req.GetIncarnation() < 8 {
					req.Incarnation += incarnation - 1
				}
				if m != nil && req.GetReport() != nil && req.GetReport().GetEpoch() == 0 {
					req.Report.Epoch = m.attempt.GetEpoch()
				}
			})
			callers = append(callers, req.GetWorker())
			_, _ = (&sessionService{Server: s}).Synchronize(ended, &req)
			locked(func() { checkRun(t, s, r, callers) })
		}
		// What was committed by rubbish goes, so that the next begins anew.
		locked(func() {
			if len(r.log) <= 40 {
				return
			}
			if err := s.aside(r, history.Paused); err != nil {
				t.Fatal(err)
			}
			if err := r.replaceTail(1, nil); err != nil {
				t.Fatal(err)
			}
			r.names = nil
		})
	})
}

// checkRun fails if a run has failed and it does not say by which of the callers,
// or if its history is not that of its journal.
func checkRun(t *testing.T, s *Server, r *run, callers []string) {
	t.Helper()
	why := s.status(r).GetFailure()
	if why != "" && !slices.ContainsFunc(callers, func(name string) bool { return strings.Contains(why, name) }) {
		t.Fatalf("the run failed, and nobody knows whose fault it is: %s", why)
	}
	_, h, err := journal.Read(r.log)
	if err != nil {
		t.Fatalf("the journal: %v", err)
	}
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		if n := len(r.job.past().Layers(phase)); n != len(h.Layers(phase)) {
			t.Fatalf("%d layers, and %d in the journal", n, len(h.Layers(phase)))
		}
	}
}

func encode(tb testing.TB, m proto.Message) []byte {
	tb.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// FuzzImport imports a run from a bucket that somebody else has written. What is
// taken over can be shown and gone on with; of what is refused nothing is left.
func FuzzImport(f *testing.F) {
	spec, err := (&runService{Server: new(Server)}).readSpec(&everystatev1.RunSpec{Text: toyText, Partitions: 2})
	if err != nil {
		f.Fatal(err)
	}
	place := journal.Placement(history.Placement{Workers: []string{"a", "b"}, Homes: []history.WorkerID{0, 1}})
	layer := journal.Layer(history.Layer{Phase: history.Forward, Epoch: 1<<20 + 1, States: 2, PartStates: []int64{1, 1}})
	with, err := journal.WithObjects(layer, []journal.Object{{Name: "layers/../../x", Bytes: 1, Partitions: []uint32{0, 1}}})
	if err != nil {
		f.Fatal(err)
	}
	end := journal.End(history.PhaseEnd{Phase: history.Forward, Layers: 1})
	c := control{Submitted: time.Unix(0, 0), State: history.Running, Want: history.Want{GoalDistance: true}}
	body, err := json.Marshal(c)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body, journal.Spec(spec), journal.Session(1<<20, "x", 1, history.Identity{7}), place, with, end)
	f.Add([]byte("{}"), journal.Spec(spec), place, layer, end, []byte{})
	f.Add([]byte(`{"state":99,"want":{"MaxDepth":-9223372036854775808,"MaxStates":-1},"submitted":"9999-01-01T00:00:00Z"}`), journal.Spec(spec), layer, layer, []byte("x"), end)
	f.Add([]byte("null"), []byte{}, []byte{}, []byte{}, []byte{}, []byte{})

	s := fuzzServer(f)
	s.opts.Adopt = true
	bkt, err := bucket.Open(f.Context(), "file://"+filepath.ToSlash(f.TempDir()))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := bkt.Close(); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, control, e0, e1, e2, e3, e4 []byte) {
		ctx := t.Context()
		s.bucket = bkt
		remote := bkt.Run("run")
		defer func() {
			if _, err := remote.Delete(context.WithoutCancel(ctx)); err != nil {
				t.Fatal(err)
			}
		}()
		for i, e := range [][]byte{e0, e1, e2, e3, e4} {
			if i > 0 && len(e) == 0 {
				break
			}
			if err := remote.Append(ctx, i, e); err != nil {
				t.Fatal(err)
			}
		}
		if err := remote.SetControl(ctx, control); err != nil {
			t.Fatal(err)
		}
		err := s.importOne(ctx, "run", s.opts.Adopt)
		r := s.runs["run"]
		if (err == nil) != (r != nil) {
			t.Fatalf("%v, and it is there: %v", err, r != nil)
		}
		dir := filepath.Join(s.opts.Data, runsDir, "run")
		if err != nil {
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Fatalf("it was refused, and something is left: %v", err)
			}
			return
		}
		s.status(r)
		s.workers(r)
		journal.EverKept(r.log, r.spec.Partitions)
		r.backup = newBackup(r, bkt)
		log, err := remote.Log(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.backup.agree(log); err == nil {
			for range len(r.log) + 1 {
				r.backup.uploads("a")
				r.backup.copy.Missing()
				if _, err := r.backup.next(); err != nil {
					t.Fatal(err)
				}
			}
		}
		again, err := s.reopen(r)
		if err != nil {
			t.Fatalf("it was taken over, and cannot be opened: %v", err)
		}
		if err := errors.Join(again.store.Close(), os.RemoveAll(dir)); err != nil {
			t.Fatal(err)
		}
	})
}

// reopen closes a run, forgets it, and opens it as a new process does.
func (s *Server) reopen(r *run) (*run, error) {
	delete(s.runs, r.name)
	s.active = nil
	if err := r.store.Close(); err != nil {
		return nil, err
	}
	return openRun(s, r.dir)
}
