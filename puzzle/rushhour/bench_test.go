package rushhour_test

import (
	"strings"
	"testing"

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
// own space.
func BenchmarkSuccessors(b *testing.B) {
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
			benchmarkSuccessors(b, boards[0].Puzzle)
		})
	}
}

func benchmarkSuccessors(b *testing.B, p puzzle.Puzzle) {
	words := p.Layout().Words()
	states := someStates(p, 1<<15)
	edges := &puzzle.Edges{}
	const batch = 1 << 10
	total := 0
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		at := i * batch % (len(states)/words - batch + 1)
		edges.Reset()
		p.Successors(states[at*words:(at+batch)*words], edges)
		total += edges.Len()
	}
	b.ReportMetric(float64(total)/b.Elapsed().Seconds()/1e6, "Msucc/s")
	b.ReportMetric(float64(total)/float64(b.N)/batch, "succ/state")
}

// someStates returns the first n states of a puzzle's space, or all.
func someStates(p puzzle.Puzzle, n int) []uint64 {
	words := p.Layout().Words()
	var key [puzzle.WordsMax]uint64
	seen := map[[puzzle.WordsMax]uint64]bool{}
	states := p.Starts()
	copy(key[:], states)
	seen[key] = true
	edges := &puzzle.Edges{}
	for at := 0; at < len(states) && len(states) < n*words; at += words {
		edges.Reset()
		p.Successors(states[at:at+words], edges)
		for i := range edges.Len() {
			successor := edges.Keys[i*words : i*words+words]
			copy(key[:], successor)
			if !seen[key] {
				seen[key] = true
				states = append(states, successor...)
			}
		}
	}
	return states
}
