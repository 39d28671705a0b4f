package proof

import (
	"context"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// batchStates is the number of states that are handed to a goroutine at a time.
const batchStates = 256

// batch is some nodes.
type batch struct {
	nodes []node
	keys  []uint64 // of all of them
}

// expand goes through all states by their keys, and spills what each says of its
// successors. It compares the start states with layer 0, and goals with goal
// distance 0, on the way.
func (c *checker) expand(ctx context.Context) error {
	batches := make(chan batch, c.opts.Workers)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	read := make(chan error, 1)
	go func() {
		defer close(batches)
		err := c.hand(ctx, batches)
		if err != nil {
			cancel()
		}
		read <- err
	}()
	err := c.together(ctx, func(ctx context.Context, _ int) error {
		e := &expander{c: c, out: newTable(c.edges, min(c.share(), 64*8*int64(c.edges.stride)+Work(c.space.History)*8*int64(c.edges.stride)))}
		for b := range batches {
			if err := e.batch(b); err != nil {
				cancel()
				return c.puzzleErr(err)
			}
		}
		return e.out.flush()
	})
	return firstReal([]error{err, <-read})
}

// hand reads the nodes and sends them.
func (c *checker) hand(ctx context.Context, to chan<- batch) error {
	nodes, err := c.read()
	if err != nil {
		return err
	}
	defer nodes.in.close()
	starts := newStarts(c)
	var b batch
	send := func() error {
		select {
		case to <- b:
			b = batch{}
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for {
		n, err := nodes.next()
		if err != nil {
			return err
		}
		if err := starts.until(n); err != nil {
			return err
		}
		if n == nil {
			break
		}
		b.keys = append(b.keys, n.key...)
		b.nodes = append(b.nodes, *n)
		if len(b.nodes) == batchStates {
			if err := send(); err != nil {
				return err
			}
		}
	}
	return send()
}

// starts holds the start states against the layers.
type starts struct {
	c    *checker
	left [][]uint64 // in order
}

func newStarts(c *checker) *starts {
	s := &starts{c: c}
	s.left = slices.SortedFunc(slices.Chunk(c.space.Board.Puzzle.Starts(), c.words), slices.Compare[[]uint64])
	s.left = slices.CompactFunc(s.left, slices.Equal[[]uint64])
	return s
}

// until takes the next state of all, or nil behind the last.
func (s *starts) until(n *node) error {
	order := 1
	if len(s.left) > 0 {
		order = -1
		if n != nil {
			order = slices.Compare(s.left[0], n.key)
		}
	}
	switch {
	case order < 0:
		if len(s.c.space.History.Layers(history.Forward)) == 0 {
			return nil // nothing has been found yet
		}
		return s.c.fault(s.left[0], "is a start, and is in no layer")
	case order == 0:
		s.left = s.left[1:]
		if n.depth != 0 {
			return s.c.fault(n.key, "is a start, and is at depth %d", n.depth)
		}
	case n != nil && n.depth == 0:
		return s.c.fault(n.key, "is at depth 0, and is not a start")
	}
	return nil
}

// expander is what a goroutine expands with.
type expander struct {
	c     *checker
	out   *table
	edges puzzle.Edges
	marks []bool
	rec   []uint64
}

func (e *expander) batch(b batch) error {
	p, words := e.c.space.Board.Puzzle, e.c.words
	e.marks = slices.Grow(e.marks[:0], len(b.nodes))[:len(b.nodes)]
	p.Goals(b.keys, e.marks)
	for i := range b.nodes {
		n := &b.nodes[i]
		n.key = b.keys[i*words : (i+1)*words]
		if e.c.goals && e.marks[i] != (n.distance == 0) {
			if e.marks[i] {
				return e.c.fault(n.key, "is a goal, and has %s", e.c.distance(n.distance))
			}
			return e.c.fault(n.key, "is no goal, and its goal distance is 0")
		}
		if n.depth == e.c.unexpanded {
			continue
		}
		e.edges.Reset()
		p.Successors(n.key, &e.edges)
		if err := e.successors(n); err != nil {
			return err
		}
	}
	e.c.looked(int64(len(b.nodes)))
	return puzzle.Err(p)
}

// successors spills the constraints of a state on its successors. Behind the key
// of each stand, the least of each counting,
//
//   - the depth of the state, and the move;
//   - where moves can be undone, its goal distance and the move: the successor's is
//     one more than the least of these. Otherwise what remains of the greatest
//     number if the least goal distance is taken from it that the successor may
//     have;
//   - the greatest goal distance that the successor may have.
func (e *expander) successors(n *node) error {
	words, linked := e.c.words, false
	e.c.successors.Add(int64(len(e.edges.Moves)))
	for i, move := range e.edges.Moves {
		e.rec = append(e.rec[:0], e.edges.Keys[i*words:(i+1)*words]...)
		nearest, most := uint64(0), uint64(never)
		switch {
		case !e.c.goals:
		case e.c.reversible:
			nearest = uint64(n.least(e.c))<<16 | uint64(move)
		default:
			least := max(0, n.least(e.c)-1)
			if n.distance > 0 && uint64(move) < n.next {
				least++ // else that move would be its link
			}
			nearest = ^uint64(least)
			if n.distance > 0 && uint64(move) == n.next {
				most, linked = uint64(n.distance-1), true
			}
		}
		e.rec = append(e.rec, 1<<63|uint64(n.depth)<<16|uint64(move), nearest, most)
		if err := e.out.add(e.rec); err != nil {
			return err
		}
	}
	if e.c.goals && !e.c.reversible && n.distance > 0 && !linked {
		return e.c.fault(n.key, "has goal distance %d by move %d, which is not a move there", n.distance, n.next)
	}
	return nil
}
