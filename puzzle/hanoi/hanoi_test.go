package hanoi

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
)

func mustRead(tb testing.TB, text string) puzzle.Board {
	tb.Helper()
	boards, err := Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return boards[0]
}

func TestTruth(t *testing.T) {
	puzzletest.Truth(t, "hanoi.json", 17, Read, puzzletest.Usual())
}

func TestConform(t *testing.T) {
	for _, text := range []string{
		"3 pegs 1 disc",
		"3 pegs 40 discs",
		"4 pegs 32 discs",
		"8 pegs 21 discs",
		"8 pegs 5 discs",
		"rule: adjacent\n\n4 pegs 9 discs",
		"rule: cyclic\n\n3 pegs 12 discs",
		"rule: cyclic\n\n5 pegs 7 discs",
	} {
		puzzletest.Conform(t, mustRead(t, text).Puzzle, 1, 300)
	}
}

// twin is the slow, obvious puzzle: a pile of discs a peg.
type twin [][]int

func twinOf(pegs int, text string) twin {
	w := make(twin, pegs)
	words := strings.Fields(text)
	for i, word := range words {
		var peg int
		if _, err := fmt.Sscan(word, &peg); err != nil {
			panic(err)
		}
		w[peg-1] = append(w[peg-1], len(words)-i)
	}
	return w
}

func (w twin) text(discs int) string {
	var words []string
	for disc := discs; disc > 0; disc-- {
		for peg, pile := range w {
			for _, d := range pile {
				if d == disc {
					words = append(words, fmt.Sprint(peg+1))
				}
			}
		}
	}
	return strings.Join(words, " ")
}

func (w twin) successors(discs int, rule string) []string {
	var list []string
	for from := range w {
		for to := range w {
			far := to - from
			if from == to || len(w[from]) == 0 ||
				rule == "adjacent" && far != 1 && far != -1 ||
				rule == "cyclic" && far != 1 && far != 1-len(w) {
				continue
			}
			disc := w[from][len(w[from])-1]
			if n := len(w[to]); n > 0 && w[to][n-1] < disc {
				continue
			}
			after := make(twin, len(w))
			for peg := range w {
				after[peg] = append([]int{}, w[peg]...)
			}
			after[from] = after[from][:len(after[from])-1]
			after[to] = append(after[to], disc)
			list = append(list, fmt.Sprintf("%d-%d: %s", from+1, to+1, after.text(discs)))
		}
	}
	return list
}

func TestTwin(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		pegs := pegsMin + rng.IntN(pegsMax-pegsMin+1)
		discs := 1 + rng.IntN(discsFit(pegs))
		rule := rule(rng.IntN(3)).String()
		var words []string
		for range discs {
			words = append(words, fmt.Sprint(1+rng.IntN(pegs)))
		}
		p := mustRead(t, fmt.Sprintf("pegs: %d\nrule: %s\n\n%s", pegs, rule, strings.Join(words, " "))).Puzzle
		state := p.Starts()
		for range 50 {
			var out puzzle.Edges
			p.Successors(state, &out)
			var got []string
			for i, m := range out.Moves {
				got = append(got, p.FormatMove(m)+": "+p.Format(out.Keys[i:i+1]))
			}
			want := twinOf(pegs, p.Format(state)).successors(discs, rule)
			if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
				t.Fatalf("seed %d, %s:\ngot\n%s\nwant\n%s", seed, p.Format(state), g, w)
			}
			state = out.Keys[:1]
			if out.Len() > 1 {
				i := rng.IntN(out.Len())
				state = out.Keys[i : i+1]
			}
		}
	}
}

// TestRules pins known numbers: with neighbouring pegs only, every arrangement
// lies on the one way of 3^n-1 moves; in a cycle, the way to the next-but-one
// peg of 3 takes the published 2, 7, 21, 59, 163 moves.
func TestRules(t *testing.T) {
	for discs, want := range []int{1: 2, 2: 8, 3: 26, 4: 80, 5: 242} {
		if discs == 0 {
			continue
		}
		s := puzzletest.Explore(mustRead(t, fmt.Sprintf("rule: adjacent\n\n3 pegs %d discs", discs)).Puzzle)
		if s.Solution != want || len(s.Layers) != want+1 {
			t.Errorf("adjacent, %d discs: %d moves, %d layers", discs, s.Solution, len(s.Layers))
		}
	}
	for discs, want := range []int{1: 2, 2: 7, 3: 21, 4: 59, 5: 163} {
		if discs == 0 {
			continue
		}
		p := mustRead(t, fmt.Sprintf("rule: cyclic\n\n3 pegs %d discs", discs)).Puzzle
		if p.Layout().Reversible {
			t.Error("cyclic moves are not reversible")
		}
		if s := puzzletest.Explore(p); s.Solution != want {
			t.Errorf("cyclic, %d discs: %d moves, want %d", discs, s.Solution, want)
		}
	}
}

func TestText(t *testing.T) {
	b := mustRead(t, "puzzle: hanoi\nname: five\ngoal: 2 2 2\nstates: 64\nmoves: 5\n\n4 Pegs 3 disks\n")
	want := "puzzle: hanoi\nmetric: disc\nrule: any\npegs: 4\ngoal: 2 2 2\n\n1 1 1\n"
	if b.Text != want || b.Name != "five" || b.Note != "4 pegs, 3 discs; goal 2 2 2" || b.Expect.States != 64 || b.Expect.SolutionLength != 5 {
		t.Errorf("got %+v", b)
	}
	if again := mustRead(t, b.Text); again.Text != want {
		t.Errorf("read again:\n%s", again.Text)
	}
	p := mustRead(t, "1 2 1 4").Puzzle
	if got := p.Draw(p.Starts()); got != "1: 4 2\n2: 3\n3:\n4: 1" {
		t.Errorf("drawn:\n%s", got)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "no discs: write 3 pegs 4 discs, or the peg of each disc, the largest first",
		"2 pegs 4 discs":                    `line 1, column 1: pegs "2" is not a number from 3 to 8`,
		"3 pegs 41 discs":                   `line 1, column 8: discs "41" is not a number from 1 to 40`,
		"8 pegs 22 discs":                   "line 1, column 1: 22 discs: with 8 pegs at most 21 are allowed",
		"3 pegs of 4 discs":                 `line 1, column 1: "3 pegs of 4 discs" is not a size: write 3 pegs 4 discs`,
		"pegs: 4\n\n3 pegs 2 discs":         "line 3, column 1: 3 pegs, but the header says 4",
		"pegs: 3\n\n1 4":                    `line 3, column 3: peg "4" is not a number from 1 to 3`,
		"1 1\n2 2":                          "line 2, column 1: a second line: the discs are one line",
		"rule: back\n\n1 1":                 `line 1, column 7: unknown rule "back": must be any, adjacent or cyclic`,
		"goal: 1 2 3\n\n1 1":                "line 1, column 7: a goal of 3 discs, but the start has 2",
		"metric: turn\n\n1 1":               `line 1, column 9: unknown metric "turn": must be disc`,
		"colour: red\n\n1 1":                `line 1, column 1: unknown header "colour"; the headers are puzzle, name, metric, notation, rule, pegs, goal, moves, states`,
		strings.Repeat("1 ", 41):            "line 1, column 1: 41 discs: must be 1 to 40",
		"puzzle: tower\n\n3 pegs 3 discs\n": `line 1, column 9: unknown puzzle "tower": must be hanoi`,
	} {
		if _, err := Read([]byte(text), puzzle.ReadOptions{}); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
	p := mustRead(t, "3 pegs 3 discs").Puzzle
	if _, err := p.Parse("1 1"); err == nil || err.Error() != "line 1, column 1: 2 discs, but the puzzle has 3: write the peg of each disc, the largest first" {
		t.Errorf("got %v", err)
	}
	if p.Valid([]uint64{27}) || !p.Valid([]uint64{26}) || p.Valid(nil) || p.Valid([]uint64{0, 0}) {
		t.Error("Valid is wrong")
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"3 pegs 4 discs", "rule: cyclic\npegs: 5\ngoal: 1 1\n\n5 2", "8 pegs 21 discs", "name: x\n\n1"} {
		f.Add(text, uint64(3))
	}
	f.Fuzz(func(t *testing.T, text string, key uint64) {
		boards, err := Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			return
		}
		again := mustRead(t, boards[0].Text)
		if again.Text != boards[0].Text || again.Puzzle.Starts()[0] != boards[0].Puzzle.Starts()[0] {
			t.Fatalf("%q is read again as %q", boards[0].Text, again.Text)
		}
		puzzletest.Conform(t, again.Puzzle, key, 3)
		if again.Puzzle.Valid([]uint64{key}) {
			state, err := again.Puzzle.Parse(again.Puzzle.Format([]uint64{key}))
			if err != nil || state[0] != key {
				t.Fatalf("key %d is read as %v, %v", key, state, err)
			}
		}
	})
}

func TestShippedPuzzles(t *testing.T) {
	puzzletest.Shipped(t, "hanoi", Read, puzzletest.Usual())
}

func BenchmarkSuccessors(b *testing.B) {
	for _, text := range []string{"3 pegs 13 discs", "4 pegs 13 discs", "8 pegs 8 discs"} {
		b.Run(strings.ReplaceAll(text, " ", "-"), func(b *testing.B) {
			p := mustRead(b, text).Puzzle
			rng := rand.New(rand.NewPCG(1, 1))
			states := make([]uint64, 1<<12)
			for i := range states {
				for states[i] = rng.Uint64() >> (64 - p.Layout().KeyBits); !p.Valid(states[i : i+1]); {
					states[i] /= 2
				}
			}
			var out puzzle.Edges
			total := 0
			for b.Loop() {
				out.Reset()
				p.Successors(states, &out)
				total += out.Len()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/successor")
		})
	}
}
