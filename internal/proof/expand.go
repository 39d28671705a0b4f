package proof

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/everystate/everystate/puzzle"
)

// batchStates is the number of states expanded at a time.
const batchStates = 256

// savedAtOnce is the size of in-memory tables up to which even an interrupted check
// saves its progress.
const savedAtOnce = 1 << 30

// round expands buckets from a given one on and compares their successors with all
// states, until it is time to save the progress. It returns the first bucket that has
// not been expanded.
func (c *checker) round(ctx context.Context, from int) (int, error) {
	began := time.Now()
	var next atomic.Int64
	next.Store(int64(from))
	err := c.onAllWorkers(ctx, func(ctx context.Context, worker int) error {
		e := &expander{c: c, out: c.newRouter(c.edgeWords, c.addEdges), edge: make([]uint64, c.edgeWords)}
		if from == 0 && worker == 0 {
			if err := e.starts(); err != nil {
				return err
			}
		}
		more := func(taken int) bool {
			return ctx.Err() == nil && (c.inMemory || c.spilled.Load() < c.opts.SpillBytes) && (taken == 0 || time.Since(began) < c.opts.SaveEvery)
		}
		for taken := 0; more(taken); taken++ {
			b := next.Add(1) - 1
			if b >= int64(len(c.buckets)) {
				next.Add(-1)
				break
			}
			if err := e.bucket(int(b)); err != nil {
				return c.puzzleErr(err)
			}
		}
		return e.out.flush()
	})
	to := int(next.Load())
	last := to == len(c.buckets)
	switch {
	case err != nil:
		return to, err
	case ctx.Err() != nil:
		if c.inMemory && c.tableBytes() > savedAtOnce {
			return to, ctx.Err()
		}
		return to, cmp.Or(c.files.save(to), ctx.Err())
	case !c.inMemory && (last || c.spilled.Load() >= c.opts.SpillBytes):
		if err := c.settle(ctx, last); err != nil || last {
			return to, err
		}
	case last:
		return to, nil
	}
	return to, c.files.save(to)
}

// tableBytes returns the size of the tables in memory.
func (c *checker) tableBytes() int64 {
	var sum int64
	for i := range c.buckets {
		sum += int64(8 * len(c.buckets[i].table.slots))
	}
	return sum
}

// settle compares the edges waiting in files with the states in files and, the last
// time, judges the states.
func (c *checker) settle(ctx context.Context, last bool) error {
	err := c.each(ctx, 0, func(_, b int) error {
		bucket := &c.buckets[b]
		t := c.newTable(bucket.nodes.Bytes / 8 / int64(c.nodeWords))
		if err := c.files.each(&bucket.nodes, c.nodeWords, t.add); err != nil {
			return err
		}
		err := c.files.each(&bucket.edges, c.edgeWords, func(edge []uint64) error { return c.compareOne(t.find(edge, hash(edge[:c.words])), edge) })
		if err != nil {
			return err
		}
		if last {
			return c.judge(t)
		}
		bucket.nodes, err = c.files.replace(b, t)
		return err
	})
	if err != nil || last {
		return err
	}
	c.spilled.Store(0)
	for b := range c.buckets {
		c.buckets[b].edges = file{}
	}
	return nil
}

// expander is the state of a goroutine that expands.
type expander struct {
	c     *checker
	out   *router
	edges puzzle.Edges
	nodes []uint64
	keys  []uint64
	marks []bool
	edge  []uint64
}

// starts sends the start states as edges.
func (e *expander) starts() error {
	starts, words := e.c.space.Board.Puzzle.Starts(), e.c.words
	clear(e.edge)
	for i := 0; i < len(starts); i += words {
		copy(e.edge, starts[i:i+words])
		if !e.c.share.owns(e.edge[:words]) {
			continue // every share knows all starts
		}
		if err := e.out.add(e.edge); err != nil {
			return err
		}
	}
	return nil
}

// bucket expands the states of a bucket.
func (e *expander) bucket(b int) error {
	take := func(node []uint64) error {
		e.nodes = append(e.nodes, node...)
		if len(e.nodes) == batchStates*e.c.nodeWords {
			return e.batch()
		}
		return nil
	}
	var err error
	if t := e.c.buckets[b].table; t != nil {
		// Other goroutines mark links in the table meanwhile, a buffer at a time.
		err = e.eachShared(&e.c.buckets[b], take)
	} else {
		err = e.c.files.each(&e.c.buckets[b].nodes, e.c.nodeWords, take)
	}
	if err != nil {
		return err
	}
	return e.batch()
}

// eachShared calls f with copies of a bucket's nodes.
func (e *expander) eachShared(b *bucket, f func(node []uint64) error) error {
	stride := e.c.nodeWords
	some := make([]uint64, 0, batchStates*stride)
	for at := 0; at < len(b.table.slots); at += cap(some) {
		b.mu.Lock()
		some = append(some[:0], b.table.slots[at:min(at+cap(some), len(b.table.slots))]...)
		b.mu.Unlock()
		for i := 0; i < len(some); i += stride {
			if some[i+e.c.words] == 0 {
				continue
			}
			if err := f(some[i : i+stride]); err != nil {
				return err
			}
		}
	}
	return nil
}

// batch checks that the goals are the states at goal distance 0, and sends the
// successors.
func (e *expander) batch() error {
	c, p, n := e.c, e.c.space.Board.Puzzle, len(e.nodes)/e.c.nodeWords
	e.keys, e.marks = e.keys[:0], append(e.marks[:0], make([]bool, n)...)
	for i := range n {
		e.keys = append(e.keys, e.nodes[i*c.nodeWords:i*c.nodeWords+c.words]...)
	}
	p.Goals(e.keys, e.marks)
	for i := range n {
		node := e.nodes[i*c.nodeWords : (i+1)*c.nodeWords]
		if node[c.words]&nodeStored == 0 {
			return c.stray(node)
		}
		distance := c.distanceOf(node)
		if c.goals && e.marks[i] != (distance == 0) {
			if e.marks[i] {
				return c.fault(node, "is a goal, but has %s", c.distance(distance))
			}
			return c.fault(node, "is not a goal, but its goal distance is 0")
		}
		if numberOf(node[c.words]) == c.unexpanded {
			continue
		}
		e.edges.Reset()
		p.Successors(node[:c.words], &e.edges)
		if err := e.successors(node, distance); err != nil {
			return err
		}
	}
	e.nodes = e.nodes[:0]
	c.looked(n)
	return puzzle.Err(p)
}

// successors sends the successors of a state as edges.
func (e *expander) successors(node []uint64, distance int64) error {
	c, words, linked := e.c, e.c.words, false
	c.successors.Add(int64(len(e.edges.Moves)))
	above := uint64(numberOf(node[words])+1) << 16
	if c.edgeWords == 2 {
		for i, move := range e.edges.Moves {
			if err := e.out.addNarrow(e.edges.Keys[i], above|uint64(move)); err != nil {
				return err
			}
		}
		return nil
	}
	for i, move := range e.edges.Moves {
		copy(e.edge, e.edges.Keys[i*words:(i+1)*words])
		e.edge[words] = above | uint64(move)
		if c.goals {
			said := uint64(distance + 1)
			if !c.reversible && distance > 0 {
				switch next := linkOf(node[words+1]); {
				case uint64(move) == next:
					said |= edgeNext
					linked = true
				case uint64(move) < next:
					said |= edgeBefore
				}
			}
			e.edge[words+1] = said
		}
		if err := e.out.add(e.edge); err != nil {
			return err
		}
	}
	if c.goals && !c.reversible && distance > 0 && !linked {
		return c.fault(node, "has goal distance %d by move %d, which is not a move there", distance, linkOf(node[words+1]))
	}
	return nil
}
