package worker

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/everystate/everystate/store"
)

// keysOf draws keys of a number of bits in the ways in which a space may have
// them.
var keysOf = map[string]func(rng *rand.Rand, keyBits uint) func() uint64{
	"even": func(rng *rand.Rand, keyBits uint) func() uint64 {
		return func() uint64 { return randomBits(rng, keyBits) }
	},
	"clustered": func(rng *rand.Rand, keyBits uint) func() uint64 {
		base := []uint64{randomBits(rng, keyBits), randomBits(rng, keyBits), 0, lowBits(keyBits)}
		return func() uint64 { return (base[rng.IntN(len(base))] + rng.Uint64N(300)) & lowBits(keyBits) }
	},
	"clustered at the end": func(rng *rand.Rand, keyBits uint) func() uint64 {
		return func() uint64 { return lowBits(keyBits) - rng.Uint64N(5000)&lowBits(keyBits) }
	},
	"few distinct": func(rng *rand.Rand, keyBits uint) func() uint64 {
		few := make([]uint64, 1+rng.IntN(20))
		for i := range few {
			few[i] = randomBits(rng, keyBits)
		}
		return func() uint64 { return few[rng.IntN(len(few))] }
	},
	"all equal": func(rng *rand.Rand, keyBits uint) func() uint64 {
		key := randomBits(rng, keyBits)
		return func() uint64 { return key }
	},
	"all ones": func(_ *rand.Rand, keyBits uint) func() uint64 {
		return func() uint64 { return lowBits(keyBits) }
	},
}

func lowBits(n uint) uint64 {
	if n == 0 {
		return 0
	}
	return ^uint64(0) >> (64 - n)
}

func randomBits(rng *rand.Rand, n uint) uint64 { return rng.Uint64() & lowBits(n) }

// randomMove favours the greatest move, so that a record may be all ones.
func randomMove(rng *rand.Rand, moveBits uint) uint64 {
	if rng.IntN(3) == 0 {
		return lowBits(moveBits)
	}
	return randomBits(rng, moveBits)
}

// slowDistinct is what distinctNarrow must do.
func slowDistinct(recs []uint64, moveBits uint) []uint64 {
	sorted := slices.Sorted(slices.Values(recs))
	return slices.CompactFunc(sorted, func(a, b uint64) bool { return a>>moveBits == b>>moveBits })
}

// Dropping repetitions in the table gives what sorting gives, for all widths
// and all ways in which keys lie.
func TestDistinctNarrow(t *testing.T) {
	for name, draw := range keysOf {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var space sortSpace
			seeds := uint64(160)
			if os.Getenv("EVERYSTATE_THOROUGH") != "" {
				seeds = 400
			}
			if testing.Short() {
				seeds = 64
			}
			for seed := range seeds {
				rng := rand.New(rand.NewPCG(seed, 1))
				keyBits, moveBits := rng.UintN(65), []uint{0, 1, 5, 8, 16}[rng.IntN(5)]
				if seed%8 == 0 {
					keyBits = 64 - moveBits
				}
				if keyBits+moveBits > 64 {
					keyBits = 64 - moveBits
				}
				// A bucket is a range of the keys of a partition.
				bucketBits := uint(0)
				if keyBits > 0 && rng.IntN(2) == 0 {
					bucketBits = rng.UintN(min(keyBits, bucketBitsMax) + 1)
				}
				top := uint64(0)
				if bucketBits > 0 {
					top = rng.Uint64() >> (64 - bucketBits) << (keyBits - bucketBits)
					if rng.IntN(4) == 0 {
						top = lowBits(bucketBits) << (keyBits - bucketBits)
					}
				}
				next := draw(rng, keyBits-bucketBits)
				recs := make([]uint64, []int{1, 2, 24, 25, 26, 200, 3000, bucketRecords}[seed%8])
				for i := range recs {
					recs[i] = (top|next())<<moveBits | randomMove(rng, moveBits)
				}
				want := slowDistinct(recs, moveBits)
				shape := store.Shape{Stride: 1, KeyBits: keyBits, MoveBits: moveBits}
				got := space.distinctNarrow(recs, keyBits-bucketBits+moveBits, shape)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, %+v, %d bucket bits: %d records, want %d", seed, shape, bucketBits, len(got), len(want))
				}
			}
		})
	}
}

func TestSortWide(t *testing.T) {
	var space sortSpace
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		stride := 2 + rng.IntN(store.StrideMax-1)
		shape := store.Shape{Stride: stride, MoveBits: 5}
		n := rng.IntN(300)
		var recs []uint64
		var rows [][]uint64
		for range n {
			row := make([]uint64, stride)
			for j := range stride - 1 {
				row[j] = []uint64{0, 1, ^uint64(0), rng.Uint64N(8)}[rng.IntN(4)]
			}
			row[stride-1] = randomMove(rng, 5)
			recs, rows = append(recs, row...), append(rows, row)
		}
		slices.SortFunc(rows, slices.Compare[[]uint64])
		got := space.sortWide(recs, stride)
		if !slices.Equal(got, slices.Concat(rows...)) {
			t.Fatalf("seed %d, stride %d, %d records: not sorted", seed, stride, n)
		}
		rows = slices.CompactFunc(rows, func(a, b []uint64) bool { return slices.Equal(a[:stride-1], b[:stride-1]) })
		if got := uniqueWide(got, shape); !slices.Equal(got, slices.Concat(rows...)) {
			t.Fatalf("seed %d, stride %d, %d records: repetitions are left, or too many are gone", seed, stride, n)
		}
	}
}

// The table falls back to sorting rather than dropping what does not fit.
func TestDistinctNarrowOverflow(t *testing.T) {
	const keyBits, moveBits = 40, 5
	shape := store.Shape{Stride: 1, KeyBits: keyBits, MoveBits: moveBits}
	sizes := []int{bucketRecords}
	for slotBits := range uint(14) { // around as many as are left at the end of a table
		margin := tableSize(slotBits) - 1<<slotBits
		for n := max(25, margin-2); n < margin+4; n++ {
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	for _, distinct := range slices.Compact(sizes) {
		t.Run(fmt.Sprint(distinct), func(t *testing.T) {
			recs := make([]uint64, distinct)
			for i := range recs {
				recs[i] = (lowBits(keyBits)-uint64(i))<<moveBits | uint64(i)&31
			}
			rand.New(rand.NewPCG(7, 7)).Shuffle(len(recs), func(i, j int) { recs[i], recs[j] = recs[j], recs[i] })
			want := slowDistinct(recs, moveBits)
			var space sortSpace
			if got := space.distinctNarrow(recs, keyBits+moveBits, shape); !slices.Equal(got, want) {
				t.Errorf("%d records, want %d", len(got), len(want))
			}
		})
	}
}
