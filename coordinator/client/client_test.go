package client

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// fake answers with what it is given.
type fake struct {
	everystatev1.UnimplementedRunServiceServer
	everystatev1.UnimplementedRecordServiceServer
	err      error
	log      [][]byte
	messages []*everystatev1.ReadLayerResponse
	hang     bool // behind the messages
	ended    chan error

	mu    sync.Mutex // guards asked
	asked [][]uint32
}

func (f *fake) GetJournal(req *everystatev1.GetJournalRequest, out everystatev1.RunService_GetJournalServer) error {
	for _, body := range f.log[min(int(req.GetEntries()), len(f.log)):] {
		var e everystatev1.JournalEntry
		if err := proto.Unmarshal(body, &e); err != nil {
			return err
		}
		if err := out.Send(&everystatev1.GetJournalResponse{Entry: &e}); err != nil {
			return err
		}
	}
	return f.err
}

func (f *fake) ReadLayer(req *everystatev1.ReadLayerRequest, out everystatev1.RecordService_ReadLayerServer) error {
	f.mu.Lock()
	f.asked = append(f.asked, req.GetPartitions())
	f.mu.Unlock()
	for _, m := range f.messages {
		if err := out.Send(m); err != nil {
			return err
		}
	}
	if f.err == nil && f.hang {
		<-out.Context().Done()
		f.ended <- out.Context().Err()
	}
	return f.err
}

func (f *fake) client(t *testing.T) *Client {
	t.Helper()
	var config net.ListenConfig
	lis, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer()
	everystatev1.RegisterRunServiceServer(g, f)
	everystatev1.RegisterRecordServiceServer(g, f)
	done := make(chan error, 1)
	go func() { done <- g.Serve(lis) }()
	c := dial(t, lis.Addr().String())
	t.Cleanup(func() {
		g.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return c
}

func dial(t *testing.T, addr string) *Client {
	t.Helper()
	c, err := Dial(addr, Options{Dial: []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestErrors shows what becomes of the errors of a coordinator.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		kind error
		text string
	}{
		{status.Error(codes.NotFound, "x"), ErrNoRun, `there is no run "jam" on ADDR`},
		{status.Error(codes.Unavailable, "worker b is not there"), ErrUnavailable, "worker b is not there"},
		{status.Error(codes.Unavailable, "worker b is lost: `everystate resume jam`"), ErrUnavailable, "worker b is lost: `everystate resume ADDR/jam`"},
		{status.Error(codes.Unimplemented, "x"), ErrNoCoordinator, "ADDR is not a coordinator"},
		{status.Error(codes.InvalidArgument, "two\nlines"), ErrRefused, "two; lines"},
		{status.Error(codes.DataLoss, "the journal is damaged"), nil, "ADDR: the journal is damaged"},
		{status.Error(codes.Internal, "x"), nil, "ADDR: x"},
	} {
		f := fake{err: test.err}
		c := f.client(t)
		_, err := c.Open(t.Context(), "jam")
		if text := strings.ReplaceAll(err.Error(), c.Addr(), "ADDR"); text != test.text || test.kind != nil && !errors.Is(err, test.kind) {
			t.Errorf("%v: %q, %v", test.err, text, err)
		}
		if loss := status.Code(test.err) == codes.DataLoss; store.IsCorruption(err) != loss {
			t.Errorf("%v: damage is %v", test.err, !loss)
		}
	}
	_, _, err := dial(t, "127.0.0.1:1").Get(t.Context(), "jam")
	if !errors.Is(err, ErrNoCoordinator) || err.Error() != "no coordinator answers at 127.0.0.1:1" {
		t.Errorf("nobody there: %v", err)
	}
}

// TestRefresh reads a journal as it grows.
func TestRefresh(t *testing.T) {
	t.Parallel()
	f := fake{log: [][]byte{journal.Spec(history.Spec{Family: "rush-hour", Name: "n", Metric: "step", Text: "puzzle: rush-hour\nmetric: step\nnotation: letters\nsize: 1x3\ngoal: A\nexit: right\n\nAA.\n", Partitions: 1})}}
	c := f.client(t)
	r, err := c.Open(t.Context(), "n")
	if err != nil {
		t.Fatal(err)
	}
	if r.Entries() != 1 || r.Spec().Name != "n" || r.Board().Name != "n" || len(r.History().Layers(history.Forward)) != 0 {
		t.Errorf("got %d entries, %+v", r.Entries(), r.Spec())
	}
	f.log = append(f.log, journal.Layer(history.Layer{Phase: history.Forward, Epoch: 1, States: 1, PartStates: []int64{1}}))
	if err := r.Refresh(t.Context()); err != nil || len(r.History().Layers(history.Forward)) != 1 {
		t.Errorf("%d layers, %v", len(r.History().Layers(history.Forward)), err)
	}
	// The layer was lost, and made again.
	f.log[1] = journal.Layer(history.Layer{Phase: history.Forward, Epoch: 2, States: 1, PartStates: []int64{1}})
	if err := r.Refresh(t.Context()); err != nil || r.History().Layers(history.Forward)[0].Epoch != 2 {
		t.Errorf("%+v, %v", r.History().Layers(history.Forward), err)
	}
	f.log = append(f.log, f.log[1]) // a layer twice is not a history
	if err := r.Refresh(t.Context()); err == nil || r.Entries() != 2 {
		t.Errorf("%d entries, %v", r.Entries(), err)
	}
}

func testShape() store.Shape { return store.Shape{Stride: 1, KeyBits: 40, MoveBits: 4} }

// message puts blocks of a partition into a message.
func message(part uint32, blocks ...[]byte) *everystatev1.ReadLayerResponse {
	var m everystatev1.ReadLayerResponse
	for _, b := range blocks {
		m.Blocks = append(m.Blocks, &everystatev1.PartBlock{Partition: part, Block: b})
	}
	return &m
}

// TestCursor shows that only what was committed is taken for it.
func TestCursor(t *testing.T) {
	t.Parallel()
	shape := testShape()
	block := func(recs ...uint64) []byte { return shape.AppendBlock(nil, recs) }
	flipped := block(16, 32)
	flipped[5] ^= 1
	type messages = []*everystatev1.ReadLayerResponse
	for _, test := range []struct {
		name     string
		messages messages
		states   []int64 // by partition, of which 1 and 3 are asked for
		fault    string
	}{
		{"whole", messages{message(1, block(16, 33)), message(1, block(48)), message(3, block(16))}, []int64{0, 3, 9, 1}, ""},
		{"short", messages{message(1, block(16, 33)), message(3, block(16))}, []int64{0, 3, 9, 1}, "partition 1: 1 states are missing"},
		{"without one", messages{message(3, block(16))}, []int64{0, 3, 9, 1}, "partition 1: 3 states are missing"},
		{"without the last", messages{message(1, block(16, 33), block(48))}, []int64{0, 3, 9, 1}, "partition 3: 1 states are missing"},
		{"long", messages{message(1, block(16, 33), block(48))}, []int64{0, 2, 9, 1}, "partition 1: has more states than were committed"},
		{"flipped", messages{message(1, flipped)}, []int64{0, 2, 0, 1}, "checksum does not match"},
		{"cut", messages{message(1, block(16)[:7])}, []int64{0, 1, 0, 1}, "checksum does not match"},
		{"wide", messages{message(1, store.Shape{Stride: 3}.AppendBlock(nil, []uint64{1, 2, 3}))}, []int64{0, 1, 0, 1}, "is not a block of this run"},
		{"twice", messages{message(1, block(16, 33), block(33, 48))}, []int64{0, 4, 0, 1}, "blocks out of order"},
		{"not asked for", messages{message(2, block(16))}, []int64{0, 1, 9, 1}, "partition 2, which was not asked for"},
		{"over", messages{message(3, block(16)), message(1, block(16))}, []int64{0, 0, 9, 1}, "partition 1, which was not asked for or has ended"},
		{"nothing", messages{message(1)}, []int64{0, 1, 9, 1}, "a message without blocks"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := fake{messages: test.messages}
			r := &records{client: f.client(t), run: "jam", shape: shape}
			c, err := r.Cursor(t.Context(), history.Layer{Phase: history.Forward, PartStates: test.states}, []partition.ID{1, 3})
			if err != nil {
				t.Fatal(err)
			}
			var got []uint64
			for {
				var recs []uint64
				if _, recs, err = c.Next(); err != nil || len(recs) == 0 {
					break
				}
				got = append(got, recs...)
			}
			if cerr := c.Close(); cerr != nil {
				t.Error(cerr)
			}
			switch {
			case test.fault == "" && (err != nil || !slices.Equal(got, []uint64{16, 33, 48, 16})):
				t.Errorf("got %v, %v", got, err)
			case test.fault != "" && (!store.IsCorruption(err) || !strings.Contains(err.Error(), test.fault)):
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestRequests asks for more partitions than one request may name.
func TestRequests(t *testing.T) {
	t.Parallel()
	var f fake
	r := &Run{client: f.client(t), name: "jam"}
	layer := history.Layer{Phase: history.Forward, PartStates: make([]int64, 4096)}
	for p := range layer.PartStates {
		layer.PartStates[p] = int64(p % 2)
	}
	if err := r.Layer(t.Context(), layer, func(uint32, []byte) error { return nil }); err != nil {
		t.Fatal(err)
	}
	var all []uint32
	for _, parts := range f.asked {
		if err := layerstream.CheckParts(parts); err != nil {
			t.Error(err)
		}
		all = append(all, parts...)
	}
	if len(f.asked) != 2 || len(all) != 2048 || all[0] != 1 || all[2047] != 4095 || !slices.IsSorted(all) {
		t.Errorf("%d requests for %d partitions", len(f.asked), len(all))
	}
}

// TestCloseEarly closes a cursor of which more would come.
func TestCloseEarly(t *testing.T) {
	t.Parallel()
	f := fake{messages: []*everystatev1.ReadLayerResponse{message(0, testShape().AppendBlock(nil, []uint64{16}))}, hang: true, ended: make(chan error, 1)}
	r := &records{client: f.client(t), run: "jam", shape: testShape()}
	c, err := r.Cursor(t.Context(), history.Layer{Phase: history.Forward, PartStates: []int64{2}}, []partition.ID{0})
	if err != nil {
		t.Fatal(err)
	}
	if _, recs, err := c.Next(); err != nil || len(recs) != 1 {
		t.Fatalf("%v, %v", recs, err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-f.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the stream ended with %v", err)
	}
	if _, recs, err := c.Next(); err == nil || len(recs) > 0 {
		t.Errorf("after the end: %v, %v", recs, err)
	}

	// Not one that was never read, either.
	f.hang = false
	if c, err = r.Cursor(t.Context(), history.Layer{Phase: history.Forward, PartStates: []int64{2}}, []partition.ID{0}); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if len(f.asked) != 1 {
		t.Errorf("%d requests", len(f.asked))
	}

	f.hang = true
	mine := errors.New("mine")
	run := &Run{client: r.client, name: "jam"}
	err = run.Layer(t.Context(), history.Layer{Phase: history.Forward, PartStates: []int64{2}}, func(uint32, []byte) error { return mine })
	if serr := <-f.ended; !errors.Is(err, mine) || !errors.Is(serr, context.Canceled) {
		t.Errorf("got %v, and the stream ended with %v", err, serr)
	}
}

// TestCancelledCursor ends a call that waits by its context.
func TestCancelledCursor(t *testing.T) {
	t.Parallel()
	f := fake{messages: []*everystatev1.ReadLayerResponse{message(0, testShape().AppendBlock(nil, []uint64{16}))}, hang: true, ended: make(chan error, 1)}
	r := &records{client: f.client(t), run: "jam", shape: testShape()}
	ctx, cancel := context.WithCancel(t.Context())
	c, err := r.Cursor(ctx, history.Layer{Phase: history.Forward, PartStates: []int64{2}}, []partition.ID{0})
	if err != nil {
		t.Fatal(err)
	}
	if _, recs, err := c.Next(); err != nil || len(recs) != 1 {
		t.Fatalf("%v, %v", recs, err)
	}
	cancel()
	if _, recs, err := c.Next(); !errors.Is(err, context.Canceled) || len(recs) > 0 {
		t.Errorf("cancelled: %v, %v", recs, err)
	}
	if err := <-f.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the stream ended with %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := r.Find(ctx, history.Layer{Phase: history.Forward, PartStates: []int64{2}}, 0, []uint64{16}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a look-up that is cancelled: %v", err)
	}
}
