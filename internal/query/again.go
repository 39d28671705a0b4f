package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// searchBytesMax bounds the memory of a search for a path through dropped layers, in
// bytes.
const searchBytesMax = 1 << 30

// again returns a shortest path from a start to a state at a known depth, without
// reading any layer. It searches breadth-first from both ends, or only from the starts
// if the puzzle cannot generate predecessors. As the length is known, the two meet in
// the last layers of both, and nowhere before.
func again(ctx context.Context, s *Space, key []uint64, depth int) (Path, error) {
	p, words := s.Board.Puzzle, s.Scheme.Words()
	statesMax := searchBytesMax / (12*words + 24)
	if s.searchStatesMax > 0 {
		statesMax = s.searchStatesMax
	}
	fore, back := newBall(words, p.Successors), newBall(words, nil)
	for start := range slices.Chunk(p.Starts(), words) {
		fore.add(start, -1)
	}
	back.add(key, -1)
	if b, ok := p.(puzzle.Backward); ok {
		back.next = b.Predecessors
	}
	if p.Layout().Reversible {
		back.next = p.Successors
	}
	for fore.depth+back.depth < depth {
		side := fore
		if back.next != nil && back.layer() < fore.layer() {
			side = back
		}
		err := side.expand(ctx, statesMax-fore.len()-back.len())
		if errors.Is(err, errTooMany) {
			dropped := droppedAt(s, depth-1)
			dropped.What = fmt.Sprintf("searching for the path again takes more than %d million states in memory", statesMax/1e6)
			return Path{}, dropped
		}
		if err = s.puzzleErrOr(err); err != nil {
			return Path{}, err
		}
		if s.Searching != nil {
			s.Searching(float64(fore.depth+back.depth) / float64(depth))
		}
	}
	for i := back.from; i < back.len(); i++ {
		if at := fore.find(back.key(i)); at >= fore.from {
			states := fore.chain(at)
			slices.Reverse(states)
			states = append(states, back.chain(i)[1:]...)
			moves, err := movesBetween(s, states)
			return Path{States: states, Moves: moves, Searched: len(moves)}, err
		}
	}
	return Path{}, fmt.Errorf("no path of %d moves leads from the start to a state at depth %d: the run is damaged\n%s", depth, depth, p.Format(key))
}

// ball is the states within some moves of one end of a path.
type ball struct {
	words int
	next  func(states []uint64, out *puzzle.Edges)
	depth int
	from  int // the first state of the last layer

	keys   []uint64
	parent []int32  // of each state, -1 at the end itself
	slots  []uint32 // a hash table of the states' numbers, 0 if free, else one more
}

func newBall(words int, next func([]uint64, *puzzle.Edges)) *ball {
	return &ball{words: words, next: next, slots: make([]uint32, 16)}
}

// errTooMany reports that a search would take too much memory.
var errTooMany = errors.New("too many states")

func (r *ball) len() int              { return len(r.parent) }
func (r *ball) layer() int            { return r.len() - r.from }
func (r *ball) key(i int) []uint64    { return r.keys[i*r.words : (i+1)*r.words] }
func (r *ball) find(key []uint64) int { return int(r.slots[r.slot(key)]) - 1 }

// slot returns the slot that holds a state or, if it is new, the one for it.
func (r *ball) slot(key []uint64) uint64 {
	var h uint64
	for _, w := range key {
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	mask := uint64(len(r.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		if n := r.slots[i]; n == 0 || slices.Equal(r.key(int(n-1)), key) {
			return i
		}
	}
}

// add adds a state unless it is there.
func (r *ball) add(key []uint64, parent int) {
	i := r.slot(key)
	if r.slots[i] != 0 {
		return
	}
	r.keys = append(r.keys, key...)
	r.parent = append(r.parent, int32(parent)) // at most searchBytesMax
	r.slots[i] = uint32(r.len())
	if 2*r.len() > len(r.slots) {
		r.slots = make([]uint32, 2*len(r.slots))
		for n := range r.len() {
			r.slots[r.slot(r.key(n))] = uint32(n + 1)
		}
	}
}

// expand adds the next layer, of at most room states.
func (r *ball) expand(ctx context.Context, room int) error {
	var edges puzzle.Edges
	from, end := r.from, r.len()
	for i := from; i < end; i++ {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if r.len()-end > room {
			return errTooMany
		}
		edges.Reset()
		r.next(r.key(i), &edges)
		for next := range slices.Chunk(edges.Keys, r.words) {
			r.add(next, i)
		}
	}
	r.from, r.depth = end, r.depth+1
	return nil
}

// chain returns the states from one to the end of the path.
func (r *ball) chain(i int) [][]uint64 {
	var states [][]uint64
	for ; i >= 0; i = int(r.parent[i]) {
		states = append(states, slices.Clone(r.key(i)))
	}
	return states
}
