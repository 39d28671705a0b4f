package permutation

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/everystate/everystate/internal/puzzletest"
	"github.com/everystate/everystate/puzzle"
)

const truthFolder = "../../testdata/truth/"

func TestTruthPancake(t *testing.T) {
	puzzletest.Truth(t, truthFolder+"pancake.json", ReadPancake, false)
}

func TestTruthTopSpin(t *testing.T) {
	puzzletest.Truth(t, truthFolder+"topspin.json", ReadTopSpin, false)
}

func TestTruthPocketCube(t *testing.T) {
	puzzletest.Truth(t, truthFolder+"pocket-cube.json", ReadPocketCube, false)
}

func TestTruth(t *testing.T) {
	puzzletest.Truth(t, truthFolder+"permutation.json", Read, false)
}

// TestScrambles looks the scrambles up in the space of the solved cube. From
// every state the space looks the same, so that its layers are those of each.
func TestScrambles(t *testing.T) {
	if testing.Short() {
		t.Skip("3674160 states")
	}
	for _, metric := range []string{metricHalf, metricQuart} {
		opts := puzzle.ReadOptions{Metric: metric}
		boards, err := ReadPocketCube(nil, opts)
		if err != nil {
			t.Fatal(err)
		}
		s := puzzletest.Explore(boards[0].Puzzle)
		depths := make([]uint8, len(s.States))
		at := 0
		for depth, count := range s.Layers {
			for _, key := range s.States[at : at+count] {
				depths[key] = uint8(depth)
			}
			at += count
		}
		for _, r := range puzzletest.Records(t, truthFolder+"pocket-cube.json") {
			if r.Metric != metric || r.Layers == nil {
				continue
			}
			boards, err := ReadPocketCube([]byte(r.Input), opts)
			if err != nil {
				t.Fatal(err)
			}
			start := boards[0].Puzzle.Starts()[0]
			if int(depths[start]) != *r.SolutionLength || !slices.Equal(s.Layers, r.Layers) {
				t.Errorf("%s: %d moves, want %d; layers %v, want %v", r.ID, depths[start], *r.SolutionLength, s.Layers, r.Layers)
			}
		}
	}
}

type reader func([]byte, puzzle.ReadOptions) ([]puzzle.Board, error)

func mustRead(tb testing.TB, read reader, text string) puzzle.Board {
	tb.Helper()
	boards, err := read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		tb.Fatalf("%q: %v", text, err)
	}
	return boards[0]
}

// readerOf returns the reader of a file by its header.
func readerOf(family string) reader {
	return map[string]reader{Family: Read, Pancake: ReadPancake, TopSpin: ReadTopSpin, PocketCube: ReadPocketCube}[family]
}

// shippedStatesMax is the largest shipped space that the tests explore.
const shippedStatesMax = 500_000

// TestShippedPuzzles reads every shipped board, which must promise its space,
// and explores all but the largest.
func TestShippedPuzzles(t *testing.T) {
	files, err := filepath.Glob("../../puzzles/permutation/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files, %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var board puzzle.Board
		for _, family := range []string{Family, Pancake, TopSpin, PocketCube} {
			if boards, err := readerOf(family)(text, puzzle.ReadOptions{}); err == nil {
				board = boards[0]
			}
		}
		if board.Puzzle == nil {
			t.Errorf("%s cannot be read", file)
			continue
		}
		if board.Name == "" || board.Expect.States < 0 || board.Expect.SolutionLength < 0 {
			t.Errorf("%s promises nothing", file)
		}
		if board.Expect.States > shippedStatesMax {
			continue
		}
		s := puzzletest.Explore(board.Puzzle)
		if int64(len(s.States)) != board.Expect.States || s.Solution != board.Expect.SolutionLength {
			t.Errorf("%s: %d states, %d moves", file, len(s.States), s.Solution)
		}
	}
}
