package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/naming"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/exchange"
	workername "github.com/everystate/everystate/worker/identity"
	"github.com/everystate/everystate/worker/keptrun"
)

func readBoard(t *testing.T) puzzle.Board {
	t.Helper()
	text, err := os.ReadFile("../../puzzles/rushhour/jam-93.txt")
	if err != nil {
		t.Fatal(err)
	}
	boards, err := families.Read(text, puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return boards[0]
}

func specOf(b puzzle.Board, partitions uint32) *everystatev1.RunSpec {
	return &everystatev1.RunSpec{
		Family: b.Family, Name: b.Name, Metric: b.Metric, Text: b.Text, Partitions: partitions, FormatVersion: keptrun.FormatVersion,
	}
}

// truth is the summary of a plain search, without any of the engine's packages
// but the digest.
var truth = sync.OnceValue(func() string {
	text, err := os.ReadFile("../../puzzles/rushhour/jam-93.txt")
	if err != nil {
		panic(err)
	}
	boards, err := families.Read(text, puzzle.ReadOptions{})
	if err != nil {
		panic(err)
	}
	p := boards[0].Puzzle
	var b strings.Builder
	seen := make(map[uint64]bool)
	starts := make(map[uint64]puzzle.Move)
	for _, k := range p.Starts() {
		starts[k] = 0
	}
	plainSearch(&b, p, forward, starts, seen)
	keys := slices.Collect(maps.Keys(seen))
	marks := make([]bool, len(keys))
	p.Goals(keys, marks)
	goals := make(map[uint64]puzzle.Move)
	for i, k := range keys {
		if marks[i] {
			goals[k] = 0
		}
	}
	plainSearch(&b, p, goal, goals, make(map[uint64]bool))
	return b.String()
})

func plainSearch(b *strings.Builder, p puzzle.Puzzle, phase uint8, layer map[uint64]puzzle.Move, seen map[uint64]bool) {
	for depth := uint32(0); len(layer) > 0; depth++ {
		var d digest.Digest
		keys := slices.Collect(maps.Keys(layer))
		goals := 0
		marks := make([]bool, len(keys))
		p.Goals(keys, marks)
		for i, k := range keys {
			seen[k] = true
			d.AddState(digest.LayerSalt(phase, depth), []uint64{k}, layer[k])
			if marks[i] && phase == forward {
				goals++
			}
		}
		fmt.Fprintf(b, "%d %d: %d states, %d goals, %x\n", phase, depth, len(layer), goals, d.Bytes())
		var edges puzzle.Edges
		p.Successors(keys, &edges)
		layer = make(map[uint64]puzzle.Move)
		for i, k := range edges.Keys {
			if seen[k] {
				continue
			}
			if move, ok := layer[k]; !ok || edges.Moves[i] < move {
				layer[k] = edges.Moves[i]
			}
		}
	}
}

// process is a node under test.
type process struct {
	stop  context.CancelFunc
	done  chan error
	drain chan struct{}
	stats Stats
	log   *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func start(t *testing.T, coordinator, data string) *process {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	p := &process{stop: stop, done: make(chan error, 1), drain: make(chan struct{}), log: new(lockedBuffer)}
	go func() {
		p.done <- Run(ctx, Options{
			Coordinator: coordinator, Data: data, Lanes: 2, MemoryBytes: 64 << 20, Drain: p.drain, Stats: &p.stats,
			BackOffMax: 100 * time.Millisecond,
			Log:        slog.New(slog.NewTextHandler(p.log, nil)),
		})
	}()
	t.Cleanup(func() {
		stop()
		p.wait(t)
		if t.Failed() {
			t.Log(p.log.String())
		}
	})
	return p
}

// wait waits for the end, which may be asked for more than once.
func (p *process) wait(t *testing.T) {
	t.Helper()
	select {
	case err := <-p.done:
		if err != nil {
			t.Errorf("the worker ended with: %v", err)
		}
		p.done <- nil
	case <-time.After(60 * time.Second):
		t.Error("the worker did not end")
	}
}

func compare(t *testing.T, got string) {
	t.Helper()
	if want := truth(); got != want {
		t.Errorf("the layers are not those of a plain search\ngot:\n%s\nwant:\n%s", got, want)
	}
}

func dial(t *testing.T, address string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestEnumerate(t *testing.T) {
	t.Parallel()
	board := readBoard(t)
	f := newCoordinator(t, specOf(board, 8), "")
	nodes := []*process{start(t, f.address, t.TempDir()), start(t, f.address, t.TempDir())}
	names := f.names(t, 2)
	f.phase(t, everystatev1.Phase_PHASE_FORWARD, names)
	f.phase(t, everystatev1.Phase_PHASE_GOAL, names)
	compare(t, f.summary())

	sent := nodes[0].stats.Sent.Load() + nodes[1].stats.Sent.Load()
	if received := nodes[0].stats.Received.Load() + nodes[1].stats.Received.Load(); sent != received || sent == 0 {
		t.Errorf("%d candidates sent, %d received", sent, received)
	}
	t.Logf("%d candidates for others, %d sent, %d bytes",
		nodes[0].stats.Candidates.Load()+nodes[1].stats.Candidates.Load(), sent,
		nodes[0].stats.SentBytes.Load()+nodes[1].stats.SentBytes.Load())

	checkRecords(t, f, names, board)

	// A worker that has drained ends by itself, when its attempt is over.
	close(nodes[0].drain)
	f.wait(t, "one drains", func() bool {
		return f.members[names[0]].draining || f.members[names[1]].draining
	})
	f.mu.Lock()
	for _, m := range f.members {
		m.attempt, m.order = nil, m.order+1
	}
	f.touch()
	f.mu.Unlock()
	nodes[0].wait(t)
}

// checkRecords reads every record of the forward phase back, and looks for each
// layer's first.
func checkRecords(t *testing.T, f *fakeCoordinator, names []string, board puzzle.Board) {
	t.Helper()
	scheme, err := partition.New(board.Puzzle.Layout(), int(f.spec.GetPartitions()))
	if err != nil {
		t.Fatal(err)
	}
	shape := worker.ShapeOf(scheme)
	var clients []everystatev1.RecordServiceClient
	for _, name := range names {
		clients = append(clients, everystatev1.NewRecordServiceClient(dial(t, f.addressOf(name))))
	}
	for _, l := range f.committed() {
		var d digest.Digest
		for p := range l.GetPartitionStates() {
			part := &everystatev1.LayerPart{
				RunIdentity: identity, Reader: "somebody", Keeper: names[p%len(names)],
				Run: runName, Phase: l.GetPhase(), Depth: l.GetDepth(), Epoch: l.GetEpoch(), Partition: uint32(p),
			}
			client := clients[p%len(names)]
			recs := readPart(t, client, shape, part)
			for _, r := range recs {
				key := scheme.KeyNarrow(partition.ID(p), r)
				d.AddState(digest.LayerSalt(uint8(l.GetPhase()), l.GetDepth()), []uint64{key}, scheme.Move([]uint64{r}))
			}
			if len(recs) == 0 {
				continue
			}
			found, err := client.FindRecord(t.Context(), &everystatev1.FindRecordRequest{Part: part, Record: recs[:1]})
			if err != nil || !slices.Equal(found.GetRecord(), recs[:1]) {
				t.Fatalf("%v: found %v, %v", part, found, err)
			}
			missing, err := client.FindRecord(t.Context(), &everystatev1.FindRecordRequest{Part: part, Record: []uint64{^uint64(0)}})
			if err != nil || len(missing.GetRecord()) != 0 {
				t.Fatalf("%v: found %v, %v", part, missing, err)
			}
		}
		if got := d.Bytes(); !bytes.Equal(got, l.GetDigest()) {
			t.Fatalf("%v layer %d read back: digest %x, want %x", l.GetPhase(), l.GetDepth(), got, l.GetDigest())
		}
	}
}

func readPart(t *testing.T, client everystatev1.RecordServiceClient, shape store.Shape, part *everystatev1.LayerPart) []uint64 {
	t.Helper()
	var recs []uint64
	id := store.SegmentID{Phase: uint8(part.GetPhase()), Layer: part.GetDepth(), Epoch: uint32(part.GetEpoch())}
	err := exchange.ReadLayer(t.Context(), client, exchange.Reading{Run: part.GetRun(), Identity: history.Identity(part.GetRunIdentity()), Reader: part.GetReader(), Keeper: part.GetKeeper()}, id, []uint32{part.GetPartition()}, func(_ uint32, block []byte) error {
		var ok bool
		if recs, ok = shape.DecodeBlock(recs, block); !ok {
			return errors.New("no block")
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%v: %v", part, err)
	}
	return recs
}

// TestRestart kills a worker when it has written a layer that is not committed
// yet, and another time in the middle of a layer.
func TestRestart(t *testing.T) {
	t.Parallel()
	f := newCoordinator(t, specOf(readBoard(t), 8), "")
	dirs := map[string]string{}
	procs := map[string]*process{}
	for n := range 2 {
		dir := t.TempDir()
		p := start(t, f.address, dir)
		f.names(t, n+1)
		name, err := os.ReadFile(filepath.Join(dir, workername.File))
		if err != nil {
			t.Fatal(err)
		}
		dirs[strings.TrimSpace(string(name))], procs[strings.TrimSpace(string(name))] = dir, p
	}
	names := f.names(t, 2)
	for _, last := range []everystatev1.Stage{everystatev1.Stage_STAGE_WRITTEN, everystatev1.Stage_STAGE_EXPANDED} {
		for range 20 {
			f.layer(t, everystatev1.Phase_PHASE_FORWARD, names)
		}
		epoch := f.order(everystatev1.Phase_PHASE_FORWARD, names, nil)
		f.stages(t, names, epoch, last)
		f.mu.Lock()
		before := f.members[names[1]].incarnation
		f.mu.Unlock()
		procs[names[1]].stop()
		procs[names[1]].wait(t)
		procs[names[1]] = start(t, f.address, dirs[names[1]])
		f.wait(t, "the worker is back under its name", func() bool { return f.members[names[1]].incarnation != before })
	}
	f.phase(t, everystatev1.Phase_PHASE_FORWARD, names)
	f.phase(t, everystatev1.Phase_PHASE_GOAL, names)
	compare(t, f.summary())
}

// TestNewEpochCancels lets a worker wait for a peer that never answers, and
// tells it of another attempt.
func TestNewEpochCancels(t *testing.T) {
	t.Parallel()
	f := newCoordinator(t, specOf(readBoard(t), 8), "")
	start(t, f.address, t.TempDir())
	start(t, f.address, t.TempDir())
	names := f.names(t, 2)
	for range 10 {
		f.layer(t, everystatev1.Phase_PHASE_FORWARD, names)
	}
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	epoch := f.order(everystatev1.Phase_PHASE_FORWARD, names, func(string) string { return silent.Addr().String() })
	f.stages(t, names, epoch, everystatev1.Stage_STAGE_BEGUN)
	f.raise(names, everystatev1.Stage_STAGE_EXPANDED)
	f.wait(t, "the order is taken", func() bool {
		for _, name := range names {
			if m := f.members[name]; m.taken != m.order {
				return false
			}
		}
		return true
	})
	f.phase(t, everystatev1.Phase_PHASE_FORWARD, names)
	f.phase(t, everystatev1.Phase_PHASE_GOAL, names)
	compare(t, f.summary())
}

// TestBrokenStreamIsNoFault lets one worker begin an attempt that the other has
// not been told of: its candidates are refused.
func TestBrokenStreamIsNoFault(t *testing.T) {
	t.Parallel()
	f := newCoordinator(t, specOf(readBoard(t), 8), "")
	start(t, f.address, t.TempDir())
	start(t, f.address, t.TempDir())
	names := f.names(t, 2)
	for range 10 {
		f.layer(t, everystatev1.Phase_PHASE_FORWARD, names)
	}
	epoch := f.order(everystatev1.Phase_PHASE_FORWARD, names, nil)
	f.stages(t, names, epoch, everystatev1.Stage_STAGE_BEGUN)
	f.mu.Lock()
	f.members[names[1]].attempt = nil
	f.members[names[1]].order++
	f.touch()
	f.mu.Unlock()
	f.wait(t, "one has given the attempt up", func() bool { return f.members[names[1]].report.GetEpoch() == 0 })
	f.raise(names[:1], everystatev1.Stage_STAGE_EXPANDED)
	failure := f.reach(t, names[:1], epoch, everystatev1.Stage_STAGE_EXPANDED)
	if !strings.HasPrefix(failure, "FAILURE_KIND_INTERRUPTED: ") || !strings.Contains(failure, "no such attempt") {
		t.Errorf("failure %q", failure)
	}
	f.phase(t, everystatev1.Phase_PHASE_FORWARD, names)
	f.phase(t, everystatev1.Phase_PHASE_GOAL, names)
	compare(t, f.summary())
}

func TestRefused(t *testing.T) {
	t.Parallel()
	board := readBoard(t)
	f := newCoordinator(t, specOf(board, 8), "")
	p := start(t, f.address, t.TempDir())
	names := f.names(t, 1)
	f.layer(t, everystatev1.Phase_PHASE_FORWARD, names)
	epoch := f.order(everystatev1.Phase_PHASE_FORWARD, names, nil)
	f.stages(t, names, epoch, everystatev1.Stage_STAGE_BEGUN)
	conn := dial(t, f.addressOf(names[0]))
	sends := everystatev1.NewExchangeServiceClient(conn)
	send := func(reqs ...*everystatev1.SendRequest) codes.Code {
		stream, err := sends.Send(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range reqs {
			if stream.Send(r) != nil {
				break // the reason comes with the answer
			}
		}
		if err := stream.CloseSend(); err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = stream.Recv()
		}
		if errors.Is(err, io.EOF) {
			return codes.OK
		}
		return status.Code(err)
	}
	scheme, err := partition.New(board.Puzzle.Layout(), 8)
	if err != nil {
		t.Fatal(err)
	}
	shape := worker.ShapeOf(scheme)
	part, rec := scheme.RecordNarrow(board.Puzzle.Starts()[0], 0)
	good := shape.AppendBlock(nil, []uint64{rec})
	bent := slices.Clone(good)
	bent[5]++
	wide := shape.AppendBlock(nil, []uint64{1 << scheme.LocalBits() << scheme.MoveBits()})
	garbage := store.Shape{Stride: 3}.AppendBlock(nil, []uint64{1, 2, 3})
	message := func(run string, epoch uint64, part uint32, block []byte) *everystatev1.SendRequest {
		return &everystatev1.SendRequest{
			Run: run, Epoch: epoch, Phase: everystatev1.Phase_PHASE_FORWARD, Depth: 1, Sender: names[0], Receiver: names[0], RunIdentity: identity,
			Blocks: []*everystatev1.PartitionBlock{{Partition: part, Block: block}}, Last: true,
		}
	}
	other := func(change func(*everystatev1.SendRequest)) []*everystatev1.SendRequest {
		m := message(runName, epoch, uint32(part), good)
		change(m)
		return []*everystatev1.SendRequest{m}
	}
	for _, test := range []struct {
		name string
		reqs []*everystatev1.SendRequest
		want codes.Code
	}{
		{"a start state", []*everystatev1.SendRequest{message(runName, epoch, uint32(part), good)}, codes.OK},
		{"no message", nil, codes.OK},
		{"an attempt twice", []*everystatev1.SendRequest{
			message(runName, epoch, uint32(part), good), message(runName, epoch, uint32(part), good),
		}, codes.OK},
		{"an earlier attempt after another", []*everystatev1.SendRequest{
			message(runName, epoch, uint32(part), good), message(runName, epoch-1, uint32(part), good),
		}, codes.FailedPrecondition},
		{"no end", other(func(m *everystatev1.SendRequest) { m.Last = false }), codes.InvalidArgument},
		{"no block", other(func(m *everystatev1.SendRequest) { m.Last, m.Blocks = false, nil }), codes.InvalidArgument},
		{"earlier epoch", []*everystatev1.SendRequest{message(runName, epoch-1, uint32(part), good)}, codes.FailedPrecondition},
		{"later epoch", []*everystatev1.SendRequest{message(runName, epoch+1, uint32(part), good)}, codes.FailedPrecondition},
		{"another run", []*everystatev1.SendRequest{message("jam-94", epoch, uint32(part), good)}, codes.FailedPrecondition},
		{"another layer", other(func(m *everystatev1.SendRequest) { m.Depth = 2 }), codes.FailedPrecondition},
		{"another phase", other(func(m *everystatev1.SendRequest) { m.Phase = everystatev1.Phase_PHASE_GOAL }), codes.FailedPrecondition},
		{"another run of the name", other(func(m *everystatev1.SendRequest) { m.RunIdentity = bytes.Repeat([]byte{2}, 16) }), codes.FailedPrecondition},
		{"no identity", other(func(m *everystatev1.SendRequest) { m.RunIdentity = nil }), codes.FailedPrecondition},
		{"half an identity", other(func(m *everystatev1.SendRequest) { m.RunIdentity = []byte{1} }), codes.InvalidArgument},
		{"for another worker", other(func(m *everystatev1.SendRequest) { m.Receiver = "w2" }), codes.FailedPrecondition},
		{"for nobody", other(func(m *everystatev1.SendRequest) { m.Receiver = "" }), codes.FailedPrecondition},
		{"from a stranger", other(func(m *everystatev1.SendRequest) { m.Sender = "w2" }), codes.FailedPrecondition},
		{"no such partition", []*everystatev1.SendRequest{message(runName, epoch, 8, good)}, codes.InvalidArgument},
		{"checksum", []*everystatev1.SendRequest{message(runName, epoch, uint32(part), bent)}, codes.DataLoss},
		{"nothing", []*everystatev1.SendRequest{message(runName, epoch, uint32(part), nil)}, codes.DataLoss},
		{"block of another shape", []*everystatev1.SendRequest{message(runName, epoch, uint32(part), garbage)}, codes.InvalidArgument},
		{"key out of range", []*everystatev1.SendRequest{message(runName, epoch, uint32(part), wide)}, codes.InvalidArgument},
		{"too large", []*everystatev1.SendRequest{message(runName, epoch, uint32(part), make([]byte, exchange.BlockBytesMax+1))}, codes.InvalidArgument},
		{"named twice", append(other(func(m *everystatev1.SendRequest) { m.Last = false }), message(runName, epoch, uint32(part), good)), codes.InvalidArgument},
	} {
		if got := send(test.reqs...); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}

	records := everystatev1.NewRecordServiceClient(conn)
	valid := func(change func(*everystatev1.LayerPart)) *everystatev1.LayerPart {
		p := &everystatev1.LayerPart{
			Run: runName, RunIdentity: identity, Reader: "somebody", Keeper: names[0],
			Phase: everystatev1.Phase_PHASE_FORWARD, Epoch: 1, Partition: uint32(part),
		}
		change(p)
		return p
	}
	for _, test := range []struct {
		name   string
		change func(*everystatev1.LayerPart)
		record []uint64
		want   codes.Code
	}{
		{"none there", func(*everystatev1.LayerPart) {}, []uint64{1}, codes.Unavailable},
		{"no run", func(p *everystatev1.LayerPart) { p.Run = "other" }, []uint64{1}, codes.DataLoss},
		{"escape", func(p *everystatev1.LayerPart) { p.Run = "../worker-id" }, []uint64{1}, codes.InvalidArgument},
		{"dots", func(p *everystatev1.LayerPart) { p.Run = ".." }, []uint64{1}, codes.InvalidArgument},
		{"phase", func(p *everystatev1.LayerPart) { p.Phase = 7 }, []uint64{1}, codes.InvalidArgument},
		{"epoch", func(p *everystatev1.LayerPart) { p.Epoch = 1 << 40 }, []uint64{1}, codes.InvalidArgument},
		{"partition", func(p *everystatev1.LayerPart) { p.Partition = 8 }, []uint64{1}, codes.InvalidArgument},
		{"another worker", func(p *everystatev1.LayerPart) { p.Keeper = "w2" }, []uint64{1}, codes.FailedPrecondition},
		{"no worker", func(p *everystatev1.LayerPart) { p.Keeper = "" }, []uint64{1}, codes.FailedPrecondition},
		{"another run of the name", func(p *everystatev1.LayerPart) { p.RunIdentity = bytes.Repeat([]byte{2}, 16) }, []uint64{1}, codes.FailedPrecondition},
		{"words", func(*everystatev1.LayerPart) {}, []uint64{1, 2}, codes.InvalidArgument},
	} {
		_, err := records.FindRecord(t.Context(), &everystatev1.FindRecordRequest{Part: valid(test.change), Record: test.record})
		if got := status.Code(err); got != test.want {
			t.Errorf("find, %s: %v, want %v", test.name, err, test.want)
		}
	}
	// What has only come too late, or too early, is not counted.
	if n := p.stats.Misrouted.Load(); n != 8 || !strings.Contains(p.log.String(), "meant for another worker") {
		t.Errorf("%d calls are counted that were meant for somebody else", n)
	}
	if res, err := healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{}); err != nil ||
		res.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		t.Errorf("health: %v, %v", res, err)
	}
}

// TestCoordinatorComesLate starts a worker that nobody answers at first.
func TestCoordinatorComesLate(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	p := start(t, address, t.TempDir())
	deadline := time.Now().Add(30 * time.Second)
	for !strings.Contains(p.log.String(), "does not answer") && time.Now().Before(deadline) {
		<-time.After(10 * time.Millisecond)
	}
	f := newCoordinator(t, specOf(readBoard(t), 8), address)
	f.names(t, 1)
	f.wait(t, "the first order is taken", func() bool {
		for _, m := range f.members {
			return m.taken == m.order
		}
		return false
	})
	log := p.log.String()
	if strings.Count(log, "does not answer") != 1 || strings.Count(log, "connected to the coordinator") != 1 {
		t.Errorf("log:\n%s", log)
	}
}

// TestOtherPuzzle orders a run of a name that the worker has with another puzzle.
func TestOtherPuzzle(t *testing.T) {
	t.Parallel()
	f := newCoordinator(t, specOf(readBoard(t), 8), "")
	start(t, f.address, t.TempDir())
	names := f.names(t, 1)
	f.layer(t, everystatev1.Phase_PHASE_FORWARD, names)
	f.mu.Lock()
	f.layers, f.spec = nil, specOf(readBoard(t), 16)
	f.mu.Unlock()
	epoch := f.order(everystatev1.Phase_PHASE_FORWARD, names, nil)
	if failure := f.reach(t, names, epoch, everystatev1.Stage_STAGE_BEGUN); !strings.Contains(failure, keptrun.ErrOtherPuzzle.Error()) {
		t.Errorf("failure %q", failure)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	good := Options{Coordinator: "c:1", Data: "d", MemoryBytes: MemoryMin}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Options){
		"coordinator": func(o *Options) { o.Coordinator = "" },
		"data":        func(o *Options) { o.Data = "" },
		"lanes":       func(o *Options) { o.Lanes = -1 },
		"memory":      func(o *Options) { o.MemoryBytes = 1 },
		"listen":      func(o *Options) { o.Listen = "nowhere" },
		"advertise":   func(o *Options) { o.Listen = ":7700" },
		"HOST":        func(o *Options) { o.Advertise = "HOST" },
	} {
		o := good
		change(&o)
		if o.Validate() == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := workername.Of(vfs.Default, dir, rand.Uint64)
	if err != nil || !naming.IsWorker(first) {
		t.Fatalf("%q, %v", first, err)
	}
	if again, err := workername.Of(vfs.Default, dir, rand.Uint64); err != nil || again != first {
		t.Errorf("%q, %v, want %q", again, err, first)
	}
	if err := os.WriteFile(filepath.Join(dir, workername.File), []byte("../x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if name, err := workername.Of(vfs.Default, dir, rand.Uint64); err == nil {
		t.Errorf("%q passes for a name", name)
	}
	for _, name := range []string{"", ".", "..", "a/b", ".hidden", strings.Repeat("x", 129), "a\n"} {
		if naming.IsRun(name) {
			t.Errorf("%q passes for a run's name", name)
		}
	}
}
