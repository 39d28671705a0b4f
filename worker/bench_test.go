package worker

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/everystate/everystate/partition"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
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

// A bucket of candidates among 4 or 16 keys each, two of which are one state;
// time a candidate.
func BenchmarkDense(b *testing.B) {
	for _, keysEach := range []int{4, 16} {
		b.Run(fmt.Sprintf("keys=%d", keysEach), func(b *testing.B) {
			shape := store.Shape{Stride: 1, KeyBits: denseRangeBits + 5, MoveBits: 2}
			n := 1 << shape.KeyBits / keysEach
			_, recs := candidates(shape, n/2, 2)
			// Many buckets, so that the processor does not learn one by heart.
			buckets := slices.Collect(slices.Chunk(recs, len(recs)/32))
			var space sortSpace
			for b.Loop() {
				for _, bucket := range buckets {
					if _, err := space.newDense(bucket, 0, denseRangeBits, shape, nil); err != nil {
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

// benchWorker returns a worker with a committed layer in its cache: states of a
// real board that lie near its start.
func benchWorker(b *testing.B, file, metric string) (*Worker, *toSelf, Layer, int) {
	b.Helper()
	text, err := os.ReadFile("../puzzles/rushhour/" + file)
	if err != nil {
		b.Fatal(err)
	}
	boards, err := rushhour.Read(text, puzzle.ReadOptions{Metric: metric})
	if err != nil {
		b.Fatal(err)
	}
	p := boards[0].Puzzle
	scheme, err := partition.New(p.Layout(), 64)
	if err != nil {
		b.Fatal(err)
	}
	chunks := NewChunks(8<<10, scheme.Stride())
	exchange := &toSelf{chunks: chunks}
	w := New(Options{Puzzle: p, Scheme: scheme, Store: openStore(b), Exchange: exchange, Chunks: chunks, InboxBytes: 1 << 30, CacheBytes: 1 << 30})
	keys := nearStart(p, 1<<16)
	words := scheme.Words()
	byPart := make([][][]uint64, scheme.Partitions())
	for i := 0; i < len(keys); i += words {
		rec := make([]uint64, scheme.Stride())
		part := scheme.Record(rec, keys[i:i+words], 0)
		byPart[part] = append(byPart[part], rec)
	}
	layer := Layer{Run: store.RunID{Phase: 1, Layer: 1, Epoch: 1}}
	run := w.opts.Store.NewWriter(w.shape, layer.Run)
	for part, rows := range byPart {
		var kept [][]byte
		keep := func(block []byte) { kept = append(kept, block) }
		slices.SortFunc(rows, slices.Compare[[]uint64])
		if err := run.Append(uint32(part), slices.Concat(rows...), keep); err != nil {
			b.Fatal(err)
		}
		if err := run.EndPartition(keep); err != nil {
			b.Fatal(err)
		}
		w.cache.put(layer.Run, partition.ID(part), kept)
		layer.PartStates = append(layer.PartStates, int64(len(rows)))
	}
	if _, err := run.Finish(); err != nil {
		b.Fatal(err)
	}
	return w, exchange, layer, len(keys) / words
}

// nearStart returns the first n states of a breadth-first search.
func nearStart(p puzzle.Puzzle, n int) []uint64 {
	words := p.Layout().Words()
	seen := map[[puzzle.WordsMax]uint64]bool{}
	states := p.Starts()
	var edges puzzle.Edges
	for at := 0; at < len(states) && len(states) < n*words; at += words {
		edges.Reset()
		p.Successors(states[at:at+words], &edges)
		for i := range edges.Len() {
			var key [puzzle.WordsMax]uint64
			copy(key[:], edges.Keys[i*words:(i+1)*words])
			if !seen[key] {
				seen[key] = true
				states = append(states, key[:words]...)
			}
		}
	}
	return states[:min(len(states), n*words)]
}

func allParts(s *partition.Scheme) []partition.ID {
	parts := make([]partition.ID, s.Partitions())
	for i := range parts {
		parts[i] = partition.ID(i)
	}
	return parts
}

// Reading a layer from the cache, expanding it and scattering the successors
// over the chunks of 64 partitions; time a state that is expanded.
func BenchmarkExpand(b *testing.B) {
	for _, board := range []struct{ file, metric string }{
		{"medium-8x8.txt", "step"}, {"medium-8x8.txt", "slide"}, {"large-8x8.txt", "step"},
	} {
		b.Run(board.file+"/"+board.metric, func(b *testing.B) {
			w, _, layer, n := benchWorker(b, board.file, board.metric)
			w.Begin(Attempt{
				Target: store.RunID{Phase: 1, Layer: 2, Epoch: 2}, Source: FromSuccessors,
				Expand: []Layer{layer}, Parts: allParts(&w.scheme),
			})
			var generated int64
			for b.Loop() {
				var err error
				if generated, err = w.Expand(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			per(b, "state", n)
			b.ReportMetric(float64(generated)/float64(n), "generated/state")
		})
	}
}

// A layer from begin to end on one worker, with two layers to compare with: all
// but the commit. Time a candidate, bytes a new state.
func BenchmarkLayer(b *testing.B) {
	for _, file := range []string{"medium-8x8.txt", "large-8x8.txt"} {
		b.Run(file, func(b *testing.B) {
			w, exchange, layer, _ := benchWorker(b, file, "step")
			exchange.owner = w
			var generated, states int64
			var res Result
			epoch := uint32(1)
			for b.Loop() {
				epoch++
				target := store.RunID{Phase: 1, Layer: 2, Epoch: epoch}
				w.Begin(Attempt{
					Target: target, Source: FromSuccessors, CountGoals: true,
					Expand: []Layer{layer}, Exclude: []Layer{layer, layer}, Parts: allParts(&w.scheme),
				})
				var err error
				if generated, err = w.Expand(b.Context()); err != nil {
					b.Fatal(err)
				}
				if res, err = w.Write(b.Context()); err != nil {
					b.Fatal(err)
				}
				if err := w.End(); err != nil {
					b.Fatal(err)
				}
				w.Forget(target)
				if err := w.opts.Store.DropFrom(1, 2); err != nil {
					b.Fatal(err)
				}
			}
			for _, p := range res.Parts {
				states += p.States
			}
			per(b, "candidate", int(generated))
			b.ReportMetric(float64(res.Bytes)/float64(states), "bytes/state")
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
			for b.Loop() {
				g.split(len(recs), bucketBits)
			}
			per(b, "candidate", len(recs))
		})
	}
}
