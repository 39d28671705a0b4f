package symmetry_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/everystate/everystate/internal/test/effort"
	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// boards are small spaces with the number of symmetries that each has.
var boards = []struct {
	name, text string
	headers    []families.Header
	symmetries int
}{
	{"pocket cube, corner fixed", "puzzle: pocket-cube\nmetric: qtm\n\nURF UFL ULB UBR DFR DLF DRB", nil, 6},
	{"topspin", "7 3: 1 2 3 4 5 6 7", nil, 2},
	{"three-cycles", "pieces: 7\n\nmove A, A': (1 2 3)\nmove B, B': (3 4 5)\nmove C, C': (5 6 7)", nil, 8},
	{"ring of swaps", "pieces: 6\n\nmove A: (1 2)\nmove B: (2 3)\nmove C: (3 4)\nmove D: (4 5)\nmove E: (5 6)\nmove F: (6 1)", nil, 12},
	{"all swaps", "pieces: 5\n\nmove A: (1 2)\nmove B: (1 3)\nmove C: (1 4)\nmove D: (1 5)\nmove E: (2 3)\nmove F: (2 4)\nmove G: (2 5)\nmove H: (3 4)\nmove I: (3 5)\nmove J: (4 5)", nil, 120},
	{"alike", "pieces: a a a b b b\n\nmove A: (1 2)\nmove B: (2 3)\nmove C: (3 4)\nmove D: (4 5)\nmove E: (5 6)\nmove F: (6 1)", nil, 4},
	{"one way", "pieces: 6\n\nmove A: (1 2 3)\nmove B: (4 5 6)\nmove C: (3 4)", nil, 2},
	{"turned", "pieces: 4\norientations: 3\n\nmove A, A': (1 2+1)\nmove B, B': (2 3+1)\nmove C, C': (3 4+1)\nmove D, D': (4 1+1)", nil, 8},
	{"turns ignored", "pieces: a? b? c d\norientations: 3\n\nmove A, A': (1 2+1)\nmove B, B': (2 3+1)\nmove C, C': (3 4+1)\nmove D, D': (4 1+1)", nil, 0},
	{"another goal", "pieces: 5\ngoal: 1 2 3 4 5\nstart: 2 1 4 3 5\n\nmove A: (1 2)\nmove B: (2 3)\nmove C: (3 4)\nmove D: (4 5)\nmove E: (1 5)", nil, 2},
	{"fields", "pieces: 25\n\nmove A, A': (1 2 3)\nmove B, B': (5 6 7)", nil, 0},
	{"hanoi", "puzzle: hanoi\n\n4 pegs 6 discs", nil, 2},
	{"hanoi of five pegs", "puzzle: hanoi\n\n5 pegs 4 discs", nil, 6},
	{"hanoi with neighbours", "puzzle: hanoi\nrule: adjacent\npegs: 5\ngoal: 3 3 3 3\n\n3 3 3 3", nil, 2},
	{"hanoi of several chunks", "puzzle: hanoi\npegs: 4\n\n4 pegs 9 discs", nil, 2},
	{"tiles, hole in the corner", "puzzle: tiles\n\n1 2 3\n4 5 6\n7 8 0", nil, 2},
	{"tiles, hole in the centre", "puzzle: tiles\ngoal: 1 2 3 / 8 0 4 / 7 6 5\n\n1 2 3\n8 0 4\n7 6 5", nil, 8},
	{"tiles, whole lines", "puzzle: tiles\nmetric: line\ngoal: 1 2 3 / 8 0 4 / 7 6 5\n\n1 2 3\n8 0 4\n7 6 5", nil, 8},
	{"tiles, four cells", "puzzle: tiles\n\n1 2\n3 0", nil, 2},
	{"hanoi, three pegs alike", "puzzle: hanoi\ngoal: 1 1 1\n\n4 pegs 3 discs", nil, 6},
	{"tiles, a rectangle", "puzzle: tiles\ngoal: 1 0 2 / 3 4 5\n\n1 0 2\n3 4 5", nil, 2},
	{"peg triangle", "puzzle: peg-tri\n\n.\no o\no o o\no o o o", []families.Header{{Key: "symmetry", Value: "start"}}, 2},
	{"rush hour, odd board", "exit: right\n\n.B.C.\n.B.C.\nAA...\n.E.F.\n.E.F.", []families.Header{{Key: "symmetry", Value: "on"}}, 2},
	{"rush hour, slides", "metric: slide\n\nBB..C\nE..DC\nEAAD.\nE..DF\nGG..F", nil, 2},
	{"rush hour, exit below", "exit: bottom\ngoal: A\n\nB.A.C\nB.A.C\n.....\nDD.EE\n.....", nil, 2},
	{"sokoban", "#######\n#.   .#\n#  $  #\n# $@$ #\n#  $  #\n#.   .#\n#######", nil, 8},
	{"sokoban, every step", "puzzle: sokoban\nmetric: move\n\n#######\n#.   .#\n# $@$ #\n#     #\n#######", nil, 2},
	{"sokoban, backwards", "puzzle: sokoban\nmetric: backward-push\n\n#######\n#. $ .#\n#  @  #\n#  $  #\n#######", nil, 2},
	{"sokoban, a corridor", "#########\n# .$@$. #\n#########", nil, 2},
	{"klotski", "puzzle: blocks\ngoal: A at r4c2\n\nBAAC\nBAAC\nDEEF\nDGHF\nI..J", nil, 2},
	{"klotski, slides", "puzzle: blocks\nmetric: slide\ngoal: A at r4c2\n\nBAAC\nBAAC\nDEEF\nDGHF\nI..J", nil, 2},
	{"blocks, any path", "puzzle: blocks\nmetric: move\n\nBB.DD\nE...F\nE...F\nCC.GG", nil, 4},
	{"blocks, dominoes that turn", "puzzle: blocks\n\nBB.C\n...C\nD...\nD.EE", nil, 4},
	{"blocks, a square", "puzzle: blocks\nmetric: slide\n\nBC.D\nB..D\nE..F\nE.GF", nil, 2},
	{"blocks, all eight", "puzzle: blocks\n\nB.C\n.A.\nD.E", nil, 8},
	{"blocks, corners", "puzzle: blocks\nmetric: slide\n\nBB.C\nB.CC\nDD.E\nD.EE", nil, 2},
	{"blocks, pieces that change places", "puzzle: blocks\ngoal: A at r1c5; B at r1c1\n\nA...B\n.CCC.\n.....", nil, 2},
	{"blocks, walls around", "puzzle: blocks\nmetric: move\n\n######\n#B.C##\n#...##\n##.###", nil, 2},
	{"blocks, wide", "puzzle: blocks\n\nBB...........\nBB...........\n.............\n...........CC\n...........CC", nil, 2},
	{"peg cross", "puzzle: peg\n\n ooo\nooooo\noo.oo\nooooo\n ooo", []families.Header{{Key: "symmetry", Value: "start"}}, 8},
}

// TestLayers compares what the states of merged spaces stand for with the plain
// spaces: layer by layer, goals, and goal distances.
func TestLayers(t *testing.T) {
	for _, b := range boards {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			headers := b.headers
			if headers == nil {
				headers = []families.Header{{Key: "symmetry", Value: "on"}}
			}
			plain, p := read(t, b.text, nil), read(t, b.text, headers)
			symmetries := p.Layout().Moves / puzzle.Unmerged(p).Layout().Moves
			if b.symmetries > 0 && symmetries != b.symmetries || symmetries < 2 {
				t.Errorf("%d symmetries, want %d", symmetries, b.symmetries)
			}
			const layersMax = 9 // of spaces that are large
			all, few := puzzletest.ExploreLayers(plain, layersMax), puzzletest.ExploreLayers(p, layersMax)
			var weights []int
			for depth := range few.Layers {
				weights = append(weights, weightOf(p, few.Layer(depth)))
			}
			if !slices.Equal(weights, all.Layers) || few.Len() >= all.Len() {
				t.Errorf("layers %v stand for %v, want %v", few.Layers, weights, all.Layers)
			}
			if len(few.Layers) < layersMax {
				checkSize(t, plain, all.Len())
				checkSize(t, p, few.Len())
			}
			if got := weightOf(p, few.GoalStates); got != all.Goals || few.Solution != all.Solution {
				t.Errorf("%d goals, the first at %d; want %d, %d", got, few.Solution, all.Goals, all.Solution)
			}
			checkDistances(t, plain, p, all, few)
			checkPaths(t, plain, p, few)
		})
	}
}

func read(t *testing.T, text string, headers []families.Header) puzzle.Puzzle {
	t.Helper()
	boards, err := families.ReadWith([]byte(text), headers, puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := families.ReadStored(boards[0].Text, 0)
	if err != nil {
		t.Fatal(err)
	}
	return again.Puzzle
}

func weightOf(p puzzle.Puzzle, states []uint64) int {
	weights := make([]uint64, len(states)/p.Layout().Words())
	p.(puzzle.Weighted).Weights(states, weights)
	sum := 0
	for _, w := range weights {
		sum += int(w)
	}
	return sum
}

// checkDistances compares goal distances in spaces that were explored to the end.
func checkDistances(t *testing.T, plain, p puzzle.Puzzle, all, few *puzzletest.Space) {
	t.Helper()
	if len(all.Layers) > 8 && all.Layers[len(all.Layers)-1] > 1000 || all.Goals == 0 {
		return
	}
	if all.ToGoal(plain) != few.ToGoal(p) {
		t.Error("only one of them goes back")
		return
	}
	if len(all.GoalLayers) != len(few.GoalLayers) || len(all.GoalLayers) > 0 && weightOf(p, few.Hardest) != all.GoalLayers[len(all.GoalLayers)-1] {
		t.Errorf("goal distances %v, want %v", few.GoalLayers, all.GoalLayers)
	}
}

// checkPaths follows links back from the deepest states, and makes the moves of the
// unfolded paths in the plain puzzle: from a start to the state, or to any image of it.
func checkPaths(t *testing.T, plain, p puzzle.Puzzle, few *puzzletest.Space) {
	t.Helper()
	words, m := few.Words, p.(puzzle.Merged)
	last := few.Last()
	for i := range min(20, len(last)/words) {
		states := [][]uint64{slices.Clone(last[i*words : (i+1)*words])}
		var moves []puzzle.Move
		for depth := len(few.Layers) - 1; depth > 0; depth-- {
			state, move := before(p, few.Layer(depth-1), states[0])
			if state == nil {
				t.Fatalf("no state of layer %d leads to %x", depth-1, states[0])
			}
			states, moves = slices.Insert(states, 0, state), slices.Insert(moves, 0, move)
		}
		end := images(plain, p, states[len(states)-1])
		m.Unfold(states, moves, len(states)-1, end)
		if !slices.Equal(states[len(states)-1], end) || !isStart(plain, states[0]) {
			t.Fatalf("the path from %x to %x does not lead from a start to %x", states[0], states[len(states)-1], end)
		}
		at := slices.Clone(states[0])
		for n, move := range moves {
			if m.Plain(m.Bare(move)) != move || !m.Unmerged().Apply(at, at, m.Bare(move)) || !slices.Equal(at, states[n+1]) {
				t.Fatalf("move %d, %s, does not lead to the next state", n, p.FormatMove(move))
			}
			if !leads(plain, states[n], p.FormatMove(move), at) {
				t.Fatalf("move %d, %s, is none of the plain puzzle, or does not lead to the next state", n, p.FormatMove(move))
			}
		}
	}
}

// leads reports whether the only move with a name leads from one state to another.
func leads(p puzzle.Puzzle, from []uint64, name string, to []uint64) bool {
	var out puzzle.Edges
	p.Successors(from, &out)
	count, found := 0, false
	for i, m := range out.Moves {
		if p.FormatMove(m) == name {
			count++
			found = found || slices.Equal(out.Keys[i*len(to):(i+1)*len(to)], to)
		}
	}
	return found && count == 1
}

// before returns a state of a layer from which a move leads to a state, by Undo where a
// move and its end say where it began.
func before(p puzzle.Puzzle, layer, state []uint64) (found []uint64, move puzzle.Move) {
	words := len(state)
	if puzzle.Merges(p) {
		return beforeMerging(p, layer, state)
	}
	known := map[string]bool{}
	for key := range slices.Chunk(layer, words) {
		known[fmt.Sprint(key)] = true
	}
	dst := make([]uint64, words)
	for m := range p.Layout().Moves {
		if p.Undo(dst, state, puzzle.Move(m)) && known[fmt.Sprint(dst)] {
			return dst, puzzle.Move(m)
		}
	}
	return nil, 0
}

func beforeMerging(p puzzle.Puzzle, layer, state []uint64) (found []uint64, move puzzle.Move) {
	dst := make([]uint64, len(state))
	for key := range slices.Chunk(layer, len(state)) {
		for m := range p.Layout().Moves {
			if p.Apply(dst, key, puzzle.Move(m)) && slices.Equal(dst, state) {
				return slices.Clone(key), puzzle.Move(m)
			}
		}
	}
	return nil, 0
}

// images returns a state that a representative stands for: another one if there is
// one a move and its undoing away.
func images(plain, p puzzle.Puzzle, state []uint64) []uint64 {
	var out, all puzzle.Edges
	plain.Successors(state, &out)
	for near := range slices.Chunk(out.Keys, len(state)) {
		all.Reset()
		plain.Successors(near, &all)
		for other := range slices.Chunk(all.Keys, len(state)) {
			if !slices.Equal(other, state) && slices.Equal(puzzle.Represent(p, other), state) {
				return slices.Clone(other)
			}
		}
	}
	return slices.Clone(state)
}

func isStart(p puzzle.Puzzle, state []uint64) bool {
	for start := range slices.Chunk(p.Starts(), len(state)) {
		if slices.Equal(start, state) {
			return true
		}
	}
	return false
}

// TestConformance examines the groups, and the merged puzzles as puzzles.
func TestConformance(t *testing.T) {
	for _, b := range boards {
		t.Run(b.name, func(t *testing.T) {
			headers := b.headers
			if headers == nil {
				headers = []families.Header{{Key: "symmetry", Value: "on"}}
			}
			puzzletest.Conform(t, read(t, b.text, nil), 1, effort.Of(20, 8))
			puzzletest.Conform(t, read(t, b.text, headers), 2, effort.Of(20, 8))
		})
	}
}
