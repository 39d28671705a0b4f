package client

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store"
)

// fake answers with what it is given.
type fake struct {
	everystatev1.UnimplementedRunServiceServer
	everystatev1.UnimplementedRecordServiceServer
	err    error
	blocks [][]byte
	log    [][]byte
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

func (f *fake) ReadBlocks(_ *everystatev1.ReadBlocksRequest, out everystatev1.RecordService_ReadBlocksServer) error {
	for _, b := range f.blocks {
		if err := out.Send(&everystatev1.ReadBlocksResponse{Block: b}); err != nil {
			return err
		}
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
		{status.Error(codes.Unavailable, "worker b is not there"), ErrAway, "worker b is not there"},
		{status.Error(codes.Unimplemented, "x"), ErrNoCoordinator, "ADDR is no coordinator"},
		{status.Error(codes.InvalidArgument, "two\nlines"), ErrRefused, "two; lines"},
		{status.Error(codes.DataLoss, "the journal is damaged"), nil, "ADDR: the journal is damaged"},
	} {
		f := fake{err: test.err}
		c := f.client(t)
		_, err := c.Open(t.Context(), "jam")
		if text := strings.ReplaceAll(err.Error(), c.Addr(), "ADDR"); text != test.text || test.kind != nil && !errors.Is(err, test.kind) {
			t.Errorf("%v: %q, %v", test.err, text, err)
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
	f := fake{log: [][]byte{journal.Spec(core.Spec{Family: "rush-hour", Name: "n", Metric: "step", Text: "AA.\n", Partitions: 1})}}
	c := f.client(t)
	r, err := c.Open(t.Context(), "n")
	if err != nil {
		t.Fatal(err)
	}
	if r.Entries() != 1 || r.Spec().Name != "n" || r.Board().Name != "n" || len(r.History().Layers(core.Forward)) != 0 {
		t.Errorf("got %d entries, %+v", r.Entries(), r.Spec())
	}
	f.log = append(f.log, journal.Layer(core.Layer{Phase: core.Forward, Epoch: 1, States: 1, PartStates: []int64{1}}))
	if err := r.Refresh(t.Context()); err != nil || len(r.History().Layers(core.Forward)) != 1 {
		t.Errorf("%d layers, %v", len(r.History().Layers(core.Forward)), err)
	}
	f.log = append(f.log, f.log[1]) // a layer twice is no history
	if err := r.Refresh(t.Context()); err == nil || r.Entries() != 2 {
		t.Errorf("%d entries, %v", r.Entries(), err)
	}
}

// TestCursor shows that only what was committed is taken for it.
func TestCursor(t *testing.T) {
	t.Parallel()
	shape := store.Shape{Stride: 1, KeyBits: 40, MoveBits: 4}
	block := func(recs ...uint64) []byte { return shape.AppendBlock(nil, recs) }
	flipped := block(16, 32)
	flipped[5] ^= 1
	for _, test := range []struct {
		name   string
		blocks [][]byte
		states int64
		fault  string
	}{
		{"whole", [][]byte{block(16, 33), block(48)}, 3, ""},
		{"short", [][]byte{block(16, 33)}, 3, "1 states are missing"},
		{"long", [][]byte{block(16, 33), block(48)}, 2, "holds more states than were committed"},
		{"flipped", [][]byte{flipped}, 2, "checksum does not match"},
		{"cut", [][]byte{block(16)[:7]}, 1, "checksum does not match"},
		{"twice", [][]byte{block(16, 33), block(33, 48)}, 4, "blocks are not in order"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := fake{blocks: test.blocks}
			r := &records{client: f.client(t), run: "jam", shape: shape}
			c, err := r.Cursor(core.Layer{Phase: core.Forward, PartStates: []int64{test.states}}, 0)
			if err != nil {
				t.Fatal(err)
			}
			var got []uint64
			for {
				var recs []uint64
				if recs, err = c.Next(); err != nil || len(recs) == 0 {
					break
				}
				got = append(got, recs...)
			}
			if cerr := c.Close(); cerr != nil {
				t.Error(cerr)
			}
			switch {
			case test.fault == "" && (err != nil || !slices.Equal(got, []uint64{16, 33, 48})):
				t.Errorf("got %v, %v", got, err)
			case test.fault != "" && (!store.IsCorruption(err) || !strings.Contains(err.Error(), test.fault)):
				t.Errorf("got %v", err)
			}
		})
	}
}
