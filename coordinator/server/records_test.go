package server

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/relay"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/store"
)

// fakeWorker has made-up blocks in partitions.
type fakeWorker struct {
	everystatev1.UnimplementedRecordServiceServer
	blocks map[uint32][][]byte
	sent   atomic.Int64 // bytes of blocks
	err    error        // behind the blocks
	lies   bool         // sends a partition that nobody asked for
	bent   bool         // sends a block whose checksum does not match
}

func (f *fakeWorker) ReadLayer(req *everystatev1.ReadLayerRequest, out everystatev1.RecordService_ReadLayerServer) error {
	sender := layerstream.NewSender(out.Send)
	for _, part := range req.GetPartitions() {
		if f.lies {
			part++
		}
		for _, block := range f.blocks[part] {
			if f.bent {
				block = append([]byte{1}, block...)
			}
			if err := sender.Add(part, block); err != nil {
				return err
			}
			f.sent.Add(int64(len(block)))
		}
	}
	if err := sender.Flush(); err != nil {
		return err
	}
	return f.err
}

func (f *fakeWorker) FindRecord(context.Context, *everystatev1.FindRecordRequest) (*everystatev1.FindRecordResponse, error) {
	return &everystatev1.FindRecordResponse{}, f.err
}

func serveRecords(t *testing.T, s everystatev1.RecordServiceServer) (address string) {
	t.Helper()
	lis, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer()
	everystatev1.RegisterRecordServiceServer(g, s)
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

// coordinate returns a client of a coordinator of workers. home gives the worker
// that keeps a partition.
func coordinate(t *testing.T, workers []*fakeWorker, partitions int, home func(part int) int) everystatev1.RecordServiceClient {
	t.Helper()
	plain := grpc.WithTransportCredentials(insecure.NewCredentials())
	s := &Server{clients: relay.NewClients(plain), members: make(map[string]*member), roster: core.NewRoster(core.RosterOptions{})}
	t.Cleanup(func() {
		if err := s.clients.Close(); err != nil {
			t.Error(err)
		}
	})
	var place history.Placement
	for i, w := range workers {
		name := fmt.Sprintf("w%d", i)
		place.Workers = append(place.Workers, name)
		if w == nil {
			s.members[name] = &member{name: name} // is not there
			continue
		}
		s.members[name] = &member{name: name, address: serveRecords(t, w)}
		if _, err := s.roster.Call(0, core.Call{Worker: name}); err != nil {
			t.Fatal(err)
		}
	}
	for part := range partitions {
		place.Homes = append(place.Homes, history.WorkerID(home(part)))
	}
	r := &run{server: s, name: "jam"}
	r.job = newJob(r)
	if !r.history.AddPlacement(place) ||
		!r.history.AddLayer(history.Layer{Phase: history.Forward, Epoch: 7, States: 1, PartStates: make([]int64, partitions)}) {
		t.Fatal("that is not a history")
	}
	s.runs = map[string]*run{"jam": r}
	conn, err := grpc.NewClient(serveRecords(t, &recordService{Server: s}), plain)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return everystatev1.NewRecordServiceClient(conn)
}

func request(parts ...uint32) *everystatev1.ReadLayerRequest {
	return &everystatev1.ReadLayerRequest{Run: "jam", Phase: everystatev1.Phase_PHASE_FORWARD, Epoch: 7, Partitions: parts}
}

func readAll(ctx context.Context, client everystatev1.RecordServiceClient, req *everystatev1.ReadLayerRequest) (blocks map[uint32][][]byte, err error) {
	stream, err := client.ReadLayer(ctx, req)
	if err != nil {
		return nil, err
	}
	blocks = make(map[uint32][][]byte)
	return blocks, layerstream.NewReader(stream.Recv, req.GetPartitions()).All(func(part uint32, block []byte) error {
		blocks[part] = append(blocks[part], block)
		return nil
	})
}

// narrowBlock is a block of some records, about two bytes each.
func narrowBlock(first uint64, records int) []byte {
	recs := make([]uint64, records)
	for i := range recs {
		recs[i] = (first + uint64(i)*1000) << 4
	}
	return store.Shape{Stride: 1, KeyBits: 60, MoveBits: 4}.AppendBlock(nil, recs)
}

// TestReadLayerMerges reads from workers whose partitions alternate, lie apart or
// are one behind the other.
func TestReadLayerMerges(t *testing.T) {
	t.Parallel()
	const partitions = 512
	for name, home := range map[string]func(part int) int{
		"one":       func(int) int { return 2 },
		"alternate": func(part int) int { return part % 3 },
		"behind":    func(part int) int { return part * 3 / partitions },
		"mixed":     func(part int) int { return part * part / 7 % 3 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			workers := []*fakeWorker{{}, {}, {}}
			all := make(map[uint32][][]byte)
			var parts []uint32
			for part := range uint32(partitions) {
				parts = append(parts, part)
				n := int(part * 5 % 4)
				if part%100 == 50 {
					n = 70 // several messages
				}
				for i := range n {
					all[part] = append(all[part], narrowBlock(uint64(part)<<30|uint64(i)<<24, 1+int(part)*i%4000))
				}
			}
			for _, w := range workers {
				w.blocks = all
			}
			client := coordinate(t, workers, partitions, home)
			for _, some := range [][]uint32{parts, parts[200:210], {50}, {0, 511}} {
				got, err := readAll(t.Context(), client, request(some...))
				if err != nil {
					t.Fatal(err)
				}
				for _, part := range some {
					if !slices.EqualFunc(got[part], all[part], slices.Equal) {
						t.Errorf("partition %d: %d of %d blocks", part, len(got[part]), len(all[part]))
					}
				}
			}
		})
	}
}

// TestReadLayerErrors says what goes wrong, and with whom.
func TestReadLayerErrors(t *testing.T) {
	t.Parallel()
	good := make(map[uint32][][]byte)
	for part := range uint32(32) {
		good[part] = [][]byte{narrowBlock(1, 1)}
	}
	workers := []*fakeWorker{
		{blocks: good}, nil, {blocks: good, err: status.Error(codes.DataLoss, "block 7 is damaged")},
		{blocks: good, lies: true}, {blocks: good, bent: true},
	}
	// The partitions 4n to 4n+3 are kept by worker n.
	client := coordinate(t, workers, 32, func(part int) int { return part / 4 % len(workers) })
	change := func(f func(*everystatev1.ReadLayerRequest)) *everystatev1.ReadLayerRequest {
		req := request(0, 1)
		f(req)
		return req
	}
	for _, test := range []struct {
		name string
		req  *everystatev1.ReadLayerRequest
		code codes.Code
		text string
	}{
		{"good", request(0, 1), codes.OK, ""},
		{"another run", change(func(r *everystatev1.ReadLayerRequest) { r.Run = "jim" }), codes.NotFound, "no run"},
		{"another layer", change(func(r *everystatev1.ReadLayerRequest) { r.Depth = 1 }), codes.NotFound, "no such layer"},
		{"another attempt", change(func(r *everystatev1.ReadLayerRequest) { r.Epoch = 8 }), codes.NotFound, "no such layer"},
		{"another phase", change(func(r *everystatev1.ReadLayerRequest) { r.Phase = 2 }), codes.NotFound, "no such layer"},
		{"no phase", change(func(r *everystatev1.ReadLayerRequest) { r.Phase = -1 }), codes.NotFound, "no such layer"},
		{"partition", request(0, 32), codes.InvalidArgument, "no partition 32"},
		{"a large partition", request(0, 1<<32-1), codes.InvalidArgument, "no partition 4294967295"},
		{"no partition", request(), codes.InvalidArgument, "0 partitions"},
		{"order", request(1, 0), codes.InvalidArgument, "partition 0 after 1"},
		{"too many", request(make([]uint32, 1025)...), codes.InvalidArgument, "1025 partitions"},
		{"not there", request(0, 5), codes.Unavailable, "worker w1, which has partition 5, is not connected"},
		{"damaged", request(0, 9), codes.DataLoss, "worker w2: block 7 is damaged"},
		{"another partition", request(12, 13), codes.Internal, "worker w3: an invalid answer: partition 14"},
		{"bent", request(0, 16), codes.DataLoss, "worker w4: corrupted: partition 16: checksum does not match"},
	} {
		_, err := readAll(t.Context(), client, test.req)
		if status.Code(err) != test.code || err != nil && !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	find := func(part uint32) error {
		_, err := client.FindRecord(t.Context(), &everystatev1.FindRecordRequest{Part: &everystatev1.LayerPart{
			Run: "jam", Phase: everystatev1.Phase_PHASE_FORWARD, Epoch: 7, Partition: part,
		}})
		return err
	}
	if err := find(3); err != nil {
		t.Error(err)
	}
	if err := find(9); status.Code(err) != codes.DataLoss || !strings.Contains(err.Error(), "worker w2: block 7") {
		t.Errorf("find in a damaged partition: %v", err)
	}
	if err := find(6); status.Code(err) != codes.Unavailable {
		t.Errorf("find where nobody is: %v", err)
	}
}

// TestNotConnected says what to do about a worker that is lost.
func TestNotConnected(t *testing.T) {
	t.Parallel()
	s, r := &recordService{Server: fuzzServer(t)}, &run{name: "jam"}
	table := &run{name: "jam", spec: history.Spec{Store: history.Table}}
	if _, err := s.keeper(table, "w", 5); !strings.HasSuffix(status.Convert(err).Message(), "or have another worker recompute the table with `everystate resume jam`") {
		t.Errorf("of a table: %v", err)
	}
	for help, kept := range map[string]*backup{
		"; nobody else has it: start the worker again with its directory":                                nil,
		": start it again, or let other workers restore it from the bucket with `everystate resume jam`": {},
	} {
		r.backup = kept
		_, err := s.keeper(r, "w", 5)
		if want := "worker w, which has partition 5, is not connected" + help; status.Convert(err).Message() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

// TestReadLayerStalled lets a client stop reading: it holds up nobody else, and
// what waits for it is bounded.
func TestReadLayerStalled(t *testing.T) {
	t.Parallel()
	const total = 96 << 20
	block := narrowBlock(1, store.BlockRecords)
	many := make([][]byte, total/len(block))
	for i := range many {
		many[i] = block
	}
	workers := []*fakeWorker{
		{blocks: map[uint32][][]byte{0: many, 2: {block}}}, {blocks: map[uint32][][]byte{1: {block}, 3: {block}}},
	}
	client := coordinate(t, workers, 4, func(part int) int { return part % 2 })
	ctx, cancel := context.WithCancel(t.Context())
	stalled, err := client.ReadLayer(ctx, request(0, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stalled.Recv(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		got, err := readAll(t.Context(), client, request(2, 3))
		if err != nil || len(got[2]) != 1 || len(got[3]) != 1 {
			t.Fatalf("%d and %d blocks, %v", len(got[2]), len(got[3]), err)
		}
	}
	// Two connections let through at most 16 MiB each (grpc-go, bdpLimit).
	if sent := workers[0].sent.Load(); sent > 40<<20 {
		t.Errorf("%d of %d bytes were sent to nobody", sent, total)
	}
	cancel()
	for err == nil {
		_, err = stalled.Recv()
	}
	if status.Code(err) != codes.Canceled {
		t.Errorf("the stalled call ended with %v", err)
	}
}
