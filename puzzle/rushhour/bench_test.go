package rushhour_test

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

const famous = "333BCC\nB22BCC\nB.XXCC\n22B...\n.BB.22\n.B2222"

const board8x8 = `
BLCoxxDD
BLCooGGH
BoCoJJJH
AAMoPOoo
xoMoPOQQ
oRSFoOUU
oRSFWWXo
oRZZooXo`

const board12x12 = `
AA.B........
...B..CC.D..
...B.....D..
.EEE..F..D..
......F.....
GG.H..F..II.
...H........
.JJ..K..L...
.....K..L..M
NN...K..L..M
..OOO.....PP
QQ..RR..SS..`

// BenchmarkSuccessors reports successors a second over states of each board's
// own space, and BenchmarkOnward the same with moves pruned by the links of a run.
func BenchmarkSuccessors(b *testing.B) {
	benchmark(b, func(p puzzle.Puzzle, states []uint64, _ []puzzle.Move, out *puzzle.Edges) { p.Successors(states, out) })
}

func BenchmarkOnward(b *testing.B) {
	benchmark(b, func(p puzzle.Puzzle, states []uint64, links []puzzle.Move, out *puzzle.Edges) {
		p.(puzzle.Onward).Onward(states, links, out)
	})
}

func benchmark(b *testing.B, call func(p puzzle.Puzzle, states []uint64, links []puzzle.Move, out *puzzle.Edges)) {
	for _, bench := range []struct{ name, metric, text string }{
		{"famous/step", "step", famous},
		{"famous/slide", "slide", famous},
		{"8x8/step", "step", board8x8},
		{"8x8/slide", "slide", board8x8},
		{"12x12/step", "step", board12x12},
	} {
		b.Run(bench.name, func(b *testing.B) {
			boards, err := rushhour.Read([]byte(strings.TrimSpace(bench.text)), puzzle.ReadOptions{Metric: bench.metric})
			if err != nil {
				b.Fatal(err)
			}
			p := boards[0].Puzzle
			benchmarkEdges(b, p, func(states []uint64, links []puzzle.Move, out *puzzle.Edges) { call(p, states, links, out) })
		})
	}
}

func benchmarkEdges(b *testing.B, p puzzle.Puzzle, call func(states []uint64, links []puzzle.Move, out *puzzle.Edges)) {
	words := p.Layout().Words()
	states, links := puzzletest.First(p, 1<<15)
	edges := &puzzle.Edges{}
	const batch = 1 << 10
	total := 0
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		at := i * batch % (len(links) - batch + 1)
		edges.Reset()
		call(states[at*words:(at+batch)*words], links[at:at+batch], edges)
		total += edges.Len()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batch, "ns/state")
	b.ReportMetric(float64(total)/b.Elapsed().Seconds()/1e6, "Msucc/s")
	b.ReportMetric(float64(total)/float64(b.N)/batch, "succ/state")
}
