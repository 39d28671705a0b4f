package partition

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// Decoding undoes encoding for every width of key, and a record's partition is
// in range.
func TestRecordRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for keyBits := 1; keyBits <= 64*puzzle.WordsMax; keyBits++ {
		for _, parts := range []int{1, 2, 64, Max} {
			moves := 1 + rng.IntN(puzzle.MovesMax)
			s, err := New(puzzle.Layout{KeyBits: keyBits, Moves: moves}, parts)
			if err != nil {
				t.Fatal(err)
			}
			rec := make([]uint64, s.Stride())
			for range 20 {
				key := make([]uint64, s.Words())
				for i := range key {
					key[i] = rng.Uint64()
				}
				if s.Words() == 1 {
					key[0] &= ^uint64(0) >> (64 - uint(keyBits))
				}
				move := puzzle.Move(rng.IntN(moves))
				id := s.Record(rec, key, move)
				if int(id) >= parts {
					t.Fatalf("%d bits, %d partitions: partition %d", keyBits, parts, id)
				}
				if got := s.Key(nil, id, rec); !slices.Equal(got, key) {
					t.Fatalf("%d bits, %d partitions: key %x came back as %x", keyBits, parts, key, got)
				}
				if got := s.Move(rec); got != move {
					t.Fatalf("%d bits, %d partitions: move %d came back as %d", keyBits, parts, move, got)
				}
			}
		}
	}
}

// Many keys counted at once go to the partitions that their records do.
func TestCountNarrow(t *testing.T) {
	for _, parts := range []int{1, 2, 64} {
		for _, keyBits := range []int{20, 64} {
			s, err := New(puzzle.Layout{KeyBits: keyBits, Moves: 1}, parts)
			if err != nil {
				t.Fatal(err)
			}
			keys, want, got := make([]uint64, 1000), make([]int64, parts), make([]int64, parts)
			for i := range keys {
				keys[i] = uint64(i) * 1021
				id, _ := s.RecordNarrow(keys[i], 0)
				want[id]++
			}
			s.CountNarrow(got, keys[:300])
			s.CountNarrow(got, keys[300:])
			if !slices.Equal(got, want) {
				t.Errorf("%d partitions, keys of %d bits: %v, want %v", parts, keyBits, got, want)
			}
		}
	}
}

// The mix is a bijection: every value of a small domain is hit once.
func TestMixIsABijection(t *testing.T) {
	for keyBits := 1; keyBits <= 14; keyBits++ {
		s, err := New(puzzle.Layout{KeyBits: keyBits, Moves: 2}, 1)
		if err != nil {
			t.Fatal(err)
		}
		seen := make([]bool, 1<<keyBits)
		for k := range uint64(1) << keyBits {
			h := s.mix(k)
			if seen[h] {
				t.Fatalf("%d bits: %d is hit twice", keyBits, h)
			}
			seen[h] = true
		}
	}
}

// Dense keys spread evenly: with 64 partitions none is more than a fifth off.
func TestPartitionsAreEven(t *testing.T) {
	for _, keyBits := range []int{20, 30, 44, 64} {
		s, err := New(puzzle.Layout{KeyBits: keyBits, Moves: 8}, 64)
		if err != nil {
			t.Fatal(err)
		}
		var count [64]int
		const n = 1 << 18
		for k := range uint64(n) {
			id, _ := s.RecordNarrow(k, 0)
			count[id]++
		}
		for id, c := range count {
			if c < n/64*4/5 || c > n/64*6/5 {
				t.Errorf("%d bits: partition %d has %d of %d states", keyBits, id, c, n)
			}
		}
	}
}

// Stored runs depend on these values: a change of the mix is a change of the
// stored format.
func TestGoldenValues(t *testing.T) {
	for _, g := range goldens() {
		s, err := New(puzzle.Layout{KeyBits: g.keyBits, Moves: 26}, g.parts)
		if err != nil {
			t.Fatal(err)
		}
		rec := make([]uint64, s.Stride())
		id := s.Record(rec, g.key, 25)
		if id != g.id || !slices.Equal(rec, g.rec) {
			t.Errorf("%d bits, %d partitions, key %#x: got partition %d, record %#x; want %d, %#x",
				g.keyBits, g.parts, g.key, id, rec, g.id, g.rec)
		}
	}
}

func TestBadSchemes(t *testing.T) {
	good := puzzle.Layout{KeyBits: 10, Moves: 4}
	for _, parts := range []int{-1, 0, 3, 100, 2 * Max} {
		if _, err := New(good, parts); err == nil {
			t.Errorf("%d partitions: no error", parts)
		}
	}
	for _, l := range []puzzle.Layout{{KeyBits: 0, Moves: 1}, {KeyBits: 64*puzzle.WordsMax + 1, Moves: 1}, {KeyBits: 8}, {KeyBits: 8, Moves: puzzle.MovesMax + 1}} {
		if _, err := New(l, 1); err == nil {
			t.Errorf("%+v: no error", l)
		}
	}
}

func BenchmarkRecordNarrow(b *testing.B) {
	s, err := New(puzzle.Layout{KeyBits: 44, Moves: 26}, 64)
	if err != nil {
		b.Fatal(err)
	}
	var sum uint64
	for i := range b.N {
		id, rec := s.RecordNarrow(uint64(i), 3)
		sum += uint64(id) + rec
	}
	b.ReportMetric(float64(sum&1), "ignore")
}

type golden struct {
	keyBits, parts int
	key            []uint64
	id             ID
	rec            []uint64
}

func goldens() []golden {
	return []golden{
		{keyBits: 8, parts: 4, key: []uint64{0x5a}, id: 2, rec: []uint64{0xf9}},
		{keyBits: 30, parts: 64, key: []uint64{0x12345678}, id: 34, rec: []uint64{0x1460adf9}},
		{keyBits: 44, parts: 64, key: []uint64{0xba987654321}, id: 8, rec: []uint64{0x1bf54d58159}},
		{keyBits: 64, parts: 256, key: []uint64{0x0123456789abcdef}, id: 234, rec: []uint64{0x1c3227edfce72c19}},
		{keyBits: 64, parts: 1, key: []uint64{0x0123456789abcdef}, id: 0, rec: []uint64{0xeae1913f6fe73960, 0x19}},
		{keyBits: 128, parts: 64, key: []uint64{0x0123456789abcdef, 0xfedcba9876543210}, id: 50, rec: []uint64{0xc8a4d86c9be5266a, 0xfedcba9876543210, 0x19}},
	}
}
