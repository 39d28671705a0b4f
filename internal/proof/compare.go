package proof

import (
	"fmt"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// An edge is the key of a successor, one word about its depth and, if there are goal
// distances, one about its distance. The first word holds the greatest depth that the
// state may have, one more than its predecessor's and 0 for a start, and the move.
// The second holds the predecessor's goal distance plus one, or 0 if it has none, and
// flags.
const (
	edgeNext   = 1 << 40 // the move is the predecessor's link towards a goal
	edgeBefore = 1 << 41 // the move comes before that link
)

func phaseOf(word int) history.Phase {
	if word == 0 {
		return history.Forward
	}
	return history.Goal
}

// describe writes the words of a node after its key.
func (c *checker) describe(node []uint64, phase history.Phase, number uint32, link puzzle.Move) {
	clear(node[c.words:])
	node[c.words] = nodeThere
	at := c.words
	if phase == history.Goal {
		at++
	}
	node[at] |= nodeStored | uint64(number)<<16 | uint64(link)
}

// distanceOf returns a node's goal distance, -1 if there is none.
func (c *checker) distanceOf(node []uint64) int64 {
	if !c.goals || node[c.words+1]&nodeStored == 0 {
		return -1
	}
	return numberOf(node[c.words+1])
}

// least returns the least goal distance that a state may have.
func (c *checker) least(distance int64) int64 {
	if distance < 0 {
		return c.horizon
	}
	return distance
}

// compareAtOnce is how many edges are looked up together, so that their memory
// latencies overlap.
const compareAtOnce = 32

// compare compares edges with the states of a table, and marks the links that they
// confirm.
func (c *checker) compare(t *table, edges []uint64) error {
	stride, words := c.edgeWords, c.words
	var places [compareAtOnce]uint64
	for len(edges) > 0 {
		some := edges[:min(len(edges), compareAtOnce*stride)]
		edges = edges[len(some):]
		n := len(some) / stride
		var touched uint64
		for i := range n {
			places[i] = hash(some[i*stride : i*stride+words])
			touched |= t.slots[(places[i]&t.mask)*uint64(c.nodeWords)+uint64(words)]
		}
		t.touched = touched // so that the reads above are not optimised away
		for i := range n {
			edge := some[i*stride : (i+1)*stride]
			if err := c.compareOne(t.find(edge, places[i]), edge); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareOne compares an edge with the state that it leads to.
func (c *checker) compareOne(node, edge []uint64) error {
	said, word := edge[c.words], node[c.words]
	if word&nodeStored == 0 {
		return c.nowhere(edge)
	}
	most, depth := said>>16, word>>16&(1<<32-1)
	if depth >= most {
		switch move := said & 0xffff; {
		case depth > most:
			return c.tooDeep(node, most)
		case most == 0 || move == linkOf(word):
			node[c.words] = word | nodeLinked
		case move < linkOf(word):
			return c.fault(node, "is at depth %d by move %d, but the lesser move %d leads there", depth, linkOf(word), move)
		}
	}
	if c.goals && most > 0 {
		return c.compareDistance(node, said&0xffff, edge[c.words+1])
	}
	return nil
}

// compareNarrow is compare for keys of one word without goal distances. It leaves
// faults to compareOne.
func (c *checker) compareNarrow(t *table, edges []uint64) error {
	var places [compareAtOnce]uint64
	slots, mask := t.slots, t.mask
	for len(edges) > 0 {
		some := edges[:min(len(edges), 2*compareAtOnce)]
		edges = edges[len(some):]
		var touched uint64
		for i := 0; i+1 < len(some); i += 2 {
			place := 2 * (hashWord(some[i]) & mask)
			places[i/2] = place
			touched |= slots[place]
		}
		t.touched = touched
		for i := 0; i+1 < len(some); i += 2 {
			key, said, at := some[i], some[i+1], places[i/2]
			for slots[at] != key && slots[at+1] != 0 {
				at = (at + 2) & (2*mask + 1)
			}
			word := slots[at+1]
			most, depth := said>>16, word>>16&(1<<32-1)
			if depth < most && word&nodeStored != 0 {
				continue
			}
			if depth == most && word&nodeStored != 0 && said&0xffff == linkOf(word) {
				slots[at+1] = word | nodeLinked
				continue
			}
			if err := c.compareOne(slots[at:at+2], some[i:i+2]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) nowhere(edge []uint64) error {
	if most := edge[c.words] >> 16; most > 0 {
		return c.fault(edge, "is a successor of a state at depth %d, but is in no layer", most-1)
	}
	return c.fault(edge, "is a start, but is in no layer")
}

func (c *checker) tooDeep(node []uint64, most uint64) error {
	depth := numberOf(node[c.words])
	if most == 0 {
		return c.fault(node, "is a start, but is at depth %d", depth)
	}
	return c.fault(node, "is at depth %d, but is a successor of a state at depth %d", depth, most-1)
}

// compareDistance compares the goal distance of a state with that of a predecessor.
func (c *checker) compareDistance(node []uint64, move, said uint64) error {
	distance, above := c.distanceOf(node), int64(said&(1<<32-1))-1
	if !c.reversible {
		return c.compareOneWay(node, distance, above, said)
	}
	if above < 0 {
		return nil // the reverse edge covers this
	}
	link := linkOf(node[c.words+1])
	switch {
	case distance < 0 && above+1 < c.horizon, distance > above+1:
		return c.fault(node, "has %s, but a neighbour has goal distance %d", c.distance(distance), above)
	case distance == above+1 && move < link:
		return c.fault(node, "has goal distance %d by move %d, but the lesser move %d leads there", distance, link, move)
	case distance == above+1 && move == link:
		node[c.words+1] |= nodeLinked
	}
	return nil
}

// compareOneWay is compareDistance for irreversible moves: a state bounds the
// distances of its successors.
func (c *checker) compareOneWay(node []uint64, distance, above int64, said uint64) error {
	bound := max(0, c.least(above)-1)
	if above > 0 && said&edgeBefore != 0 {
		bound++ // otherwise that move would be the link
	}
	if c.least(distance) < bound {
		return c.fault(node, "has %s, but a predecessor of it has %s", c.distance(distance), c.distance(above))
	}
	if said&edgeNext != 0 && (distance < 0 || distance > above-1) {
		return c.fault(node, "has %s, but the predecessor whose link leads to it has goal distance %d", c.distance(distance), above)
	}
	return nil
}

// judge checks the states of a table after all edges have been compared with them.
func (c *checker) judge(t *table) error {
	err := t.each(func(node []uint64) error {
		word := node[c.words]
		depth := numberOf(word)
		switch {
		case word&nodeStored == 0:
			return c.stray(node)
		case word&nodeLinked != 0:
		case depth == 0:
			return c.fault(node, "is at depth 0, but is not a start")
		default:
			return c.fault(node, "is at depth %d by move %d, but no state above leads to it by that move", depth, linkOf(word))
		}
		if d := c.distanceOf(node); c.reversible && d > 0 && node[c.words+1]&nodeLinked == 0 {
			return c.fault(node, "has goal distance %d by move %d, but no neighbour by that move has less", d, linkOf(node[c.words+1]))
		}
		return nil
	})
	c.looked(t.used)
	return err
}

// stray is the fault of a state with a goal distance but no depth.
func (c *checker) stray(node []uint64) error {
	return c.fault(node, "has goal distance %d, but is in no forward layer", c.distanceOf(node))
}

func (c *checker) distance(d int64) string {
	if d < 0 || d >= c.horizon {
		return "no goal distance"
	}
	return fmt.Sprintf("goal distance %d", d)
}
