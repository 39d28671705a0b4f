package solve

import (
	"context"
	"math"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// A deepening search goes depth first while depth plus estimate is within a bound,
// then starts again with the least value that exceeded it.
//
// A transposition table holds the least depth at which a state has been met, in any
// round, and the last round in which it was met. Met at a greater depth, the state is
// not searched, as each round also reaches it by the shorter path; met at that depth,
// it is searched once per round. The memory limit bounds the table; when it is full,
// a state that is not in it is searched each time it is met. When a whole round
// prunes no state because of the bound, every reachable state has been seen.
type deepening struct {
	*Meter
	game      puzzle.Puzzle
	rule      pruner
	heuristic Heuristic

	table    *visited
	met      []meeting
	tableMax int64

	round  int32
	bound  int32
	beyond int32 // the least value above the bound in this round

	path   []puzzle.Move
	levels []*level // by depth
	stop   Stop
}

// meeting is the least depth at which a state was met, and the last round in which it
// was.
type meeting struct{ round, depth int32 }

// level is the scratch memory of one depth.
type level struct {
	edges     puzzle.Edges
	marks     []bool
	estimates []int32
}

// tableBytesMax bounds the table if there is no memory limit.
const tableBytesMax = 1 << 30

func deepen(ctx context.Context, p *Problem, heuristic Heuristic) Result {
	game := p.Board.Puzzle
	words := game.Layout().Words()
	s := &deepening{
		Meter: NewMeter(ctx, p), game: game, rule: ahead(game), heuristic: heuristic,
		table: newVisited(words), tableMax: tableBytesMax,
	}
	if most := p.Limits.MemoryBytesMax; most > 0 {
		s.tableMax = most / 2 // it doubles when it grows, and the limit is none to stop at
	}
	s.limits.MemoryBytesMax = 0
	starts := p.starts()
	if goal := goalAmong(game, starts, len(starts)/words); goal >= 0 {
		return Result{Outcome: Solved, Start: starts[goal*words : (goal+1)*words], Optimal: true, Stats: s.Stats}
	}
	estimates := make([]int32, len(starts)/words)
	heuristic.Estimate(starts, estimates)
	s.beyond = slices.Min(estimates)
	initial := int(s.beyond)
	for s.beyond < Dead {
		s.bound, s.beyond = s.beyond, math.MaxInt32
		s.round++
		s.Iterations = append(s.Iterations, Iteration{Bound: int(s.bound)})
		for i, h := range estimates {
			start := starts[i*words : (i+1)*words]
			switch {
			case h == Dead:
			case h > s.bound:
				s.beyond = min(s.beyond, h)
			case s.fresh(start, 0) && s.visit(start, 0):
				return Result{
					Outcome: Solved, Start: start, Moves: s.path, Optimal: true,
					InitialBound: initial, Stats: s.Stats,
				}
			}
			if s.stop != StopNone {
				r := s.stopped(s.stop)
				r.InitialBound = initial
				return r
			}
		}
	}
	r := s.unsolvable()
	r.InitialBound = initial
	return r
}

// visit searches below a state, and leaves the path to a goal, if it finds one, in
// s.path.
func (s *deepening) visit(key []uint64, depth int) bool {
	s.Stored = int64(s.table.len())
	s.MemoryBytes = s.table.bytes() + int64(cap(s.met))*8
	s.waiting(depth + 1)
	if s.stop = s.Check(); s.stop != StopNone {
		return false
	}
	if depth == len(s.levels) {
		s.levels = append(s.levels, new(level))
	}
	l, words := s.levels[depth], len(key)
	l.edges.Reset()
	generated := s.rule.expand(key, s.path[max(0, depth-1):], &l.edges)
	s.Expanded++
	s.Generated += generated
	round := &s.Iterations[len(s.Iterations)-1]
	round.Expanded++
	round.Generated += generated
	count := l.edges.Len()
	l.marks, l.estimates = sized(l.marks, count), sized(l.estimates, count)
	s.game.Goals(l.edges.Keys, l.marks)
	s.heuristic.Estimate(l.edges.Keys, l.estimates)
	under := int32(depth + 1)
	for i, h := range l.estimates {
		if h == Dead {
			continue
		}
		if under+h > s.bound {
			s.beyond = min(s.beyond, under+h)
			continue
		}
		next := l.edges.Keys[i*words : (i+1)*words]
		if !l.marks[i] && !s.fresh(next, under) {
			continue
		}
		s.path = append(s.path, l.edges.Moves[i])
		if l.marks[i] || s.visit(next, depth+1) {
			return true
		}
		if s.stop != StopNone {
			return false
		}
		s.path = s.path[:depth]
	}
	return false
}

// fresh reports whether a state just met must be searched.
func (s *deepening) fresh(key []uint64, depth int32) bool {
	var n int
	if s.table.bytes()+int64(cap(s.met))*8 < s.tableMax {
		n, _ = s.table.add(key, 0)
	} else if n = s.table.number(key); n < 0 {
		return true
	}
	if n == len(s.met) {
		s.met = append(s.met, meeting{depth: math.MaxInt32})
	}
	if m := s.met[n]; m.depth < depth || m.depth == depth && m.round == s.round {
		return false
	}
	s.met[n] = meeting{s.round, depth}
	return true
}
