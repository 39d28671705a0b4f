package proof

import (
	"context"
	"fmt"
	"slices"
)

// compare holds every state against what all others say of it.
func (c *checker) compare(ctx context.Context) error {
	nodes, err := c.read()
	if err != nil {
		return err
	}
	defer nodes.in.close()
	said, err := c.edges.open()
	if err != nil {
		return err
	}
	defer said.close()
	of, err := said.next()
	if err != nil {
		return err
	}
	for looked := int64(0); ; {
		n, err := nodes.next()
		if err != nil {
			return err
		}
		if of != nil && (n == nil || slices.Compare(of[:c.words], n.key) < 0) {
			return c.fault(of[:c.words], "is a successor of a state at depth %d, and is in no layer", depthOf(of[c.words]))
		}
		if n == nil {
			c.looked(looked)
			return nil
		}
		if of == nil || !slices.Equal(of[:c.words], n.key) {
			if err := c.alone(n); err != nil {
				return err
			}
		} else {
			if err := c.held(n, of[c.words:]); err != nil {
				return err
			}
			if of, err = said.next(); err != nil {
				return err
			}
		}
		if looked++; looked == 1<<14 {
			c.looked(looked)
			looked = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
}

func depthOf(word uint64) int64 { return int64(word << 1 >> 17) }

// alone checks a state that is nobody's successor.
func (c *checker) alone(n *node) error {
	if n.depth > 0 {
		return c.fault(n.key, "is at depth %d, and is a successor of no state", n.depth)
	}
	if c.reversible && n.distance > 0 {
		return c.fault(n.key, "has goal distance %d, and no neighbour", n.distance)
	}
	return nil
}

// held checks a state against what its predecessors say.
func (c *checker) held(n *node, said []uint64) error {
	above, move := depthOf(said[0]), said[0]&0xffff
	switch {
	case n.depth > above+1:
		return c.fault(n.key, "is at depth %d, and is a successor of a state at depth %d", n.depth, above)
	case n.depth > 0 && n.depth <= above:
		return c.fault(n.key, "is at depth %d, and is a successor of no state above", n.depth)
	case n.depth > 0 && n.link != move:
		return c.fault(n.key, "is at depth %d by move %d, and move %d leads there", n.depth, n.link, move)
	case !c.goals:
		return nil
	case !c.reversible:
		return c.heldOneWay(n, said)
	}
	near, move := int64(said[1]>>16), said[1]&0xffff
	switch {
	case n.distance == 0:
	case n.distance < 0 && near+1 < c.horizon, n.distance > near+1:
		return c.fault(n.key, "has %s, and a neighbour has goal distance %d", c.distance(n.distance), near)
	case n.distance > 0 && n.distance <= near:
		return c.fault(n.key, "has goal distance %d, and no neighbour has less", n.distance)
	case n.distance > 0 && n.next != move:
		return c.fault(n.key, "has goal distance %d by move %d, and move %d leads there", n.distance, n.next, move)
	}
	return nil
}

// heldOneWay checks the goal distance of a state where moves cannot be undone: it
// bounds those of its predecessors.
func (c *checker) heldOneWay(n *node, said []uint64) error {
	if least := int64(^said[1]); n.least(c) < least {
		return c.fault(n.key, "has %s, and a state whose successor it is has %s", c.distance(n.distance), c.distance(least+1))
	}
	if most := int64(said[2]); most < never && (n.distance < 0 || n.distance > most) {
		return c.fault(n.key, "has %s, and by its link a state whose successor it is has goal distance %d", c.distance(n.distance), most+1)
	}
	return nil
}

func (c *checker) distance(d int64) string {
	if d < 0 || d >= c.horizon {
		return "no goal distance"
	}
	return fmt.Sprintf("goal distance %d", d)
}
