package sokoban

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// FuzzRead reads any text. What is read must be written so that it is read again.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"######\n# @$.#\n######",
		"puzzle: sokoban\nmetric: move\nprune: yes\n\nname: A\nmoves: 3\n  ####\n###  #\n#@$. #\n######\n; B\n\n6#|#-@$.#|6#",
		"Title: A\nComment:\ntext\nComment-End:\n#####|#@$.#|#####",
		"metric: pull\n\n6# / #P bB# / 6#",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		boards, err := Read(text, puzzle.ReadOptions{})
		if err != nil {
			var fault *puzzle.InputError
			if !errors.As(err, &fault) {
				t.Fatalf("%v is no InputError", err)
			}
			return
		}
		for _, b := range boards[:min(len(boards), 10)] {
			again, err := Read([]byte(b.Text), puzzle.ReadOptions{})
			if err != nil || len(again) != 1 || again[0].Text != b.Text || again[0].Metric != b.Metric {
				t.Fatalf("%q is read again as %+v, %v", b.Text, again, err)
			}
			g, h := b.Puzzle.(*game), again[0].Puzzle.(*game)
			if g.Layout() != h.Layout() || !slices.Equal(g.Starts(), h.Starts()) {
				t.Fatalf("%q is another puzzle", b.Text)
			}
			if g.cells > 100 {
				continue
			}
			start := g.Starts()[:g.words()]
			if _, err := checkState(g, start); err != nil {
				t.Fatalf("%v:\n%s", err, g.Format(start))
			}
		}
	})
}

// FuzzStates takes any words for a key of a random level.
func FuzzStates(f *testing.F) {
	f.Add(uint64(1), uint8(0), uint64(77), uint64(1<<63), uint64(5))
	f.Add(uint64(3), uint8(1), uint64(1)<<40, uint64(0), uint64(0))
	f.Add(uint64(7), uint8(2), uint64(0), uint64(0), uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64, kind uint8, a, b, c uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		size := [][2]int{{6, 6}, {8, 10}, {5, 20}, {14, 16}}[seed%4]
		g, err := gameOf(randomLevel(rng.IntN, size[0], size[1]), metric(kind%3), prune(kind/3%4))
		if err != nil {
			t.Fatal(err)
		}
		key := []uint64{a, b, c, 0, 0, 0, 0, 0}[:g.words()]
		if g.Valid(append(key, 0)) || g.Valid(nil) {
			t.Fatal("a key of another width is valid")
		}
		if !g.Valid(key) {
			return
		}
		if _, err := checkState(g, key); err != nil {
			t.Fatalf("%v:\n%s", err, g.Format(key))
		}
	})
}

// TestValid counts the keys of small levels that are valid: each one that can be
// drawn and read again, and no other.
func TestValid(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		g, err := gameOf(randomLevel(rng.IntN, 5, 6), metric(seed%3), pruneNone)
		if err != nil {
			t.Fatal(err)
		}
		if g.keyBits > 12 {
			continue
		}
		for key := range uint64(1) << g.keyBits {
			state := []uint64{key}
			if valid := g.Valid(state); valid != obviouslyValid(g, state) {
				t.Fatalf("seed %d, %s: valid(%d) is %t", seed, g.metric, key, valid)
			}
		}
	}
}

// obviouslyValid draws a key with its player and reads the picture.
func obviouslyValid(g *game, state []uint64) bool {
	if state[0] >= g.ranks*uint64(g.cells) {
		return false
	}
	parsed, err := g.Parse(g.Format(state))
	return err == nil && slices.Equal(parsed, state)
}
