package worker

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// TestFormOfMoves sends reversed moves as blocks, and refuses those of another partition,
// from no state, and by no move.
func TestFormOfMoves(t *testing.T) {
	t.Parallel()
	const moves = 5
	for _, keyBits := range []int{12, 40, 62, 64, 65, 512} {
		t.Run(fmt.Sprint(keyBits, " bits"), func(t *testing.T) {
			t.Parallel()
			scheme, err := partition.New(puzzle.Layout{KeyBits: keyBits, Moves: moves}, 4)
			if err != nil {
				t.Fatal(err)
			}
			form, r, words := FormOf(scheme, FromMoves), rand.New(rand.NewPCG(1, uint64(keyBits))), scheme.Words()
			key := func() []uint64 {
				k := make([]uint64, words)
				for i := range k {
					k[i] = r.Uint64()
				}
				if spare := 64*words - keyBits; spare > 0 {
					k[0] >>= spare % 64
				}
				return k
			}
			const part = 2
			var recs, rec []uint64
			for stride := form.Shape().Stride; len(recs) < form.BlockRecords()*stride; {
				to := make([]uint64, scheme.Stride())
				if scheme.Record(to, key(), 0) != part {
					continue
				}
				from := make([]uint64, scheme.Stride())
				mixed := scheme.Mixed(nil, scheme.Record(from, key(), 0), from)
				rec = form.edge(make([]uint64, stride), to, mixed, puzzle.Move(r.IntN(moves)))
				recs = append(recs, rec...)
			}
			var sorter Sorter
			recs = sorter.Distinct(form, recs)
			block := form.Shape().AppendBlock(nil, recs)
			got, ok := form.Shape().DecodeBlock(nil, block)
			if !ok || !slices.Equal(got, recs) || !form.Holds(part, got, moves) {
				t.Fatalf("%d records: read %v", len(recs), ok)
			}
			if len(block) > 370<<10 {
				t.Errorf("a block of %d bytes", len(block))
			}
			if form.Shape().Stride > 1 && !scheme.Narrow() && form.Holds(part+1, recs, moves) {
				t.Error("moves into another partition are taken")
			}
			for i, spoil := range []func(rec []uint64){
				func(rec []uint64) { rec[len(rec)-1] |= 1<<scheme.MoveBits() - 1 }, // there are 5 moves of 8
				func(rec []uint64) { rec[0] |= 1 << 63 },
				func(rec []uint64) { rec[words] |= 1 << 63 },
			} {
				if len(rec) == 1 && (i > 1 || form.Shape().KeyBits+scheme.MoveBits() == 64) || i == 2 && scheme.KeyBits() == 64 || i == 1 && scheme.KeyBits() == 64 {
					continue
				}
				bad := slices.Clone(recs[:len(rec)])
				if spoil(bad); form.Holds(part, bad, moves) {
					t.Errorf("fault %d is taken", i)
				}
			}
		})
	}
}
