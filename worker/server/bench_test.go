package server

import (
	"log/slog"
	"net"
	"os"
	"path"
	"runtime"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"google.golang.org/grpc"

	"github.com/everystate/everystate/internal/platform/limits"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/door"
	"github.com/everystate/everystate/worker/exchange"
	"github.com/everystate/everystate/worker/keptrun"
)

// exchanged is an attempt whose candidates all go to another worker, over a
// connection of this machine: both sides, in one process.
type exchanged struct {
	out    *exchange.Outbound
	at     exchange.Attempt
	chunks *worker.Chunks
	owner  *worker.Worker
	stats  *Stats
	made   [][]uint64 // candidates by partition
	total  int
}

func newExchanged(b *testing.B, file string) *exchanged {
	b.Helper()
	text, err := os.ReadFile("../../puzzles/" + file)
	if err != nil {
		b.Fatal(err)
	}
	boards, err := families.Read(text, puzzle.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	p := boards[0].Puzzle
	scheme, err := partition.New(p.Layout(), 64)
	if err != nil {
		b.Fatal(err)
	}
	s, err := store.Open("run", store.Options{FS: vfs.NewMem()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	chunks := worker.NewChunks(32<<10, scheme.Stride())
	kept := &keptRun{Run: &keptrun.Run{Name: runName, Store: s, Puzzle: p, Scheme: scheme, Shape: worker.ShapeOf(scheme)}}
	x := &exchanged{
		owner: worker.New(worker.Options{Puzzle: p, Scheme: scheme, Store: s, Chunks: chunks, InboxBytes: 1 << 30}),
		stats: new(Stats),
		made:  make([][]uint64, scheme.Partitions()),
	}
	for i, edges := 0, nearStart(p, 1<<17); i < edges.Len(); i++ {
		part, rec := scheme.RecordNarrow(edges.Keys[i], edges.Moves[i])
		x.made[part] = append(x.made[part], rec)
		x.total++
	}
	e := &engine{stats: x.stats, desk: newDesk("b"), door: &door.Door{Self: "b", Refused: &x.stats.Misrouted, Log: slog.New(slog.DiscardHandler)}}
	local := make([]*worker.Worker, scheme.Partitions())
	for i := range local {
		local[i] = x.owner
	}
	at := &attempt{
		target: store.SegmentID{Phase: forward, Layer: 1, Epoch: 1}, owner: make([]int, len(local)), self: "a", names: []string{"b", "a"},
	}
	form := worker.FormOf(scheme, worker.FromSuccessors)
	e.receiver.Set(&receiver{run: kept, at: at, form: form, local: local, chunks: chunks, stats: x.stats, fail: func(err error) { b.Error(err) }})
	opts := Options{}
	opts.ensureDefaults()
	peers := exchange.NewPeers(&x.stats.WireBytes, dialOptions(nil))
	b.Cleanup(peers.Close)
	x.out, x.chunks = exchange.NewOutbound(chunks, peers, &x.stats.Counts), chunks
	x.at = exchange.Attempt{
		Run: kept.Name, Target: at.target, Form: form, Self: at.self, Names: at.names, Owner: at.owner, Local: make([]*worker.Worker, len(local)),
		Address: []string{serveExchange(b, newServer(opts, e, newProver(opts, e, peers), limits.Listen(nil, limits.Connections, nil))), ""},
	}
	return x
}

func serveExchange(b *testing.B, server *grpc.Server) (address string) {
	b.Helper()
	listener, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	b.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			b.Error(err)
		}
	})
	return listener.Addr().String()
}

// nearStart returns the successors of the first n states of a breadth-first
// search, the keys of which are one word each.
func nearStart(p puzzle.Puzzle, n int) *puzzle.Edges {
	all, edges := &puzzle.Edges{}, &puzzle.Edges{}
	states := p.Starts()
	seen := map[uint64]bool{}
	for at := 0; at < min(n, len(states)); at++ {
		edges.Reset()
		p.Successors(states[at:at+1], edges)
		for _, key := range edges.Keys {
			if !seen[key] {
				seen[key] = true
				states = append(states, key)
			}
		}
		all.Keys, all.Moves = append(all.Keys, edges.Keys...), append(all.Moves, edges.Moves...)
	}
	return all
}

// send sends all candidates, a chunk of each partition in turn, and returns when
// they have arrived.
func (x *exchanged) send(b *testing.B) {
	b.Helper()
	x.owner.Begin(worker.Attempt{Target: x.at.Target})
	x.out.Begin(x.at)
	x.out.Open(b.Context())
	size := int(x.chunks.Bytes()) / 8
	for at, more := 0, true; more; at += size {
		more = false
		for part, made := range x.made {
			if at >= len(made) {
				continue
			}
			more = true
			chunk := append(x.chunks.Get(), made[at:min(at+size, len(made))]...)
			if err := x.out.Send(x.at.Target.Epoch, partition.ID(part), chunk); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := x.out.Finish(); err != nil {
		b.Fatal(err)
	}
	if err := x.owner.End(); err != nil {
		b.Fatal(err)
	}
}

// Candidates going to another worker over the loopback: sorting, encoding,
// sending, decoding, checking and delivering them. Time a candidate made, of both
// sides together, for which there is one processor; how many of them are sent, and
// their bytes on the wire.
func BenchmarkExchange(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, file := range []string{"rushhour/large-8x8.txt", "tiles/big-3x4.txt"} {
		b.Run(strings.TrimSuffix(path.Base(file), ".txt"), func(b *testing.B) {
			x := newExchanged(b, file)
			for b.Loop() {
				x.send(b)
			}
			all := float64(b.N) * float64(x.total)
			sent, wire := float64(x.stats.Sent.Load()), float64(x.stats.WireBytes.Load())
			if x.stats.Received.Load() != x.stats.Sent.Load() {
				b.Fatal("candidates were lost")
			}
			b.SetBytes(int64(wire / float64(b.N)))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/all, "ns/candidate")
			b.ReportMetric(all/b.Elapsed().Seconds(), "candidates/s")
			b.ReportMetric(sent/all, "sent/candidate")
			b.ReportMetric(wire/all, "bytes/candidate")
			b.ReportMetric(wire/sent, "bytes/sent")
		})
	}
}
