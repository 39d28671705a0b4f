package puzzlescript

import (
	"os"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// BenchmarkSuccessors expands the first states of a level of 10x10 with three crates,
// and of games with heavier rules.
func BenchmarkSuccessors(b *testing.B) {
	for _, c := range []struct{ name, file, level string }{
		{"crates", "testdata/crates-10x10.txt", "1"},
		{"portals", "../../puzzles/puzzlescript/portals.txt", "3"},
		{"lamps", "../../puzzles/puzzlescript/lamps.txt", "3"},
		{"beams", "../../puzzles/puzzlescript/beams.txt", "3"},
		{"tilt", "../../puzzles/puzzlescript/tilt.txt", "4"},
	} {
		b.Run(c.name, func(b *testing.B) { benchmark(b, c.file, c.level) })
	}
}

func benchmark(b *testing.B, file, level string) {
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	boards, err := Read(text, puzzle.ReadOptions{Level: level})
	if err != nil {
		b.Fatal(err)
	}
	p := boards[0].Puzzle
	const states = 4096
	seen := map[[puzzle.WordsMax]uint64]bool{}
	keys := p.Starts()
	words := p.Layout().Words()
	var out puzzle.Edges
	for at := 0; at < len(keys) && len(keys) < states*words; at += words {
		out.Reset()
		p.Successors(keys[at:at+words], &out)
		for i := range out.Moves {
			key := out.Keys[i*words : (i+1)*words]
			var k [puzzle.WordsMax]uint64
			if copy(k[:], key); !seen[k] {
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
