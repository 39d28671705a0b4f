package permutation

import (
	"os"
	"path/filepath"
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
