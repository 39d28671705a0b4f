package sokoban

import (
	"cmp"
	"context"
	"slices"

	"github.com/everystate/everystate/internal/solve"
)

// Version is a stage in the development of the iterative-deepening solver.
type Version uint8

// The versions; each adds to the one before.
const (
	Version1 Version = 1 + iota // each box to its nearest target
	Version2                    // a minimum matching of boxes and targets
	Version3                    // a hash table with depths
	Version4                    // the last pushed box is pushed first
	Version5                    // every bound and deadlock rule
)

// Deepen finds a solution with the fewest pushes by iterative-deepening A*. It proves
// a level unsolvable only if the level has few positions or the bound shows it.
func (l *Level) Deepen(ctx context.Context, p *solve.Problem, v Version) solve.Result {
	s := &deepening{version: v, run: l.newRun(ctx, p)}
	var prune pruning
	if v >= Version5 {
		prune = pruneAll
	}
	if v >= Version3 {
		s.table = newTable(l.tables, memoryMax(p))
	}
	outcome := solve.Unsolvable
	if !s.startDead {
		s.expander = newExpander(l.tables, prune, v == Version1)
		outcome = s.deepen()
	}
	return l.result(&s.run, outcome, s.path, l.source.PushMove)
}

type deepening struct {
	run
	version  Version
	expander *expander
	table    *table // nil if the version has none

	limit  int // the most pushes of a solution in this iteration
	path   []push
	levels [][]child // the children at each depth
}

// deepen raises the limit until there is a solution.
func (s *deepening) deepen() solve.Outcome {
	s.expander.enter(&s.start, s.player)
	s.limit = s.expander.bound()
	if s.limit >= unreachable {
		return solve.Unsolvable
	}
	s.initial = s.limit
	start := child{boxes: s.start, reached: s.expander.reached, bound: s.limit}
	start.least = uint8(start.reached.least())
	start.hash = s.hash(&start.boxes, int(start.least))
	for {
		s.Iterations = append(s.Iterations, solve.Iteration{Bound: s.limit})
		next, solved := s.visit(&start, s.player, 0, none)
		switch {
		case s.stop != solve.StopNone:
			return solve.Unknown
		case solved:
			return solve.Solved
		case next >= unreachable:
			return solve.Unsolvable
		}
		s.limit = next
	}
}

// visit searches below a position with the pushes that are left. If it finds no
// solution, it returns the least pushes from the start, beyond the limit, that a
// solution through the position needs. last is the cell of the box pushed last.
func (s *deepening) visit(at *child, player, depth, last int) (next int, solved bool) {
	left := s.limit - depth
	if s.table != nil {
		if bound := s.table.bound(at.hash, &at.boxes, at.least); bound > left {
			return min(depth+bound, unreachable), false
		}
	}
	if at.boxes == s.targets {
		return depth, true
	}
	if s.stop = s.Check(); s.stop != solve.StopNone {
		return unreachable, false
	}
	s.Expanded++
	s.Iterations[len(s.Iterations)-1].Expanded++
	s.Frontier = max(s.Frontier, int64(depth)+1)
	if s.table != nil {
		// The excess over what is left is even, as all paths of a box to a target
		// have the same parity.
		s.table.learn(at.hash, &at.boxes, at.least, left+2, left)
		s.Stored, s.MemoryBytes = int64(s.table.used), s.table.bytes()
	}
	children := s.children(at, player, depth, last)
	next = unreachable
	for i := range children {
		c := &children[i]
		if through := depth + 1 + c.bound; through > s.limit {
			next = min(next, through)
			continue
		}
		s.path = append(s.path, c.push)
		through, found := s.visit(c, int(c.push.from), depth+1, int(c.to))
		if found {
			return through, true
		}
		s.path = s.path[:len(s.path)-1]
		if s.stop != solve.StopNone {
			return unreachable, false
		}
		next = min(next, through)
	}
	if s.version >= Version5 {
		s.table.learn(at.hash, &at.boxes, at.least, min(next-depth, unreachable), left)
	}
	return next, false
}

// children generates and orders the successors of a position. Up to version 3 the last
// box comes first, and for each box the last direction: in this order version 1
// generates exactly as many positions as the paper's on 22 of its levels.
func (s *deepening) children(at *child, player, depth, last int) []child {
	for len(s.levels) <= depth {
		s.levels = append(s.levels, nil)
	}
	e := s.expander
	e.enter(&at.boxes, player)
	list := e.children(s.levels[depth][:0])
	s.levels[depth] = list
	s.Generated += int64(len(list))
	s.Iterations[len(s.Iterations)-1].Generated += int64(len(list))
	if s.version <= Version3 {
		slices.Reverse(list)
	}
	e.match()
	kept := list[:0]
	for i := range list {
		c := &list[i]
		if s.version >= Version5 {
			// A bound that the table knows already need not be computed.
			if c.bound = s.table.bound(c.hash, &c.boxes, c.least); depth+1+c.bound <= s.limit {
				c.bound = max(c.bound, e.boundOf(c))
			}
		} else {
			c.bound = e.boundOf(c)
		}
		if c.bound < unreachable {
			kept = append(kept, *c)
		}
	}
	switch {
	case s.version >= Version5:
		slices.SortStableFunc(kept, func(a, b child) int {
			if c := cmp.Compare(a.bound, b.bound); c != 0 {
				return c
			}
			return cmp.Compare(other(&a, last), other(&b, last))
		})
	case s.version >= Version4:
		slices.SortStableFunc(kept, func(a, b child) int { return cmp.Compare(other(&a, last), other(&b, last)) })
	}
	return kept
}

// other is 0 for a push of the box pushed last, and 1 for others.
func other(c *child, last int) int {
	if int(c.push.from) == last {
		return 0
	}
	return 1
}
