package puzzletest_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/conformance"
	"github.com/everystate/everystate/puzzle/families"
)

// seed is where the random choices of these tests come from.
const seed = 1

// thorough reports whether "make thorough" runs the tests: then more of each space is
// examined.
func thorough() bool { return os.Getenv("EVERYSTATE_THOROUGH") != "" }

// TestFormats examines the example of every format in every metric.
func TestFormats(t *testing.T) {
	for _, f := range families.All() {
		for _, format := range f.Formats {
			for _, m := range f.Metrics {
				t.Run(f.Name+"/"+format.Name+"/"+m.Name, func(t *testing.T) {
					text := []byte("puzzle: " + f.Name + "\n\n" + format.Example)
					if bytes.Contains([]byte(format.Example), []byte("puzzle:")) {
						text = []byte(format.Example)
					}
					boards, err := families.Read(text, puzzle.ReadOptions{Metric: m.Name, Notation: format.Name})
					if err != nil {
						t.Fatal(err)
					}
					o := conformance.Options{Seed: seed, StatesMax: 80, Read: families.Read}
					if thorough() {
						o.StatesMax = 300
					}
					r := puzzletest.Run(t, boards[0], o)
					t.Logf("%d states, the whole space: %t", r.States, r.Whole)
				})
			}
		}
	}
}

// TestShipped examines the shipped boards, the first of each file for longer than
// the others.
func TestShipped(t *testing.T) {
	files := shipped(t)
	seen := map[string]bool{}
	for _, file := range files {
		t.Run(filepath.ToSlash(file), func(t *testing.T) {
			for i, board := range boardsOf(t, file) {
				o := conformance.Options{Seed: seed, StatesMax: 10, Read: families.Read}
				if i > 0 {
					o.StatesMax = 5
				}
				if thorough() {
					o.StatesMax *= 10
				}
				if testing.Short() && i > 1 {
					break
				}
				if i > 0 && i%4 != 1 && !thorough() {
					continue
				}
				if r := puzzletest.Run(t, board, o); t.Failed() {
					t.Fatalf("board %d, %q: %d states examined", i+1, board.Name, r.States)
				}
				seen[board.Family] = true
			}
		})
	}
	if len(seen) == 0 {
		t.Error("no shipped board was examined")
	}
}

// root is where the shipped puzzles are.
const root = "../../../puzzles"

// shipped returns the files of the shipped puzzles.
func shipped(tb testing.TB) []string {
	tb.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Ext(path) == ".txt" {
			path, err = filepath.Rel(root, path)
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		tb.Fatalf("%d shipped puzzles, %v", len(files), err)
	}
	return files
}

func boardsOf(tb testing.TB, file string) []puzzle.Board {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		tb.Fatal(err)
	}
	boards, err := families.Read(text, puzzle.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return boards
}

// FuzzRead gives any text to the reader of any family. What it reads is a puzzle
// that keeps its promises, and an error is one line of an InputError.
func FuzzRead(f *testing.F) {
	all := families.All()
	for i, family := range all {
		for _, format := range family.Formats {
			f.Add(uint8(i), []byte(format.Example))
			f.Add(uint8(i), []byte("puzzle: "+family.Name+"\nmetric: "+family.Metrics[0].Name+"\n\n"+format.Example))
		}
	}
	f.Fuzz(func(t *testing.T, index uint8, text []byte) {
		boards, err := all[int(index)%len(all)].Read(text, puzzle.ReadOptions{})
		if err != nil {
			var input *puzzle.InputError
			if what := err.Error(); !errors.As(err, &input) || len(what) > 1000 || strings.ContainsAny(what, "\n\r\x00") {
				t.Fatalf("%T of more than a line: %q", err, what)
			}
			return
		}
		for _, board := range boards[:min(2, len(boards))] {
			// Little of each: the fuzzer brings the variety.
			o := conformance.Options{Seed: seed, StatesMax: 8, MovesMax: 64, Read: families.Read}
			for _, finding := range conformance.Check(board, o).Findings {
				t.Error(finding)
			}
		}
	})
}

// FuzzValid asks whether any words are a state, of each family's examples. What
// is one has successors like any other.
func FuzzValid(f *testing.F) {
	var puzzles []puzzle.Puzzle
	for _, family := range families.All() {
		for _, format := range family.Formats {
			boards, err := family.Read([]byte(format.Example), puzzle.ReadOptions{Notation: format.Name})
			if err != nil {
				f.Fatal(err)
			}
			puzzles = append(puzzles, boards[0].Puzzle)
		}
	}
	for i, p := range puzzles {
		var raw []byte
		for _, word := range p.Starts() {
			for shift := 56; shift >= 0; shift -= 8 {
				raw = append(raw, byte(word>>shift))
			}
		}
		f.Add(uint8(i), raw)
	}
	f.Fuzz(func(t *testing.T, index uint8, raw []byte) {
		p := puzzles[int(index)%len(puzzles)]
		words := make([]uint64, p.Layout().Words())
		for i, b := range raw[:min(len(raw), 8*len(words))] {
			words[i/8] |= uint64(b) << (56 - i%8*8)
		}
		for _, finding := range conformance.CheckKey(p, words) {
			t.Error(finding)
		}
	})
}
