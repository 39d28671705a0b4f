package permutation

import (
	"os"
	"slices"
	"testing"

	"github.com/everystate/everystate/internal/test/effort"
	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
)

func bounds() puzzletest.Bounds {
	b := puzzletest.Usual()
	b.Full = 4_000_000
	return b
}

func TestTruthPancake(t *testing.T) {
	puzzletest.Truth(t, "pancake.json", 18, ReadPancake, bounds())
}

func TestTruthTopSpin(t *testing.T) {
	puzzletest.Truth(t, "topspin.json", 6, ReadTopSpin, bounds())
}

// The 3,674,160 states are explored by TestScrambles; here they are with "make
// thorough" only, with their goal distances.
func TestTruthPocketCube(t *testing.T) {
	puzzletest.Truth(t, "pocket-cube.json", 27, ReadPocketCube, puzzletest.Usual())
}

func TestTruth(t *testing.T) {
	puzzletest.Truth(t, "permutation.json", 2, Read, bounds())
}

// TestScrambles looks the scrambles up in the space of the solved cube. From
// every state the space looks the same, so that its layers are those of each.
func TestScrambles(t *testing.T) {
	effort.Needed(t, "3674160 states")
	for _, metric := range []string{metricQuart, metricHalf} {
		if metric == metricHalf && os.Getenv("EVERYSTATE_THOROUGH") == "" {
			continue
		}
		opts := puzzle.ReadOptions{Metric: metric}
		boards, err := ReadPocketCube(nil, opts)
		if err != nil {
			t.Fatal(err)
		}
		s := puzzletest.Explore(boards[0].Puzzle)
		depths := make([]uint8, s.Len())
		var layers []int64
		for depth, count := range s.Layers {
			for _, key := range s.Layer(depth) {
				depths[key] = uint8(depth)
			}
			layers = append(layers, int64(count))
		}
		for _, r := range puzzletest.Records(t, "pocket-cube.json") {
			if r.Metric != metric || r.Layers == nil {
				continue
			}
			boards, err := ReadPocketCube([]byte(r.Input), opts)
			if err != nil {
				t.Fatal(err)
			}
			start := boards[0].Puzzle.Starts()[0]
			if int(depths[start]) != *r.SolutionLength || !slices.Equal(layers, r.Layers) {
				t.Errorf("%s: %d moves, want %d; layers %v, want %v", r.ID, depths[start], *r.SolutionLength, layers, r.Layers)
			}
		}
	}
}

func mustRead(tb testing.TB, read puzzletest.Reader, text string) puzzle.Board {
	tb.Helper()
	boards, err := read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		tb.Fatalf("%q: %v", text, err)
	}
	return boards[0]
}

// readers are those of the families here.
func readers() []puzzletest.Reader {
	return []puzzletest.Reader{Read, ReadPancake, ReadTopSpin, ReadPocketCube}
}

// readAny reads a board of any of the families here.
func readAny(text []byte, opts puzzle.ReadOptions) (boards []puzzle.Board, err error) {
	for _, read := range readers() {
		if boards, err = read(text, opts); err == nil {
			break
		}
	}
	return boards, err
}

func TestShippedPuzzles(t *testing.T) {
	puzzletest.Shipped(t, "permutation", readAny, puzzletest.Usual())
}
