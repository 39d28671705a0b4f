package murphi

import (
	"os"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// BenchmarkSuccessors expands the first states of two models: three jugs, whose
// states are few and are expanded again and again, and a lock for four processes.
func BenchmarkSuccessors(b *testing.B) {
	jugs, err := os.ReadFile("../../puzzles/murphi/jugs.txt")
	if err != nil {
		b.Fatal(err)
	}
	lock, err := os.ReadFile("testdata/peterson-4.txt")
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string][]byte{"jugs": jugs, "peterson-4": lock} {
		b.Run(name, func(b *testing.B) {
			p := mustRead(b, string(text)).Puzzle
			keys := first(p, 4096)
			var out puzzle.Edges
			generated := 0
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				out.Reset()
				p.Successors(keys, &out)
				generated += out.Len()
			}
			b.ReportMetric(float64(generated)/b.Elapsed().Seconds(), "successors/s")
			b.ReportMetric(float64(p.Layout().KeyBits), "bits")
		})
	}
}

// first returns so many states of one word near the starts.
func first(p puzzle.Puzzle, states int) []uint64 {
	seen := map[uint64]bool{}
	keys := p.Starts()
	var out puzzle.Edges
	for at := 0; at < len(keys) && len(keys) < states; at++ {
		out.Reset()
		p.Successors(keys[at:at+1], &out)
		for _, key := range out.Keys {
			if !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	return keys
}
