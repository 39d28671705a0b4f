package partition

import (
	"testing"

	"github.com/everystate/everystate/puzzle"
)

type bench struct {
	name string
	Scheme
}

// benchSchemes are narrow and wide.
func benchSchemes(b *testing.B) []bench {
	b.Helper()
	all := []bench{{name: "narrow"}, {name: "2-words"}, {name: "8-words"}}
	for i, keyBits := range []int{44, 128, 512} {
		var err error
		if all[i].Scheme, err = New(puzzle.Layout{KeyBits: keyBits, Moves: 26}, 64); err != nil {
			b.Fatal(err)
		}
	}
	return all
}

// benchStates is the number of states of one iteration.
const benchStates = 4096

func perState(b *testing.B, s *Scheme) {
	b.Helper()
	states := float64(b.N) * benchStates
	b.SetBytes(int64(8 * benchStates * s.Stride()))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/states, "ns/state")
	b.ReportMetric(states/b.Elapsed().Seconds(), "states/s")
	b.ReportMetric(float64(8*s.Stride()), "bytes/state")
}

func BenchmarkRecord(b *testing.B) {
	for _, s := range benchSchemes(b) {
		b.Run(s.name, func(b *testing.B) {
			keys := make([]uint64, benchStates*s.Words())
			for i := range keys {
				keys[i] = uint64(i)
			}
			rec := make([]uint64, s.Stride())
			for b.Loop() {
				for i := 0; i < len(keys); i += s.Words() {
					s.Record(rec, keys[i:i+s.Words()], 3)
				}
			}
			perState(b, &s.Scheme)
		})
	}
}

func BenchmarkKeys(b *testing.B) {
	for _, s := range benchSchemes(b) {
		b.Run(s.name, func(b *testing.B) {
			recs := make([]uint64, benchStates*s.Stride())
			key := make([]uint64, s.Words())
			for i := range benchStates {
				key[0] = uint64(i)
				s.Record(recs[i*s.Stride():(i+1)*s.Stride()], key, 3)
			}
			var keys []uint64
			for b.Loop() {
				keys = s.Keys(keys[:0], 5, recs)
			}
			perState(b, &s.Scheme)
		})
	}
}
