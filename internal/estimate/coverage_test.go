package estimate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/estimate"
	"github.com/everystate/everystate/puzzle"
)

// coverage counts intervals, and those that hold the truth.
type coverage struct{ intervals, hold, counted int }

func (c coverage) share() float64 { return float64(c.hold) / float64(max(1, c.intervals)) }

// TestCoverage estimates random spaces of every family from a small part of each, and
// compares the intervals with what they are by counting: nine of ten hold the truth.
// With EVERYSTATE_THOROUGH set there are a thousand of them.
func TestCoverage(t *testing.T) {
	t.Parallel()
	all := randoms(t)
	spaces, most := 4, 15_000
	if os.Getenv("EVERYSTATE_THOROUGH") != "" {
		spaces, most = 1000/len(all)+1, 60_000
	}
	var total coverage
	table := "family        estimated  hold  counted"
	for _, family := range namesIn(all) {
		r := rand.New(rand.NewPCG(17, uint64(len(table))))
		c := cover(t, r, family, all[family], spaces, most)
		table += fmt.Sprintf("\n%-13s %9d %4.0f%% %8d", family, c.intervals, 100*c.share(), c.counted)
		total.intervals, total.hold, total.counted = total.intervals+c.intervals, total.hold+c.hold, total.counted+c.counted
	}
	t.Logf("%s\n%-13s %9d %4.0f%% %8d", table, "all", total.intervals, 100*total.share(), total.counted)
	if total.share() < 0.9 {
		t.Errorf("%d of %d intervals hold the truth", total.hold, total.intervals)
	}
}

// count counts the states of a space, if there are not too many or the puzzle knows.
func count(p puzzle.Puzzle, most int) (states float64, all bool) {
	if size := estimate.SizeOf(p); size.Exact {
		states, _ = size.States.Float64()
		return states, true
	}
	words := p.Layout().Words()
	seen := map[[puzzle.WordsMax]uint64]bool{}
	var queue []uint64
	add := func(keys []uint64) {
		for ; len(keys) > 0; keys = keys[words:] {
			var key [puzzle.WordsMax]uint64
			copy(key[:], keys[:words])
			if !seen[key] {
				seen[key] = true
				queue = append(queue, key[:words]...)
			}
		}
	}
	var out puzzle.Edges
	for add(p.Starts()); len(queue) > 0 && len(seen) <= most; queue = queue[words:] {
		out.Reset()
		p.Successors(queue[:words], &out)
		add(out.Keys)
	}
	return float64(len(seen)), len(queue) == 0
}

// cover estimates so many spaces of a family.
func cover(t *testing.T, r *rand.Rand, family string, write random, spaces, most int) (c coverage) {
	t.Helper()
	for tries := 0; c.intervals < spaces && tries < 6*spaces; tries++ {
		p, text := randomSpace(t, r, family, write)
		o := estimate.Options{Seed: r.Uint64(), States: int(1000 * math.Exp(r.Float64()*math.Log(10)))}
		o.Steps, o.Records = int64(o.States)*20, o.States*4
		truth, all := count(p, most)
		if !all {
			continue
		}
		e := of(t, p, o)
		if e.Exact() {
			c.counted++
			continue
		}
		c.intervals++
		if e.Low <= truth && truth <= e.High {
			c.hold++
			continue
		}
		if testing.Verbose() {
			t.Logf("%s: %v states, %v: %.0f from %.0f to %.0f by %d (mixed %v)\n%s", family, truth, e.Method, e.States, e.Low, e.High, o.States, e.Converged, text[max(0, strings.Index(text, "\n\n")):])
		}
	}
	return c
}
