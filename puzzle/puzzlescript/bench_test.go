package puzzlescript

import (
	"os"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// BenchmarkSuccessors expands the first states of a level of 10x10 with three
// crates.
func BenchmarkSuccessors(b *testing.B) {
	text, err := os.ReadFile("testdata/crates-10x10.txt")
	if err != nil {
		b.Fatal(err)
	}
	boards, err := Read(text, puzzle.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	p := boards[0].Puzzle
	const states = 4096
	seen := map[[1]uint64]bool{}
	keys := p.Starts()
	words := p.Layout().Words()
	var out puzzle.Edges
	for at := 0; at < len(keys) && len(keys) < states*words; at += words {
		out.Reset()
		p.Successors(keys[at:at+words], &out)
		for i := range out.Moves {
			key := out.Keys[i*words : (i+1)*words]
			if k := [1]uint64(key[:1]); !seen[k] {
				seen[k] = true
				keys = append(keys, key...)
			}
		}
	}
	out.Reset()
	generated := 0
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		out.Reset()
		p.Successors(keys, &out)
		generated += out.Len()
	}
	b.ReportMetric(float64(generated)/b.Elapsed().Seconds(), "successors/s")
	b.ReportMetric(float64(b.N)*float64(len(keys)/words*p.Layout().Moves)/b.Elapsed().Seconds(), "moves/s")
	b.ReportMetric(float64(p.Layout().KeyBits), "bits")
}
