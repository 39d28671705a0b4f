package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/internal/test/truth"
)

// chosen are the records to explore, with a short source of their numbers: what is
// published, and whether one or two programs that share no code with this one have
// enumerated the space. The records have the details.
var chosen = []struct {
	id     string
	merged bool // with the states merged under symmetries as well
	source string
}{
	{"tiles-3x3-solved/tile", false, "OEIS A089473, a program"},
	{"tiles-3x3-solved/line", false, "a program"},
	{"tiles-2x5-solved/tile", false, "OEIS A090036, a program"},
	{"tiles-3x4-solved/tile", false, "OEIS A090166; Korf & Schultze 2005, a program"},
	{"peg-english-centre/jump", true, "G. Bell, a program"},
	{"peg-rect5x5-22/jump", false, "a program"},
	{"cube2-solved/htm", false, "OEIS A079761, two programs"},
	{"cube2-solved/qtm", false, "OEIS A079762, two programs"},
	{"pyraminx/move", false, "J. Scherphuis"},
	{"hanoi-4-10", false, "Frame & Stewart, a program"},
	{"hanoi-4-13", false, "Frame & Stewart, a program"},
	{"hanoi-5-9", false, "a program"},
	{"pancake-10", false, "OEIS A092113, a program"},
	{"burnt-8", false, "OEIS A078941, a program"},
	{"topspin-11-4", false, "a program"},
	{"klotski-huarong-hengdaolima/step", false, "116 moves, two programs"},
	{"klotski-huarong-hengdaolima/slide", false, "two programs"},
	{"klotski-huarong-hengdaolima/move", false, "81 moves, two programs"},
	{"sokoban-xsokoban-001/push", false, "a program"},
	{"sokoban-xsokoban-001/backward-push", false, "a program"},
	{"sokoban-microban-111/push", false, "a program"},
	{"sokoban-microban-123/push", false, "a program"},
	{"sokoban-microban-123/backward-push", false, "a program"},
	{"sokoban-kids-061/push", false, "a program"},
	{"rush-deep-8x8/step", false, "a program"},
	{"rush-large-8x8/step", false, "a program"},
	{"sudoku-4x4-empty/any-cell", false, "288 grids, two programs"},
}

// A space is a record to explore.
type space struct {
	truth.Record
	name      string
	known     string // where the numbers come from
	distances bool   // whether to compute goal distances
}

// spaces returns the chosen spaces of all records, the smallest first.
func (o *options) spaces(records []truth.Record) ([]space, error) {
	var all []space
	for _, c := range chosen {
		i := slices.IndexFunc(records, func(r truth.Record) bool { return r.ID == c.id })
		if i < 0 || !records[i].Whole() {
			return nil, fmt.Errorf("there is no record of the whole of %s", c.id)
		}
		r := records[i]
		all = append(all, space{Record: r, name: c.id, known: c.source, distances: r.AsksDistances()})
		if c.merged {
			m, err := r.Merged()
			if err != nil {
				return nil, err
			}
			all = append(all, space{Record: m, name: c.id + ", merged", known: c.source})
		}
	}
	all = slices.DeleteFunc(all, func(s space) bool { return !o.wants(&s) })
	slices.SortStableFunc(all, func(a, b space) int { return cmp.Compare(*a.Reachable, *b.Reachable) })
	return all, nil
}

func (o *options) wants(s *space) bool {
	if o.statesMax > 0 && *s.Reachable > o.statesMax {
		return false
	}
	return len(o.only) == 0 || slices.ContainsFunc(o.only, func(p string) bool { return strings.HasPrefix(s.name, p) })
}

// compared returns what of the record is compared, besides states and goals.
func (s *space) compared() string {
	switch {
	case s.Represented != nil:
		return "layers, represented"
	case s.distances:
		return "layers, distances"
	}
	return "layers"
}
