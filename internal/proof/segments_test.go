package proof

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Constraints that are joined in memory, on disk, and in segments of segments are
// those that a map joins.
func TestConstraintsAreJoined(t *testing.T) {
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, 0))
	s := &segments{dir: t.TempDir(), name: "test", stride: 4, key: 2, join: true}
	tables := []*table{newTable(s, 0), newTable(s, 0)}
	want := map[[2]uint64][2]uint64{}
	for range 100_000 {
		key := [2]uint64{rng.Uint64N(300), rng.Uint64N(100) << 50}
		said := [2]uint64{rng.Uint64N(1000) + 1, rng.Uint64()}
		if old, is := want[key]; is {
			want[key] = [2]uint64{min(old[0], said[0]), min(old[1], said[1])}
		} else {
			want[key] = said
		}
		if err := tables[rng.IntN(2)].add([]uint64{key[0], key[1], said[0], said[1]}); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range tables {
		if err := table.flush(); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.files) <= mergedMax {
		t.Errorf("%d segments are not merged before they are read", len(s.files))
	}
	m, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	var last []uint64
	for {
		rec, err := m.next()
		if err != nil {
			t.Fatal(err)
		}
		if rec == nil {
			break
		}
		key := [2]uint64{rec[0], rec[1]}
		if said, is := want[key]; !is || said != [2]uint64{rec[2], rec[3]} {
			t.Fatalf("seed %d: %v, want %v", seed, rec, said)
		}
		if last != nil && slices.Compare(last, rec[:2]) >= 0 {
			t.Fatalf("seed %d: %v behind %v", seed, rec[:2], last)
		}
		last = append(last[:0], rec[:2]...)
		delete(want, key)
	}
	if len(want) > 0 {
		t.Errorf("seed %d: %d records are gone", seed, len(want))
	}
}
