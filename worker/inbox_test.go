package worker

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// inboxWorker returns a worker of four partitions that holds the given number of
// chunks in memory. Its puzzle is never asked.
func inboxWorker(t *testing.T, layout puzzle.Layout, chunks int64) *Worker {
	t.Helper()
	scheme, err := partition.New(layout, 4)
	if err != nil {
		t.Fatal(err)
	}
	pool := NewChunks(0, scheme.Stride())
	return New(Options{Scheme: scheme, Store: openStore(t), Chunks: pool, InboxBytes: chunks * pool.Bytes()})
}

func narrowLayout() puzzle.Layout { return puzzle.Layout{KeyBits: 30, Moves: 20} }

// fill returns a full chunk of records of a partition.
func fill(w *Worker, rng *rand.Rand, next func() []uint64) []uint64 {
	chunk := w.opts.Chunks.get()
	for len(chunk) < cap(chunk) {
		chunk = append(chunk, next()...)
	}
	return chunk
}

// received returns what a partition of an inbox has received, in order.
func received(t *testing.T, w *Worker, part partition.ID) []uint64 {
	t.Helper()
	g := w.inbox.take(part)
	g.shape, g.width, g.space = w.shape, w.recordBits(), new([]uint64)
	var got []uint64
	err := g.each(&sortSpace{}, nil, func(recs []uint64) error {
		got = append(got, recs...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.opts.Chunks.putAll(g.chunks)
	return got
}

func TestInboxRefusesOtherEpochs(t *testing.T) {
	w := inboxWorker(t, narrowLayout(), 100)
	send := func(epoch uint32) error { return w.Deliver(epoch, 0, append(w.opts.Chunks.get(), 7)) }
	if err := send(1); !errors.Is(err, ErrStale) {
		t.Errorf("before the first attempt: %v", err)
	}
	w.Begin(Attempt{Target: store.SegmentID{Epoch: 5}})
	for _, epoch := range []uint32{0, 4, 6} {
		if err := send(epoch); !errors.Is(err, ErrStale) {
			t.Errorf("epoch %d during epoch 5: %v", epoch, err)
		}
	}
	if err := send(5); err != nil {
		t.Error(err)
	}
	if err := w.End(); err != nil {
		t.Error(err)
	}
	if err := send(5); !errors.Is(err, ErrStale) {
		t.Errorf("after the end: %v", err)
	}
	w.Begin(Attempt{Target: store.SegmentID{Epoch: 6}})
	if got := received(t, w, 0); len(got) != 0 {
		t.Errorf("%d records of an attempt that has ended", len(got))
	}
	if w.inbox.bytes != 0 || len(w.opts.Chunks.free) != 1 {
		t.Errorf("%d bytes are held, and %d chunks are back", w.inbox.bytes, len(w.opts.Chunks.free))
	}
}

// A sender that took chunks for spilling, and waits for its turn while the
// attempt ends, must not leave them to the next attempt.
func TestInboxDropsSpillOfEndedAttempt(t *testing.T) {
	for _, next := range []bool{false, true} {
		w := inboxWorker(t, narrowLayout(), 100)
		w.Begin(Attempt{Target: store.SegmentID{Epoch: 1}})
		if err := w.Deliver(1, 2, append(w.opts.Chunks.get(), 7)); err != nil {
			t.Fatal(err)
		}
		w.inbox.mu.Lock()
		victim, chunks := w.inbox.takeFullest()
		w.inbox.mu.Unlock()
		if err := w.End(); err != nil {
			t.Fatal(err)
		}
		if next {
			w.Begin(Attempt{Target: store.SegmentID{Epoch: 2}})
		}
		if err := w.inbox.spill(1, victim, chunks); !errors.Is(err, ErrStale) {
			t.Errorf("next attempt begun %t: %v", next, err)
		}
		if got := received(t, w, 2); len(got) != 0 {
			t.Errorf("next attempt begun %t: it has %d records", next, len(got))
		}
		if len(w.opts.Chunks.free) != 1 {
			t.Errorf("next attempt begun %t: the chunk is not back", next)
		}
	}
}

func TestInboxSpillsFullestPartition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	w := inboxWorker(t, narrowLayout(), 5)
	next := drawRecords(rng, w.shape, w.scheme.LocalBits())
	w.Begin(Attempt{Target: store.SegmentID{Epoch: 1}})
	for i, part := range []partition.ID{0, 1, 1, 1, 2, 0} {
		if w.inbox.scratch != nil {
			t.Fatalf("spilled before chunk %d, and there is room for 5", i)
		}
		if err := w.Deliver(1, part, fill(w, rng, next)); err != nil {
			t.Fatal(err)
		}
	}
	for part, want := range []struct{ chunks, extents int }{{2, 0}, {0, 1}, {1, 0}, {0, 0}} {
		p := w.inbox.parts[part]
		if len(p.chunks) != want.chunks || len(p.extents) != want.extents {
			t.Errorf("partition %d: %d chunks and %d extents, want %v", part, len(p.chunks), len(p.extents), want)
		}
	}
	if want := 3 * w.opts.Chunks.Bytes(); w.inbox.bytes != want {
		t.Errorf("%d bytes are held, want %d", w.inbox.bytes, want)
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	if w.inbox.bytes != 0 || w.inbox.scratch != nil || len(w.opts.Chunks.free) != 6 {
		t.Errorf("after the end %d bytes are held, and %d chunks are back", w.inbox.bytes, len(w.opts.Chunks.free))
	}
}

// Extents are merged at extentsMax, and never are there more.
func TestInboxMergesExtents(t *testing.T) {
	for _, layout := range []puzzle.Layout{narrowLayout(), {KeyBits: 128, Moves: 20}} {
		rng := rand.New(rand.NewPCG(2, 6))
		w := inboxWorker(t, layout, 0)
		next := func() []uint64 {
			rec := make([]uint64, w.scheme.Stride())
			key := []uint64{rng.Uint64N(5000), rng.Uint64N(2)}
			for w.scheme.Record(rec, key, puzzle.Move(rng.IntN(20))) != 3 {
				key[0] = rng.Uint64N(5000)
			}
			return rec
		}
		twin := slowSet{}
		w.Begin(Attempt{Target: store.SegmentID{Epoch: 1}})
		merges := 0
		for i := range 3*extentsMax + 5 {
			chunk := fill(w, rng, next)
			twin.add(w.shape, chunk)
			before := len(w.inbox.parts[3].extents)
			if err := w.Deliver(1, 3, chunk); err != nil {
				t.Fatal(err)
			}
			after := len(w.inbox.parts[3].extents)
			if after >= extentsMax {
				t.Fatalf("%d extents after chunk %d", after, i)
			}
			if after < before {
				merges++
				if got := w.inbox.parts[3].spilled; after != 1 || got != int64(len(twin)) {
					t.Errorf("merged into %d extents of %d records, want one of %d", after, got, len(twin))
				}
			}
		}
		if merges < 3 {
			t.Errorf("%d merges", merges)
		}
		if got := received(t, w, 3); !slices.Equal(got, twin.sorted(w.shape)) {
			t.Errorf("%d words, want %d records", len(got), len(twin))
		}
		if err := w.End(); err != nil {
			t.Error(err)
		}
	}
}

// Whatever several senders deliver at once is received, and memory stays in its
// bounds.
func TestInboxConcurrently(t *testing.T) {
	const senders, chunksEach = 4, 100
	for _, held := range []int64{0, 7, 1000} {
		w := inboxWorker(t, narrowLayout(), held)
		w.Begin(Attempt{Target: store.SegmentID{Epoch: 1}})
		twins := make([][4]slowSet, senders)
		errs := make([]error, senders)
		var wait sync.WaitGroup
		for i := range senders {
			wait.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(i), 7))
				next := drawRecords(rng, w.shape, w.scheme.LocalBits())
				for p := range twins[i] {
					twins[i][p] = slowSet{}
				}
				for c := range chunksEach {
					part := partition.ID(rng.IntN(4))
					chunk := fill(w, rng, next)
					twins[i][part].add(w.shape, chunk)
					epoch := uint32(1)
					if c%10 == 9 {
						// A late message of another attempt changes nothing.
						if err := w.Deliver(0, part, w.opts.Chunks.get()); !errors.Is(err, ErrStale) {
							errs[i] = errors.Join(errs[i], err)
						}
					}
					errs[i] = errors.Join(errs[i], w.Deliver(epoch, part, chunk))
				}
			})
		}
		wait.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if w.inbox.bytes > w.inbox.maxByte {
			t.Errorf("%d bytes are held, the bound being %d", w.inbox.bytes, w.inbox.maxByte)
		}
		if spilled := w.inbox.scratch != nil; spilled != (held < senders*chunksEach) {
			t.Errorf("room for %d chunks: spilled %t", held, spilled)
		}
		for part := range partition.ID(4) {
			all := slowSet{}
			for i := range senders {
				all.add(w.shape, twins[i][part].sorted(w.shape))
			}
			if got := received(t, w, part); !slices.Equal(got, all.sorted(w.shape)) {
				t.Errorf("room for %d chunks, partition %d: %d records, want %d", held, part, len(got), len(all))
			}
		}
		if err := w.End(); err != nil {
			t.Error(err)
		}
	}
}
