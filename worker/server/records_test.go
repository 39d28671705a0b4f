package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker/depths"
	"github.com/everystate/everystate/worker/door"
	"github.com/everystate/everystate/worker/exchange"
	"github.com/everystate/everystate/worker/keptrun"
)

// keptLayer is a layer in a worker's store, and what is in it.
type keptLayer struct {
	stores *stores
	spec   *everystatev1.RunSpec
	id     store.SegmentID
	shape  store.Shape
	recs   map[uint32][]uint64
}

// keepLayer writes a layer of made-up records: states gives how many there are
// in each partition.
func keepLayer(t *testing.T, dir string, partitions uint32, states map[uint32]int) *keptLayer {
	t.Helper()
	return keepLayerOf(t, dir, specOf(readBoard(t), partitions), states)
}

// keepLayerOf is keepLayer for a run with a spec.
func keepLayerOf(t *testing.T, dir string, spec *everystatev1.RunSpec, states map[uint32]int) *keptLayer {
	t.Helper()
	k := &keptLayer{
		stores: newStores(dir, store.Options{}), spec: spec,
		id: store.SegmentID{Phase: forward, Layer: 3, Epoch: 8}, recs: make(map[uint32][]uint64),
	}
	t.Cleanup(func() {
		if err := k.stores.close(); err != nil {
			t.Error(err)
		}
	})
	run, err := k.stores.take(runName, k.spec)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := k.stores.give(run); err != nil {
			t.Error(err)
		}
	}()
	k.shape = run.Shape
	w := run.Store.NewWriter(k.shape, k.id)
	for part := range spec.GetPartitions() {
		for n := range states[part] {
			k.recs[part] = append(k.recs[part], uint64(n)*5<<k.shape.MoveBits|uint64(n%3))
		}
		if err := errors.Join(w.Append(part, k.recs[part], nil), w.EndPartition(nil)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return k
}

// serve returns a client of a worker's RecordService.
func (k *keptLayer) serve(t *testing.T) everystatev1.RecordServiceClient {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer(grpc.WaitForHandlers(true))
	everystatev1.RegisterRecordServiceServer(g, &recordServer{
		stores: k.stores, door: &door.Door{Self: "w", Refused: new(atomic.Int64), Log: slog.New(slog.DiscardHandler)}, log: slog.New(slog.DiscardHandler),
	})
	done := make(chan error, 1)
	go func() { done <- g.Serve(listener) }()
	t.Cleanup(func() {
		g.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return everystatev1.NewRecordServiceClient(dial(t, listener.Addr().String()))
}

// read reads partitions and returns the records of each.
func (k *keptLayer) read(ctx context.Context, client everystatev1.RecordServiceClient, parts []uint32) (map[uint32][]uint64, error) {
	recs := make(map[uint32][]uint64)
	err := exchange.ReadLayer(ctx, client, exchange.Reading{Run: runName, Keeper: "w"}, k.id, parts, func(part uint32, block []byte) error {
		var ok bool
		if recs[part], ok = k.shape.DecodeBlock(recs[part], block); !ok {
			return errors.New("no block")
		}
		return nil
	})
	return recs, err
}

func (k *keptLayer) check(t *testing.T, parts []uint32, got map[uint32][]uint64, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	n := 0
	for _, part := range parts {
		if !slices.Equal(got[part], k.recs[part]) {
			t.Errorf("partition %d: %d of %d states", part, len(got[part]), len(k.recs[part]))
		}
		if len(got[part]) > 0 {
			n++
		}
	}
	if n != len(got) {
		t.Errorf("%d partitions, %d of which were asked for", len(got), n)
	}
}

// TestReadLayer reads partitions of all sizes, some of them empty, and more than
// a request may name.
func TestReadLayer(t *testing.T) {
	t.Parallel()
	states := map[uint32]int{2047: 1}
	for part := range uint32(2048) {
		states[part] = int(part) % 4
	}
	states[5], states[1024] = 3*store.BlockRecords+1, store.BlockRecords
	k := keepLayer(t, t.TempDir(), 2048, states)
	client := k.serve(t)
	var all, odd []uint32
	for part := range uint32(2048) {
		all = append(all, part)
		if part%2 == 1 {
			odd = append(odd, part)
		}
	}
	for _, parts := range [][]uint32{all, odd, {5}, {0, 4}, {3, 2047}, nil} {
		got, err := k.read(t.Context(), client, parts)
		k.check(t, parts, got, err)
	}

	mine := errors.New("mine")
	if err := exchange.ReadLayer(t.Context(), client, exchange.Reading{Run: runName, Keeper: "w"}, k.id, all, func(uint32, []byte) error { return mine }); !errors.Is(err, mine) {
		t.Errorf("got %v", err)
	}

	// What is not here looks empty: the worker does not know what was committed.
	k.id.Layer++
	if got, err := k.read(t.Context(), client, all); err != nil || len(got) != 0 {
		t.Errorf("a layer that is not here: %d partitions, %v", len(got), err)
	}
}

func TestReadLayerRefused(t *testing.T) {
	t.Parallel()
	client := keepLayer(t, t.TempDir(), 8, map[uint32]int{1: 1}).serve(t)
	for _, test := range []struct {
		name   string
		change func(*everystatev1.ReadLayerRequest)
		want   codes.Code
	}{
		{"as it should be", func(*everystatev1.ReadLayerRequest) {}, codes.OK},
		{"another run", func(r *everystatev1.ReadLayerRequest) { r.Run = "jam-94" }, codes.DataLoss},
		{"not a name", func(r *everystatev1.ReadLayerRequest) { r.Run = "../jam" }, codes.InvalidArgument},
		{"phase", func(r *everystatev1.ReadLayerRequest) { r.Phase = 0 }, codes.InvalidArgument},
		{"epoch", func(r *everystatev1.ReadLayerRequest) { r.Epoch = 1 << 40 }, codes.InvalidArgument},
		{"partition", func(r *everystatev1.ReadLayerRequest) { r.Partitions = []uint32{1, 8} }, codes.InvalidArgument},
		{"no partition", func(r *everystatev1.ReadLayerRequest) { r.Partitions = nil }, codes.InvalidArgument},
		{"order", func(r *everystatev1.ReadLayerRequest) { r.Partitions = []uint32{2, 1} }, codes.InvalidArgument},
		{"twice", func(r *everystatev1.ReadLayerRequest) { r.Partitions = []uint32{1, 1} }, codes.InvalidArgument},
		{"too many", func(r *everystatev1.ReadLayerRequest) { r.Partitions = make([]uint32, layerstream.PartsMax+1) }, codes.InvalidArgument},
	} {
		req := &everystatev1.ReadLayerRequest{
			Run: runName, Phase: everystatev1.Phase_PHASE_FORWARD, Depth: 3, Epoch: 8, Keeper: "w", Partitions: []uint32{1, 2},
		}
		test.change(req)
		stream, err := client.ReadLayer(t.Context(), req)
		if err == nil {
			_, err = stream.Recv()
		}
		if got := status.Code(err); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

// TestReadLayerStalled reads through the connection of somebody who has stopped
// to read.
func TestReadLayerStalled(t *testing.T) {
	t.Parallel()
	const blocks = 2000 // some 9 MiB
	k := keepLayer(t, t.TempDir(), 2, map[uint32]int{0: 5, 1: blocks * store.BlockRecords})
	client := k.serve(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 3 {
		stream, err := client.ReadLayer(ctx, &everystatev1.ReadLayerRequest{
			Run: runName, Phase: everystatev1.Phase_PHASE_FORWARD, Depth: 3, Epoch: 8, Keeper: "w", Partitions: []uint32{1},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Recv(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := k.read(t.Context(), client, []uint32{0, 1})
	k.check(t, []uint32{0, 1}, got, err)
}

// TestReadLayerDamaged flips a byte of a record while the store is closed.
func TestReadLayerDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := keepLayer(t, dir, 2, map[uint32]int{0: 5, 1: 200 * store.BlockRecords})
	if err := k.stores.close(); err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, runName, "db", "*.sst"))
	if err != nil {
		t.Fatal(err)
	}
	var largest string
	var body []byte
	for _, path := range tables {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > len(body) {
			largest, body = path, b
		}
	}
	body[len(body)/2] ^= 1
	if err := os.WriteFile(largest, body, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = k.read(t.Context(), k.serve(t), []uint32{0, 1})
	if status.Code(err) != codes.DataLoss {
		t.Errorf("got %v", err)
	}
}

// A worker that lacks states of a divided table says so: a state that is missing is not one
// that was never found.
func TestDepthsWhileStatesAreMissing(t *testing.T) {
	t.Parallel()
	spec := specOf(readBoard(t), 2)
	spec.FormatVersion = keptrun.DividedVersion
	k := keepLayerOf(t, t.TempDir(), spec, map[uint32]int{0: 5})
	client := k.serve(t)
	find := func() ([]byte, error) {
		res, err := client.FindDepths(t.Context(), &everystatev1.FindDepthsRequest{
			Run: runName, Phase: everystatev1.Phase_PHASE_FORWARD, Depth: k.id.Layer, Epoch: uint64(k.id.Epoch), Keeper: "w",
			Partitions: []uint32{0, 0}, Records: []uint64{k.recs[0][4], k.recs[0][4] + 1<<k.shape.MoveBits},
		})
		return res.GetDepths(), err
	}
	if got, err := find(); err != nil || !slices.Equal(got, []byte{k.at(), 0}) {
		t.Errorf("got %v, %v", got, err)
	}
	k.stores.mender.Miss(runName, errors.New("a block is gone"))
	if got, err := find(); status.Code(err) != codes.DataLoss {
		t.Errorf("got %v, %v", got, err)
	}
}

// at is how deep the layer is, as workers say it.
func (k *keptLayer) at() byte { return byte(k.id.Layer%depths.Modulo) + 1 }
