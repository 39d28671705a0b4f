package blocks_test

import (
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/blocks"
)

const (
	hengdaolima = "goal: A at 3,1\n\nBAAC\nBAAC\nDEEF\nDGHF\nI..J"

	// A board of one-cell pieces, whose key is a word although no table holds them.
	squares6x6 = "AABBCC\nAABBCC\nDEFGHI\nJKLMNO\nPQQRRS\nTU..VW"

	corners8x8 = "AAAABBCC\nAAAABBCC\nDDEEFFGG\nDHEIFJGK\nLLMMNN..\n#OPPQR..\nSSTTUU..\nVVWWXX.."

	mixed10x10 = "AAAABBCC..\nAAAABBCC..\nDDEEFFGG..\nDHEIFJGK..\nLLMMNN..aa\n#OPPQR..aa\nSSTTUU..bb\nVVWWXX..bb\n..cc..dd..\n..cc..dd.."
)

// BenchmarkSuccessors reports successors a second over states of each board's
// own space.
func BenchmarkSuccessors(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"hengdaolima", hengdaolima},
		{"squares6x6", squares6x6},
		{"corners8x8", corners8x8},
		{"mixed10x10", mixed10x10},
	} {
		for _, metric := range []string{"step", "slide", "move"} {
			b.Run(bench.name+"/"+metric, func(b *testing.B) {
				boards, err := blocks.Read([]byte(bench.text), puzzle.ReadOptions{Metric: metric})
				if err != nil {
					b.Fatal(err)
				}
				benchmarkSuccessors(b, boards[0].Puzzle)
			})
		}
	}
}

func benchmarkSuccessors(b *testing.B, p puzzle.Puzzle) {
	words := p.Layout().Words()
	states, _ := puzzletest.First(p, 1<<14)
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
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/succ")
	b.ReportMetric(float64(total)/float64(b.N)/batch, "succ/state")
	b.ReportMetric(float64(p.Layout().KeyBits), "key-bits")
}
