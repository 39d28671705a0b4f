package worker

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/everystate/everystate/store"
)

func openStore(tb testing.TB) *store.Store {
	tb.Helper()
	s, err := store.Open("run", store.Options{FS: vfs.NewMem()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// slowSet is the slow twin of everything that gathers: the least move of each
// key, keys being the words of a record with the move cut off.
type slowSet map[[store.StrideMax]uint64]uint64

func (s slowSet) key(shape store.Shape, rec []uint64) (key [store.StrideMax]uint64, move uint64) {
	if shape.Stride == 1 {
		key[0] = rec[0] >> shape.MoveBits
		return key, rec[0] & lowBits(shape.MoveBits)
	}
	copy(key[:], rec[:shape.Stride-1])
	return key, rec[shape.Stride-1]
}

func (s slowSet) add(shape store.Shape, recs []uint64) {
	for i := 0; i < len(recs); i += shape.Stride {
		key, move := s.key(shape, recs[i:])
		if old, ok := s[key]; !ok || move < old {
			s[key] = move
		}
	}
}

// sorted returns the records of the set in order.
func (s slowSet) sorted(shape store.Shape) []uint64 {
	var rows [][]uint64
	for key, move := range s {
		if shape.Stride == 1 {
			rows = append(rows, []uint64{key[0]<<shape.MoveBits | move})
		} else {
			rows = append(rows, append(slices.Clone(key[:shape.Stride-1]), move))
		}
	}
	slices.SortFunc(rows, slices.Compare[[]uint64])
	return slices.Concat(rows...)
}

// drawRecords returns a source of records of a partition: top is what stands
// above the width bits that vary in the first word.
func drawRecords(rng *rand.Rand, shape store.Shape, localBits uint) func() []uint64 {
	kinds := []string{"even", "clustered", "few distinct", "all equal", "all ones"}
	key := keysOf[kinds[rng.IntN(len(kinds))]](rng, localBits)
	if shape.Stride == 1 {
		return func() []uint64 { return []uint64{key()<<shape.MoveBits | randomMove(rng, shape.MoveBits)} }
	}
	top := uint64(0)
	if localBits < 64 {
		top = rng.Uint64() << localBits
	}
	return func() []uint64 {
		rec := make([]uint64, shape.Stride)
		rec[0] = top | key()
		for j := 1; j < shape.Stride-1; j++ {
			rec[j] = rng.Uint64N(2) * rng.Uint64()
		}
		rec[shape.Stride-1] = randomMove(rng, shape.MoveBits)
		return rec
	}
}

// What is gathered comes out in order, each key once with its least move: from
// chunks, from spilled extents and from both, in one bucket and in many.
func TestGathering(t *testing.T) {
	seeds := uint64(60)
	if os.Getenv("EVERYSTATE_THOROUGH") != "" {
		seeds = 240
	}
	if testing.Short() {
		seeds = 40
	}
	st := openStore(t)
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 3))
		moveBits := []uint{0, 1, 5, 16}[rng.IntN(4)]
		shape := store.Shape{Stride: 1, MoveBits: moveBits}
		shape.KeyBits = []uint{0, 1, 2, 5, 13, 17, 18, 20, 38, 48, 64 - moveBits}[rng.IntN(11)]
		localBits := shape.KeyBits
		if seed%3 == 0 {
			shape = store.Shape{Stride: 2 + rng.IntN(3), MoveBits: moveBits}
			localBits = []uint{0, 1, 20, 58, 64}[rng.IntN(5)]
		}
		g := gathering{shape: shape, width: localBits, space: new([]uint64)}
		if shape.Stride == 1 {
			g.width += moveBits
		}
		next := drawRecords(rng, shape, localBits)
		twin := slowSet{}
		sources := rng.IntN(3) // chunks, extents, both
		if sources != 1 {
			n := []int{0, 1, 300, bucketRecords, bucketRecords + 1, 3 * bucketRecords}[rng.IntN(6)]
			for n > 0 {
				var chunk []uint64
				for range min(n, 1+rng.IntN(8000)) {
					chunk = append(chunk, next()...)
				}
				n -= len(chunk) / shape.Stride
				twin.add(shape, chunk)
				g.chunks = append(g.chunks, chunk)
			}
		}
		scratch, err := st.NewScratch(shape)
		if err != nil {
			t.Fatal(err)
		}
		if g.scratch = scratch; sources != 0 {
			for range rng.IntN(8) {
				spilled := slowSet{}
				for range []int{1, 10, store.BlockRecords + 1, 9000}[rng.IntN(4)] {
					spilled.add(shape, next())
				}
				recs := spilled.sorted(shape)
				twin.add(shape, recs)
				e, err := scratch.Spill(recs)
				if err != nil {
					t.Fatal(err)
				}
				g.extents = append(g.extents, e)
				g.spilled += int64(len(spilled))
			}
		}
		var visited []stream
		for range rng.IntN(3) {
			seen := slowSet{}
			for range []int{1, 100, 20_000}[rng.IntN(3)] {
				seen.add(shape, next())
			}
			for key := range seen {
				delete(twin, key)
			}
			visited = append(visited, stream{source: inBlocks(rng, seen.sorted(shape), shape.Stride), moveBits: shape.MoveBits})
		}
		var got []uint64
		buckets := 0
		err = g.each(&sortSpace{}, visited, func(recs []uint64) error {
			buckets++
			if len(recs) == 0 {
				t.Errorf("seed %d: an empty bucket", seed)
			}
			got = append(got, recs...)
			clear(recs) // they are given away
			return nil
		})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if want := twin.sorted(shape); !slices.Equal(got, want) {
			t.Fatalf("seed %d, %+v, %d local bits, %d chunks, %d extents: %d records in %d buckets, want %d",
				seed, shape, localBits, len(g.chunks), len(g.extents), len(got)/shape.Stride, buckets, len(twin))
		}
		if err := scratch.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// An error of f and of the scratch file comes through.
func TestGatheringErrors(t *testing.T) {
	var failing atomic.Bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if failing.Load() && op.Kind == errorfs.OpFileReadAt {
			return errorfs.ErrInjected
		}
		return nil
	}))
	st, err := store.Open("run", store.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	shape := store.Shape{Stride: 1, KeyBits: 30, MoveBits: 5}
	scratch, err := st.NewScratch(shape)
	if err != nil {
		t.Fatal(err)
	}
	e, err := scratch.Spill([]uint64{1 << 5, 2 << 5})
	if err != nil {
		t.Fatal(err)
	}
	g := gathering{shape: shape, width: 35, space: new([]uint64), scratch: scratch, extents: []store.Extent{e}, spilled: 2}
	mine := errors.New("mine")
	if err := g.each(&sortSpace{}, nil, func([]uint64) error { return mine }); !errors.Is(err, mine) {
		t.Errorf("got %v", err)
	}
	failing.Store(true)
	err = g.each(&sortSpace{}, nil, func([]uint64) error { return nil })
	if !errors.Is(err, errorfs.ErrInjected) {
		t.Errorf("reading fails, and the error is %v", err)
	}
	failing.Store(false)
	if err := errors.Join(scratch.Close(), st.Close()); err != nil {
		t.Error(err)
	}
}

// blocks is a blockSource in memory.
type blocks [][]uint64

func (b *blocks) Next() ([]uint64, error) {
	if len(*b) == 0 {
		return nil, nil
	}
	first := (*b)[0]
	*b = (*b)[1:]
	return first, nil
}

// inBlocks cuts records into blocks of random sizes.
func inBlocks(rng *rand.Rand, recs []uint64, stride int) *blocks {
	var b blocks
	for len(recs) > 0 {
		n := min(len(recs), stride*(1+rng.IntN(20)))
		b = append(b, slices.Clone(recs[:n]))
		recs = recs[n:]
	}
	return &b
}

// Subtracting several sorted segments, bucket after bucket, leaves what a map says.
func TestSubtract(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 4))
		moveBits := []uint{0, 5, 16}[rng.IntN(3)]
		shape := store.Shape{Stride: 1, MoveBits: moveBits, KeyBits: []uint{3, 8, 12, 64 - moveBits}[rng.IntN(4)]}
		localBits := shape.KeyBits
		if seed%2 == 0 {
			shape = store.Shape{Stride: 2 + rng.IntN(3), MoveBits: moveBits}
			localBits = []uint{1, 8, 64}[rng.IntN(3)]
		}
		next := drawRecords(rng, shape, localBits)
		var streams []stream
		visited := slowSet{}
		for range rng.IntN(3) {
			part := slowSet{}
			for range rng.IntN(400) {
				part.add(shape, next())
			}
			recs := part.sorted(shape)
			visited.add(shape, recs)
			streams = append(streams, stream{source: inBlocks(rng, recs, shape.Stride), moveBits: shape.MoveBits})
		}
		candidates := slowSet{}
		for range rng.IntN(400) {
			candidates.add(shape, next())
		}
		all := candidates.sorted(shape)
		for key := range visited {
			delete(candidates, key)
		}
		var got []uint64
		for bucket, source := range *inBlocks(rng, all, shape.Stride) {
			for i := range streams {
				var err error
				if source, err = streams[i].subtract(source, shape); err != nil {
					t.Fatalf("seed %d, bucket %d: %v", seed, bucket, err)
				}
			}
			got = append(got, source...)
		}
		if want := candidates.sorted(shape); !slices.Equal(got, want) {
			t.Fatalf("seed %d, %+v: %d words are left, want %d", seed, shape, len(got), len(want))
		}
	}
}

// Few candidates among many keys are one bucket, not as many as dense ones would be.
func TestDenseBuckets(t *testing.T) {
	shape := store.Shape{Stride: 1, KeyBits: 30, MoveBits: 5}
	for _, c := range []struct {
		keyBits    uint
		candidates int
		bucketBits uint
		dense      bool
	}{
		{30, 1 << 22, 0, false},
		{30, 1 << 23, 13, true},
		{17, 1 << 10, 0, true},
		{17, 1<<10 - 1, 0, false},
		{37, 1 << 30, 20, true},
		{38, 1 << 32, 0, false},
	} {
		bucketBits, dense := denseBuckets(shape, c.keyBits, c.candidates)
		if bucketBits != c.bucketBits || dense != c.dense {
			t.Errorf("%+v: %d, %v", c, bucketBits, dense)
		}
	}
	shape.MoveBits = denseMoveBits + 1
	if _, dense := denseBuckets(shape, 17, 1<<17); dense {
		t.Error("marks do not hold so many moves")
	}
}
