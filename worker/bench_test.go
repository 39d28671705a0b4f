package worker

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// per reports the time of each of n states or candidates that one iteration
// handles, and how many there are a second.
func per(b *testing.B, what string, n int) {
	b.Helper()
	all := float64(b.N) * float64(n)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/all, "ns/"+what)
	b.ReportMetric(all/b.Elapsed().Seconds(), what+"s/s")
}

// candidates returns n sorted records with distinct, evenly spread keys of
// shape, and the same with each state repeated as candidates are, in random
// order.
func candidates(shape store.Shape, n, repeat int) (sorted, repeated []uint64) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range n {
		sorted = append(sorted, randomBits(rng, shape.KeyBits)<<shape.MoveBits)
	}
	sorted = slowDistinct(sorted, shape.MoveBits)
	for range repeat {
		for _, r := range sorted {
			repeated = append(repeated, r|randomBits(rng, shape.MoveBits))
		}
	}
	rng.Shuffle(len(repeated), func(i, j int) { repeated[i], repeated[j] = repeated[j], repeated[i] })
	return sorted, repeated
}

func benchShape() store.Shape { return store.Shape{Stride: 1, KeyBits: 32, MoveBits: 5} }

// A bucket of candidates of which repeat are one state; time a candidate.
func BenchmarkDistinct(b *testing.B) {
	for _, repeat := range []int{1, 4, 8} {
		b.Run(fmt.Sprintf("repeat=%d", repeat), func(b *testing.B) {
			shape := benchShape()
			_, recs := candidates(shape, bucketRecords/repeat, repeat)
			var space sortSpace
			b.SetBytes(8 * int64(len(recs)))
			for b.Loop() {
				space.distinctNarrow(recs, shape.KeyBits+shape.MoveBits, shape)
			}
			per(b, "candidate", len(recs))
		})
	}
}

// A partition of a million candidates, in memory or partly spilled, each state
// four times; time a candidate.
func BenchmarkGather(b *testing.B) {
	for _, extents := range []int{0, 8} {
		b.Run(fmt.Sprintf("extents=%d", extents), func(b *testing.B) {
			shape := benchShape()
			_, recs := candidates(shape, 230_000, 4)
			total := len(recs)
			g := gathering{shape: shape, width: shape.KeyBits + shape.MoveBits, space: new([]uint64)}
			scratch, err := openStore(b).NewScratch(shape)
			if err != nil {
				b.Fatal(err)
			}
			g.scratch = scratch
			for range extents {
				n := total / (extents + 1)
				spilled := slowDistinct(recs[:n], shape.MoveBits)
				e, err := scratch.Spill(spilled)
				if err != nil {
					b.Fatal(err)
				}
				g.extents = append(g.extents, e)
				g.spilled += int64(len(spilled))
				recs = recs[n:]
			}
			for chunk := range slices.Chunk(recs, 4096) {
				g.chunks = append(g.chunks, chunk)
			}
			var space sortSpace
			for b.Loop() {
				if err := g.each(&space, nil, func([]uint64) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			per(b, "candidate", total)
		})
	}
}

// A bucket of candidates among 4 to 64 keys each, two of which are one state;
// time a candidate.
func BenchmarkDense(b *testing.B) {
	for _, keysEach := range []int{4, 16, 64} {
		b.Run(fmt.Sprintf("keys=%d", keysEach), func(b *testing.B) {
			shape := store.Shape{Stride: 1, KeyBits: denseRangeBits + 5, MoveBits: 2}
			n := 1 << shape.KeyBits / keysEach
			_, recs := candidates(shape, n/2, 2)
			// Many buckets, so that the processor does not learn one by heart.
			buckets := slices.Collect(slices.Chunk(recs, len(recs)/32))
			var space sortSpace
			b.SetBytes(8 * int64(len(recs)))
			for b.Loop() {
				for _, bucket := range buckets {
					if _, err := space.freshDense(bucket, 0, denseRangeBits, shape, nil); err != nil {
						b.Fatal(err)
					}
				}
			}
			per(b, "candidate", len(recs))
		})
	}
}

// A bucket of new states against a layer that has as many in that range, or four
// times as many; time a candidate.
func BenchmarkSubtract(b *testing.B) {
	for _, density := range []int{1, 4} {
		b.Run(fmt.Sprintf("density=%d", density), func(b *testing.B) {
			shape := benchShape()
			visited, _ := candidates(shape, density*bucketRecords, 1)
			fresh, _ := candidates(store.Shape{Stride: 1, KeyBits: 32, MoveBits: 5}, bucketRecords, 1)
			buf := make([]uint64, len(fresh))
			for b.Loop() {
				layer := blocks(slices.Collect(slices.Chunk(visited, store.BlockRecords)))
				s := stream{source: &layer, moveBits: shape.MoveBits}
				if _, err := s.subtract(buf[:copy(buf, fresh)], shape); err != nil {
					b.Fatal(err)
				}
			}
			per(b, "candidate", len(fresh))
		})
	}
}

// A full partition of an inbox going to a scratch file in memory; time a
// candidate, bytes a state.
func BenchmarkSpill(b *testing.B) {
	scheme, err := partition.New(puzzle.Layout{KeyBits: 38, Moves: 26}, 64)
	if err != nil {
		b.Fatal(err)
	}
	w := New(Options{Scheme: scheme, Store: openStore(b), Chunks: NewChunks(32<<10, 1)})
	sorted, recs := candidates(w.shape, 1<<16, 4)
	var chunks [][]uint64
	for chunk := range slices.Chunk(recs, 4096) {
		chunks = append(chunks, chunk)
	}
	var bytes int64
	for b.Loop() {
		// A new file each time, so that memory does not grow with the number of runs.
		if w.inbox.scratch, err = w.opts.Store.NewScratch(w.shape); err != nil {
			b.Fatal(err)
		}
		if _, _, err := w.inbox.spillSorted(gathering{chunks: chunks}); err != nil {
			b.Fatal(err)
		}
		bytes = w.inbox.scratch.Bytes()
		if err := w.inbox.scratch.Close(); err != nil {
			b.Fatal(err)
		}
	}
	per(b, "candidate", len(recs))
	b.ReportMetric(float64(bytes)/float64(len(sorted)), "bytes/state")
}

// toSelf is the exchange of a single worker; without one it drops everything.
type toSelf struct {
	owner  *Worker
	chunks *Chunks
}

func (e *toSelf) Send(epoch uint32, part partition.ID, chunk []uint64) error {
	if e.owner == nil {
		e.chunks.put(chunk)
		return nil
	}
	return e.owner.Deliver(epoch, part, chunk)
}

// explored is a run of a shipped puzzle by a single worker.
type explored struct {
	w        *Worker
	exchange *toSelf
	puzzle   puzzle.Puzzle
	layers   []Layer
}

// A benchBoard is a shipped puzzle and the size that its last layer is to have.
type benchBoard struct {
	file, metric string
	states       int64
}

func (board benchBoard) String() string {
	return strings.TrimSuffix(path.Base(board.file), ".txt") + "/" + cmp.Or(board.metric, "default")
}

// benchBoards have layers that are far larger than a core's cache; those of the
// tiles and pegs are dense.
func benchBoards() []benchBoard {
	return []benchBoard{
		{"rushhour/medium-8x8.txt", "step", 40_000},
		{"rushhour/medium-8x8.txt", "slide", 80_000},
		{"rushhour/large-8x8.txt", "step", 500_000},
		{"tiles/big-3x4.txt", "", 5_000_000},
		{"peg/english-centre.txt", "", 1_500_000},
	}
}

// explore goes layer by layer until one has as many states as the board says, so
// that candidates, visited states and links are as they are in a run.
func (board benchBoard) explore(b *testing.B) *explored {
	b.Helper()
	text, err := os.ReadFile("../puzzles/" + board.file)
	if err != nil {
		b.Fatal(err)
	}
	boards, err := families.Read(text, puzzle.ReadOptions{Metric: board.metric})
	if err != nil {
		b.Fatal(err)
	}
	p := boards[0].Puzzle
	scheme, err := partition.New(p.Layout(), 64)
	if err != nil {
		b.Fatal(err)
	}
	chunks := NewChunks(32<<10, scheme.Stride())
	r := &explored{exchange: &toSelf{chunks: chunks}, puzzle: p}
	r.w = New(Options{Puzzle: p, Scheme: scheme, Store: openStore(b), Exchange: r.exchange, Chunks: chunks, InboxBytes: 1 << 30, CacheBytes: 1 << 30})
	r.exchange.owner = r.w
	b.Cleanup(func() {
		if err := r.w.Close(); err != nil {
			b.Error(err)
		}
	})
	for r.states() < board.states {
		a := r.next(1)
		_, res := r.make(b, a)
		layer := Layer{Segment: a.Target}
		for _, part := range res.Parts {
			layer.PartStates = append(layer.PartStates, part.States)
		}
		r.layers = append(r.layers, layer)
		if r.states() == 0 {
			b.Fatalf("%v has no layer of %d states", board, board.states)
		}
	}
	return r
}

// last returns the last layer.
func (r *explored) last() Layer { return r.layers[len(r.layers)-1] }

// states returns the number of states of the last layer.
func (r *explored) states() (n int64) {
	if len(r.layers) > 0 {
		for _, states := range r.last().PartStates {
			n += states
		}
	}
	return n
}

// next plans the next layer.
func (r *explored) next(epoch uint32) Attempt {
	n := len(r.layers)
	a := Attempt{
		Target: store.SegmentID{Phase: 1, Layer: uint32(n), Epoch: epoch},
		Source: FromStarts, CountGoals: true, Parts: allParts(&r.w.scheme),
	}
	if n > 0 {
		a.Source, a.Expand, a.Exclude = FromSuccessors, r.layers[n-1:], r.layers
		if r.puzzle.Layout().Reversible {
			a.Exclude = r.layers[max(0, n-2):]
		}
	}
	return a
}

// make makes a layer.
func (r *explored) make(b *testing.B, a Attempt) (generated int64, res Result) {
	b.Helper()
	r.w.Begin(a)
	generated, err := r.w.Expand(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if res, err = r.w.Write(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := r.w.End(); err != nil {
		b.Fatal(err)
	}
	return generated, res
}

func allParts(s *partition.Scheme) []partition.ID {
	parts := make([]partition.ID, s.Partitions())
	for i := range parts {
		parts[i] = partition.ID(i)
	}
	return parts
}

// Reading a layer from the worker's cache, checksums included; time a state.
func BenchmarkRead(b *testing.B) {
	for _, board := range benchBoards() {
		b.Run(board.String(), func(b *testing.B) {
			r := board.explore(b)
			var bytes int64
			for part := range r.w.scheme.Partitions() {
				blocks, _ := r.w.cache.get(r.last().Segment, partition.ID(part))
				for _, block := range blocks {
					bytes += int64(len(block))
				}
			}
			b.SetBytes(bytes)
			for b.Loop() {
				for part := range r.w.scheme.Partitions() {
					c, err := r.w.cursor(r.last(), partition.ID(part))
					if err == nil && c != nil {
						err = errors.Join(c.drain(), c.Close())
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			per(b, "state", int(r.states()))
			b.ReportMetric(float64(bytes)/float64(r.states()), "bytes/state")
		})
	}
}

// Reading a layer from the cache, expanding it and scattering the successors
// over the chunks of 64 partitions; time a state that is expanded.
func BenchmarkExpand(b *testing.B) {
	for _, board := range benchBoards() {
		b.Run(board.String(), func(b *testing.B) {
			r := board.explore(b)
			r.exchange.owner = nil
			r.w.Begin(r.next(2))
			var generated int64
			for b.Loop() {
				var err error
				if generated, err = r.w.Expand(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			per(b, "state", int(r.states()))
			b.ReportMetric(float64(generated)/float64(r.states()), "generated/state")
		})
	}
}

// Mixing the keys of successors and scattering them over the chunks of some
// partitions; time a candidate.
func BenchmarkScatter(b *testing.B) {
	for _, partitions := range []int{16, 64, 256} {
		b.Run(fmt.Sprintf("partitions=%d", partitions), func(b *testing.B) {
			scheme, err := partition.New(puzzle.Layout{KeyBits: 40, Moves: 26}, partitions)
			if err != nil {
				b.Fatal(err)
			}
			chunks := NewChunks(32<<10, 1)
			w := New(Options{Scheme: scheme, Store: openStore(b), Exchange: &toSelf{chunks: chunks}, Chunks: chunks})
			w.Begin(Attempt{})
			// Many states, so that the processor does not learn their partitions.
			const batch = 8 * expandStates
			rng := rand.New(rand.NewPCG(1, 9))
			all := make([]puzzle.Edges, 64)
			for i := range all {
				for range batch {
					all[i].Keys = append(all[i].Keys, randomBits(rng, 40))
					all[i].Moves = append(all[i].Moves, puzzle.Move(rng.IntN(26)))
				}
			}
			b.SetBytes(8 * batch)
			for i := 0; b.Loop(); i++ {
				w.edges = all[i%len(all)]
				if err := w.sendEdges(); err != nil {
					b.Fatal(err)
				}
			}
			per(b, "candidate", batch)
		})
	}
}

// Handing chunks of candidates to a worker of the same process, which takes them
// and puts them back; time a candidate.
func BenchmarkHandOver(b *testing.B) {
	scheme, err := partition.New(puzzle.Layout{KeyBits: 40, Moves: 26}, 64)
	if err != nil {
		b.Fatal(err)
	}
	chunks := NewChunks(32<<10, 1)
	w := New(Options{Scheme: scheme, Store: openStore(b), Chunks: chunks, InboxBytes: 1 << 30})
	w.Begin(Attempt{Target: store.SegmentID{Epoch: 1}})
	const each = 16 // chunks a partition
	n := each * scheme.Partitions() * int(chunks.Bytes()) / 8
	for b.Loop() {
		for range each {
			for part := range scheme.Partitions() {
				chunk := chunks.Get()
				if err := w.Deliver(1, partition.ID(part), chunk[:cap(chunk)]); err != nil {
					b.Fatal(err)
				}
			}
		}
		for part := range scheme.Partitions() {
			chunks.putAll(w.inbox.take(partition.ID(part)).chunks)
		}
	}
	per(b, "candidate", n)
}

// What is done about a new state besides writing it: its key, its digest, and
// whether it is a goal.
func BenchmarkAccount(b *testing.B) {
	for _, board := range benchBoards() {
		b.Run(board.String(), func(b *testing.B) {
			r := board.explore(b)
			w := r.w
			const part = 3
			c, err := w.cursor(r.last(), part)
			if err != nil {
				b.Fatal(err)
			}
			recs, err := c.Next()
			if err != nil {
				b.Fatal(err)
			}
			n := len(recs) / w.scheme.Stride()
			marks := make([]bool, n)
			salt := digest.LayerSalt(1, 1)
			var d digest.Digest
			for b.Loop() {
				w.keys = w.scheme.Keys(w.keys[:0], part, recs)
				w.addDigests(&d, salt, recs)
				r.puzzle.Goals(w.keys, marks)
			}
			per(b, "state", n)
			if err := c.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// A layer from begin to end on one worker: all but the commit. Time a candidate
// and a state, bytes a new state.
func BenchmarkLayer(b *testing.B) {
	for _, board := range benchBoards() {
		b.Run(board.String(), func(b *testing.B) {
			r := board.explore(b)
			cached := maps.Clone(r.w.cache.parts)
			var generated, states int64
			var res Result
			epoch := uint32(1)
			for b.Loop() {
				epoch++
				a := r.next(epoch)
				generated, res = r.make(b, a)
				r.w.Forget(a.Target)
				if err := r.w.opts.Store.DropFrom(a.Target.Phase, a.Target.Layer); err != nil {
					b.Fatal(err)
				}
				for key, blocks := range cached { // what is not read again has been dropped
					r.w.cache.put(key.segment, key.part, blocks)
				}
			}
			for _, p := range res.Parts {
				states += p.States
			}
			per(b, "candidate", int(generated))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(states), "ns/state")
			b.ReportMetric(float64(res.Bytes)/float64(states), "bytes/state")
		})
	}
}

// Taking visited states from a dense bucket, of whose keys the layer has one in 2
// or in 10; time a visited state.
func BenchmarkErase(b *testing.B) {
	for _, keysEach := range []int{2, 10} {
		b.Run(fmt.Sprintf("keys=%d", keysEach), func(b *testing.B) {
			shape := store.Shape{Stride: 1, KeyBits: denseRangeBits, MoveBits: 2}
			recs, _ := candidates(shape, 1<<denseRangeBits/keysEach, 1)
			present := make([]uint64, 1<<denseRangeBits/64)
			b.SetBytes(8 * int64(len(recs)))
			for b.Loop() {
				layer := blocks(slices.Collect(slices.Chunk(recs, store.BlockRecords)))
				s := stream{source: &layer, moveBits: shape.MoveBits}
				if err := s.erase(present, 0, denseRangeBits); err != nil {
					b.Fatal(err)
				}
			}
			per(b, "state", len(recs))
		})
	}
}

// Merging sorted segments into one, as an archive does; time a state.
func BenchmarkMerge(b *testing.B) {
	for _, segments := range []int{2, 8} {
		b.Run(fmt.Sprintf("segments=%d", segments), func(b *testing.B) {
			shape := store.Shape{Stride: 1, KeyBits: 32}
			all, _ := candidates(shape, 1<<19, 1)
			rng := rand.New(rand.NewPCG(1, 10))
			split := make([][]uint64, segments)
			for _, r := range all {
				i := rng.IntN(segments)
				split[i] = append(split[i], r)
			}
			b.SetBytes(8 * int64(len(all)))
			for b.Loop() {
				sources := make([]blockSource, segments)
				for i := range sources {
					layer := blocks(slices.Collect(slices.Chunk(split[i], store.BlockRecords)))
					sources[i] = &layer
				}
				merged, n := mergeAll(sources, shape), 0
				for {
					recs, err := merged.Next()
					if err != nil {
						b.Fatal(err)
					}
					if len(recs) == 0 {
						break
					}
					n += len(recs)
				}
				if n != len(all) {
					b.Fatal(n)
				}
			}
			per(b, "state", len(all))
		})
	}
}

// What the machine does at most: copying 64 MiB, and scattering their words over
// so many streams, each of which is written from beginning to end.
func BenchmarkMemory(b *testing.B) {
	const words = 64 << 20 / 8
	rng := rand.New(rand.NewPCG(1, 9))
	src, dst := make([]uint64, words), make([]uint64, words+words/8)
	for i := range src {
		src[i] = rng.Uint64()
	}
	b.Run("copy", func(b *testing.B) {
		b.SetBytes(8 * words)
		for b.Loop() {
			copy(dst, src)
		}
		per(b, "word", words)
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(8 * words)
		var sum uint64
		for b.Loop() {
			for _, v := range src {
				sum += v
			}
		}
		per(b, "word", words)
		b.ReportMetric(float64(sum&1), "ignore")
	})
	for _, streamBits := range []uint{4, 5, 6, 7, 8} {
		b.Run(fmt.Sprintf("scatter=%d", 1<<streamBits), func(b *testing.B) {
			b.SetBytes(8 * words)
			at, room := make([]int, 1<<streamBits), len(dst)>>streamBits
			for b.Loop() {
				for i := range at {
					at[i] = i * room
				}
				for _, v := range src {
					to := v >> (64 - streamBits)
					dst[at[to]] = v
					at[to]++
				}
			}
			per(b, "word", words)
		})
	}
}

// A partition of a million candidates going to its buckets; time a candidate.
func BenchmarkSplit(b *testing.B) {
	for _, bucketBits := range []uint{3, 4, 5, 6, 7, 8, 10} {
		b.Run(fmt.Sprintf("buckets=%d", 1<<bucketBits), func(b *testing.B) {
			shape := store.Shape{Stride: 1, KeyBits: 30, MoveBits: 5}
			_, recs := candidates(shape, 230_000, 4)
			g := gathering{shape: shape, width: 35, space: new([]uint64)}
			for chunk := range slices.Chunk(recs, 4096) {
				g.chunks = append(g.chunks, chunk)
			}
			b.SetBytes(8 * int64(len(recs)))
			for b.Loop() {
				g.split(len(recs), bucketBits)
			}
			per(b, "candidate", len(recs))
		})
	}
}
