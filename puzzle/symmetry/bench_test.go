package symmetry_test

import (
	"os"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// BenchmarkOnward expands a layer of the plain and of the merged puzzle, and counts
// the states of the orbits. The merged puzzle may take as many times as long per state
// as it has symmetries.
func BenchmarkOnward(b *testing.B) {
	file := func(name string) string {
		text, err := os.ReadFile("../../puzzles/" + name)
		if err != nil {
			b.Fatal(err)
		}
		return string(text)
	}
	for _, c := range []struct{ name, text string }{
		{"pocket-cube", "puzzle: pocket-cube\n\nURF UFL ULB UBR DFR DLF DRB"},
		{"pyraminx", file("permutation/pyraminx.txt")},
		{"skewb", file("permutation/skewb.txt")},
		{"dino-cube", file("permutation/dino-cube.txt")},
		{"loopover-3x3", file("permutation/loopover-3x3.txt")},
		{"loopover-4x4", file("permutation/loopover-4x4.txt")},
		{"tiles-centre", "puzzle: tiles\ngoal: 1 2 3 / 8 0 4 / 7 6 5\n\n1 2 3\n8 0 4\n7 6 5"},
		{"hanoi-5-pegs", "puzzle: hanoi\n\n5 pegs 8 discs"},
		{"peg-english", file("peg/english-centre.txt")},
		{"klotski", "puzzle: blocks\ngoal: A at r4c2\n\nBAAC\nBAAC\nDEEF\nDGHF\nI..J"},
		{"blocks-4", "puzzle: blocks\nmetric: move\n\nBB.DD\nE...F\nE...F\nCC.GG"},
		{"blocks-8", "puzzle: blocks\n\nBCD.EFG\nHI...JK\nL.....M\n...A...\nN.....O\nPQ...RS\nTUV.WXY"},
		{"blocks-10x10", "puzzle: blocks\n\nBBC....DEE\nBB......EE\nF........G\n..........\n..........\n..........\n..........\nH........I\nJJ......KK\nJJL....MKK"},
		{"sokoban", "###########\n#.       .#\n#         #\n#  $   $  #\n#         #\n#    @    #\n#         #\n#  $   $  #\n#         #\n#.       .#\n###########"},
	} {
		for _, name := range []string{"off", "on"} {
			boards, err := families.ReadWith([]byte(c.text), []families.Header{{Key: "symmetry", Value: name}}, puzzle.ReadOptions{})
			if err != nil {
				b.Fatal(err)
			}
			p := boards[0].Puzzle
			onward, prunes := p.(puzzle.Onward)
			const statesMax = 2000
			states, links := someLayer(p, statesMax)
			weights := make([]uint64, len(links))
			var out puzzle.Edges
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					out.Reset()
					if prunes {
						onward.Onward(states, links, &out)
					} else {
						p.Successors(states, &out)
					}
					if weighted, ok := p.(puzzle.Weighted); ok {
						weighted.Weights(states, weights)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(links)), "ns/state")
			})
		}
	}
}

// someLayer returns states with their links: those that some number of moves leads to, a
// dozen at the most. It stops once there are enough.
func someLayer(p puzzle.Puzzle, statesMax int) (states []uint64, links []puzzle.Move) {
	words := p.Layout().Words()
	known := map[[puzzle.WordsMax]uint64]bool{}
	add := func(key []uint64, move puzzle.Move) {
		var k [puzzle.WordsMax]uint64
		copy(k[:], key)
		if !known[k] {
			known[k] = true
			states, links = append(states, key...), append(links, move)
		}
	}
	add(p.Starts()[:words], 0)
	for range 12 {
		if len(links) >= statesMax {
			break
		}
		var out puzzle.Edges
		p.Successors(states, &out)
		before, lastLinks := states, links
		states, links = nil, nil
		for i, move := range out.Moves {
			add(out.Keys[i*words:(i+1)*words], move)
		}
		if len(links) == 0 { // the space has ended
			states, links = before, lastLinks
			break
		}
	}
	n := min(len(links), statesMax)
	return states[:n*words], links[:n]
}
