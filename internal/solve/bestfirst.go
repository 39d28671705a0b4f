package solve

import (
	"cmp"
	"context"

	"github.com/everystate/everystate/puzzle"
)

// A bestFirst search expands the state of least rank first. A state reached by a
// shorter path after it was expanded is expanded again, so a heuristic need not be
// consistent.
type bestFirst struct {
	*Meter
	game      puzzle.Puzzle
	heuristic Heuristic
	rank      func(depth, estimate int32) int64
	optimal   bool
	once      bool // a state is never expanded again

	v         *visited
	depths    []int32 // of the shortest known path, by state number
	estimates []int32
	open      []candidate // a heap
	edges     puzzle.Edges
}

// A candidate is a state of the frontier. It is stale if the state has since been
// reached at a lesser depth.
type candidate struct {
	rank  int64
	depth int32
	n     uint32
}

// before orders the frontier: by rank, then the deepest first, as they are nearest to
// a goal, then in the order of arrival.
func (a candidate) before(b candidate) bool {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.depth, a.depth), cmp.Compare(a.n, b.n)) < 0
}

func newBestFirst(ctx context.Context, p *Problem, optimal bool, rank func(depth, estimate int32) int64) *bestFirst {
	game := p.Board.Puzzle
	return &bestFirst{
		Meter: NewMeter(ctx, p), game: game, heuristic: p.heuristic(), rank: rank, optimal: optimal,
		v: newVisited(game.Layout().Words()),
	}
}

func (s *bestFirst) solve(starts []uint64) Result {
	s.v.addStarts(starts)
	s.estimate(0)
	initial := s.least()
	for n := range s.v.starts {
		s.depths = append(s.depths, 0)
		s.wait(uint32(n))
	}
	r := s.run()
	r.InitialBound = initial
	return r
}

func (s *bestFirst) run() Result {
	var mark [1]bool
	for len(s.open) > 0 {
		s.Stored = int64(s.v.len())
		s.MemoryBytes = s.v.bytes() + int64(cap(s.depths))*8 + int64(cap(s.open))*16
		s.waiting(len(s.open))
		next := s.pop()
		if next.depth != s.depths[next.n] {
			continue
		}
		key := s.v.key(int(next.n))
		if s.game.Goals(key, mark[:]); mark[0] {
			s.v.depths = s.depths
			return s.solved(s.v, s.game, int(next.n), s.optimal)
		}
		if stop := s.Check(); stop != StopNone {
			return s.stopped(stop)
		}
		s.expand(key, next.depth+1)
	}
	return s.unsolvable()
}

// expand generates the successors of a state at a depth.
func (s *bestFirst) expand(key []uint64, depth int32) {
	s.edges.Reset()
	s.game.Successors(key, &s.edges)
	s.Expanded++
	s.Generated += int64(s.edges.Len())
	first, words := s.v.len(), s.v.words
	for i, move := range s.edges.Moves {
		n, fresh := s.v.add(s.edges.Keys[i*words:(i+1)*words], move)
		switch {
		case fresh:
			s.depths = append(s.depths, depth)
		case depth < s.depths[n] && !s.once:
			s.depths[n], s.v.links[n] = depth, move
			s.wait(uint32(n))
		}
	}
	s.estimate(first)
	for n := first; n < s.v.len(); n++ {
		s.wait(uint32(n))
	}
}

// estimate estimates the states from number first on.
func (s *bestFirst) estimate(first int) {
	for len(s.estimates) < s.v.len() {
		s.estimates = append(s.estimates, 0)
	}
	s.heuristic.Estimate(s.v.keys[first*s.v.words:], s.estimates[first:])
}

// least returns the least estimate of a start.
func (s *bestFirst) least() int {
	least := int32(Dead)
	for _, h := range s.estimates {
		least = min(least, h)
	}
	if least == Dead {
		return 0 // there is no bound
	}
	return int(least)
}

// wait adds a state to the frontier, unless it is dead.
func (s *bestFirst) wait(n uint32) {
	if s.estimates[n] == Dead {
		return
	}
	depth := s.depths[n]
	s.open = append(s.open, candidate{s.rank(depth, s.estimates[n]), depth, n})
	for at := len(s.open) - 1; at > 0; {
		above := (at - 1) / 2
		if !s.open[at].before(s.open[above]) {
			return
		}
		s.open[at], s.open[above] = s.open[above], s.open[at]
		at = above
	}
}

// pop removes and returns the first state of the frontier.
func (s *bestFirst) pop() candidate {
	first, last := s.open[0], len(s.open)-1
	s.open[0] = s.open[last]
	s.open = s.open[:last]
	for at := 0; ; {
		least := at
		for child := 2*at + 1; child <= 2*at+2 && child < last; child++ {
			if s.open[child].before(s.open[least]) {
				least = child
			}
		}
		if least == at {
			return first
		}
		s.open[at], s.open[least] = s.open[least], s.open[at]
		at = least
	}
}

// heuristic returns the problem's heuristic, or blind if it has none.
func (p *Problem) heuristic() Heuristic {
	if p.Heuristic == nil {
		return blind{}
	}
	return p.Heuristic
}

// blind estimates 0 for every state.
type blind struct{}

func (blind) Estimate(_ []uint64, h []int32) { clear(h) }
