package server

import (
	"bytes"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/naming"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/keptrun"
)

func encoded(tb testing.TB, m proto.Message) []byte {
	tb.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// FuzzOrder gives a desk that knows a run two answers of a coordinator.
func FuzzOrder(f *testing.F) {
	layer := func(depth uint32, epoch uint64) *everystatev1.LayerRecord {
		return &everystatev1.LayerRecord{
			Phase: everystatev1.Phase_PHASE_FORWARD, Depth: depth, Epoch: epoch, States: 3, PartitionStates: []uint64{1, 2}, GoalStates: 1,
		}
	}
	spec := &everystatev1.RunSpec{Partitions: 2}
	begin := func() *desk {
		d := newDesk("me")
		err := d.take(&everystatev1.SynchronizeResponse{Order: 1, Run: &everystatev1.RunOrder{
			Run: "x", Spec: spec, Layers: []*everystatev1.LayerRecord{layer(0, 5), layer(1, 6)},
		}})
		if err != nil {
			f.Fatal(err)
		}
		return d
	}
	owners := []*everystatev1.Owner{{Worker: "me", Partitions: []uint32{1}}, {Worker: "you", Address: "a:1", Partitions: []uint32{0}}}
	for _, o := range []*everystatev1.RunOrder{
		{Run: "x", Layers: []*everystatev1.LayerRecord{layer(2, 7)}, Attempt: &everystatev1.AttemptOrder{Epoch: 8, Phase: 1, Depth: 3, Stage: 1, Owners: owners, Plan: planOf(3)}},
		{Run: "x", Attempt: &everystatev1.AttemptOrder{Epoch: 8, Phase: 1, Depth: 2, Stage: 2, Owners: owners, Plan: planOf(2)}},
		{Run: "x", Attempt: &everystatev1.AttemptOrder{Epoch: 8, Phase: 2, Stage: 3, Owners: owners, Plan: &everystatev1.Plan{Source: 2, Expand: planOf(1).GetExpand()}}},
		{Run: "x", Attempt: &everystatev1.AttemptOrder{Epoch: 9, Stage: 4, Sources: owners}, Bucket: "file:///x/y"},
		{Run: "y", Spec: &everystatev1.RunSpec{Partitions: 1 << 31}, Attempt: &everystatev1.AttemptOrder{Epoch: 1, Phase: 1, Stage: 1}},
		{Run: "x", Spec: spec, Layers: []*everystatev1.LayerRecord{layer(0, 9)}},
		nil,
	} {
		b := encoded(f, &everystatev1.SynchronizeResponse{Order: 2, Run: o, LeaseMillis: 1000, Released: true})
		f.Add(b, b)
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		d := begin()
		for _, b := range [][]byte{first, second} {
			var res everystatev1.SynchronizeResponse
			if proto.Unmarshal(b, &res) != nil {
				return
			}
			err := d.take(&res)
			w := d.wanted()
			if err != nil && (w.attempt != nil || w.run != nil && !w.run.knowsNothing()) {
				t.Fatalf("after %v it still knows %+v", err, w)
			}
			checkWant(t, w)
			order, report := d.report()
			if order != res.GetOrder() || w.run != nil && report.GetRun() != w.run.name {
				t.Fatalf("order %d, report %v", order, report)
			}
		}
	})
}

// checkWant fails if an order is in force that the engine could not perform.
func checkWant(t *testing.T, w want) {
	t.Helper()
	if w.run == nil {
		if w.attempt != nil {
			t.Fatal("an attempt of no run")
		}
		return
	}
	partitions := int(w.run.spec.GetPartitions())
	if !naming.IsRun(w.run.name) || partitions < 1 || partitions > partition.Max {
		t.Fatalf("run %q with %d partitions", w.run.name, partitions)
	}
	for phase, layers := range w.run.layers {
		for depth, l := range layers {
			sum := int64(0)
			for _, n := range l.PartStates {
				if sum += n; n < 0 || sum < 0 {
					t.Fatalf("counts %v", l.PartStates)
				}
			}
			if len(l.PartStates) != partitions || sum == 0 || int(l.Segment.Phase) != phase || int(l.Segment.Layer) != depth {
				t.Fatalf("layer %+v at %d of phase %d", l, depth, phase)
			}
		}
	}
	at := w.attempt
	switch {
	case at == nil:
	case at.moves():
		seen := make(map[uint32]bool)
		for _, s := range at.sources {
			for _, p := range s.parts {
				if int(p) >= partitions || seen[p] {
					t.Fatalf("partition %d of %d, or twice", p, partitions)
				}
				seen[p] = true
			}
		}
	default:
		if len(at.owner) != partitions || !slices.IsSorted(at.own) {
			t.Fatalf("attempt %+v", at)
		}
		for _, i := range at.owner {
			_ = at.address[i]
		}
		for _, layers := range [][]worker.Layer{at.plan.Expand, at.plan.Exclude, at.plan.Within} {
			for _, l := range layers {
				if !w.run.committed(l.Segment) {
					t.Fatalf("%v is to be read, and is not known", l.Segment)
				}
			}
		}
	}
}

// fuzzReceiver has half of the partitions of a real puzzle.
func fuzzReceiver(tb testing.TB) (*receiver, *keptRun) {
	tb.Helper()
	const text = "AA.\n..B\n..B\n"
	boards, err := families.Read([]byte("puzzle: rush-hour\nnotation: letters\n\n"+text), puzzle.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	scheme, err := partition.New(boards[0].Puzzle.Layout(), 4)
	if err != nil {
		tb.Fatal(err)
	}
	kept := &keptRun{Run: &keptrun.Run{Puzzle: boards[0].Puzzle, Scheme: scheme, Shape: worker.ShapeOf(scheme)}}
	lane := new(worker.Worker)
	form := worker.FormOf(scheme, worker.FromSuccessors)
	return &receiver{run: kept, form: form, local: []*worker.Worker{lane, nil, lane, nil}}, kept
}

// TestJoinedRefused has blocks of several partitions with what no other worker sends.
func TestJoinedRefused(t *testing.T) {
	t.Parallel()
	r, _ := fuzzReceiver(t)
	joined, ok := r.form.Joined()
	if !ok {
		t.Fatal("records of two vehicles do not fit in a word")
	}
	block := joined.AppendBlock(nil, r.form.Join(nil, 0, []uint64{0}))
	for what, b := range map[string][]byte{
		"of another worker's partition": joined.AppendBlock(nil, r.form.Join(nil, 1, []uint64{0})),
		"of a partition too many":       joined.AppendBlock(nil, r.form.Join(nil, 4, []uint64{0})),
		"of a partition beyond any":     joined.AppendBlock(nil, []uint64{1 << 63}),
		"cut short":                     block[:len(block)-1],
		"of nothing":                    nil,
	} {
		in := intake{receiver: r}
		if n, err := in.takeJoined(b); status.Code(err) != codes.InvalidArgument && status.Code(err) != codes.DataLoss {
			t.Errorf("a block %s: %d candidates, %v", what, n, err)
		}
	}
}

// FuzzBlocks decodes messages of candidates. What is accepted is what the puzzle
// could have made, and is what was sent.
func FuzzBlocks(f *testing.F) {
	r, kept := fuzzReceiver(f)
	layout := kept.Puzzle.Layout()
	start := kept.Puzzle.Starts()[:layout.Words()]
	rec := make([]uint64, kept.Shape.Stride)
	part := kept.Scheme.Record(rec, start, 0)
	block := kept.Shape.AppendBlock(nil, rec)
	f.Add(encoded(f, &everystatev1.SendRequest{Run: "x", Epoch: 1, Blocks: []*everystatev1.PartitionBlock{{Partition: uint32(part), Block: block}}}))
	f.Add(encoded(f, &everystatev1.SendRequest{Blocks: []*everystatev1.PartitionBlock{{Partition: 1 << 31, Block: block}, {Block: block[:len(block)-1]}, {}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var req everystatev1.SendRequest
		if proto.Unmarshal(b, &req) != nil {
			return
		}
		for _, block := range req.GetBlocks() {
			recs, err := r.decode(nil, block.GetPartition(), block.GetBlock())
			if err != nil {
				if c := status.Code(err); c != codes.InvalidArgument && c != codes.DataLoss {
					t.Fatal(err)
				}
				continue
			}
			if len(recs) > store.BlockRecords*kept.Shape.Stride || len(recs)%kept.Shape.Stride != 0 ||
				!kept.Scheme.Holds(partition.ID(block.GetPartition()), recs, layout.Moves) {
				t.Fatalf("%d words were accepted", len(recs))
			}
			if again := kept.Shape.AppendBlock(nil, recs); len(recs) > 0 && !bytes.Equal(again, block.GetBlock()) {
				back, ok := kept.Shape.DecodeBlock(nil, again)
				if !ok || !slices.Equal(back, recs) {
					t.Fatalf("%x decodes to what encodes as %x", block.GetBlock(), again)
				}
			}
		}
	})
}
