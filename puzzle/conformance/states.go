package conformance

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// checkLayout checks the sizes of keys and moves.
func (c *checker) checkLayout() {
	c.doing = said("Layout")
	c.layout = c.p.Layout()
	if bits := c.layout.KeyBits; bits < 1 || bits > 64*puzzle.WordsMax {
		c.fault("layout", "Layout says that a key has %d bits: must be 1 to %d", bits, 64*puzzle.WordsMax)
	}
	if moves := c.layout.Moves; moves < 1 || moves > puzzle.MovesMax {
		c.fault("layout", "Layout says that there are %d moves: must be 1 to %d", moves, puzzle.MovesMax)
	}
	c.words = c.layout.Words()
}

// checkConstant calls again what must never change.
func (c *checker) checkConstant() {
	c.doing = said("Layout")
	if again := c.p.Layout(); again != c.layout {
		c.fault("layout", "Layout was %+v and is %+v: it must not change", c.layout, again)
	}
}

// checkStarts checks the starts, which are the first states gathered.
func (c *checker) checkStarts() {
	c.doing = said("Starts")
	starts := c.p.Starts()
	switch {
	case len(starts) == 0:
		c.fault("starts", "Starts returns no state: there must be at least one")
		return
	case len(starts)%c.words != 0:
		c.fault("starts", "Starts returns %d words, which is not a multiple of the %d of a key", len(starts), c.words)
		return
	}
	c.known = map[key]bool{}
	for at := 0; at < len(starts); at += c.words {
		start := starts[at : at+c.words]
		k := keyOf(start)
		if c.known[k] {
			c.fault("starts", "Starts returns %s twice", c.name(start))
			continue
		}
		c.known[k] = true
		c.states = append(c.states, k)
		c.at("Valid", start)
		if !c.fits(start) {
			c.fault("key bits", "Starts returns the key %s: keys must be less than 1<<%d", hex(start), c.layout.KeyBits)
		} else if !c.p.Valid(slices.Clone(start)) {
			c.fault("starts", "Starts returns %s, which Valid refuses", c.name(start))
		}
	}
	c.starts = len(c.states)
	want := slices.Clone(starts)
	for i := range starts {
		starts[i] = ^starts[i]
	}
	c.doing = said("Starts, called again,")
	if again := c.p.Starts(); !slices.Equal(again, want) {
		c.fault("starts", "Starts returns %s and later %s: it must always return the same states, in memory that the caller owns", hex(want), hex(again))
	}
}

// fits reports whether a key has no more bits than Layout says.
func (c *checker) fits(state []uint64) bool {
	return c.layout.KeyBits >= 64 || state[0]>>c.layout.KeyBits == 0
}

// checkValid calls Valid with keys that are too short, too long, too large, and
// random.
func (c *checker) checkValid() {
	start := c.wordsOf(c.states[0])
	for _, words := range [][]uint64{nil, append(slices.Clone(start), 0), start[:c.words-1]} {
		c.doing = said("Valid of a key with too many or too few words")
		if c.p.Valid(slices.Clone(words)) {
			c.fault("valid", "Valid accepts %d words, but a key has %d", len(words), c.words)
		}
	}
	for range 4 * c.options.StatesMax {
		c.considerKey(c.changedKey())
	}
}

// considerKey checks whether a key is a state. If so, it is treated like any other,
// even if it is unreachable; some are examined.
func (c *checker) considerKey(k key) {
	words := c.wordsOf(k)
	c.doing = said("Valid of the words " + hex(words))
	valid := c.p.Valid(words)
	if keyOf(words) != k {
		c.fault("arguments", "Valid changes the key passed to it")
	}
	switch {
	case valid && !c.fits(k[:c.words]):
		c.fault("key bits", "Valid accepts the key %s: keys must be less than 1<<%d", hex(k[:c.words]), c.layout.KeyBits)
	case valid && !c.known[k] && len(c.states) < max(1, c.options.StatesMax/4) && puzzle.ErrAt(c.p, words) == nil:
		// No run goes on from one in which the puzzle fails.
		c.known[k] = true
		c.states = append(c.states, k)
	}
}

// changedKey returns random words, or the key of a state with some bits changed.
func (c *checker) changedKey() key {
	var k key
	kind := c.random.below(8)
	if kind < 2 {
		for i := range c.words {
			k[i] = c.random.next()
			for range c.random.below(4) {
				k[i] &= c.random.next()
			}
		}
		if kind == 0 && c.layout.KeyBits < 64 {
			k[0] &= 1<<c.layout.KeyBits - 1
		}
		return k
	}
	k = c.states[c.random.below(len(c.states))]
	for range 1 + c.random.below(4) {
		bit := c.random.below(min(64*c.words, c.layout.KeyBits+1))
		k[c.words-1-bit/64] ^= 1 << (bit % 64)
	}
	return k
}

// gather collects the states to examine: those near the starts, and those on random
// walks from there.
func (c *checker) gather() {
	most := len(c.states) + c.options.StatesMax
	c.whole = true
	for at := 0; at < len(c.states) && c.whole; at++ {
		for _, e := range c.successors(c.states[at]) {
			if c.known[e.key] {
				continue
			}
			if len(c.states) == most {
				c.whole = false
				break
			}
			c.known[e.key] = true
			c.states = append(c.states, e.key)
		}
	}
	if c.whole {
		return
	}
	const steps = 50
	for walk := 0; walk < c.options.StatesMax/steps; walk++ {
		at := c.states[0]
		for range steps {
			edges := c.successors(at)
			if len(edges) == 0 {
				break
			}
			at = edges[c.random.below(len(edges))].key
			if !c.known[at] {
				c.known[at] = true
				c.states = append(c.states, at)
			}
		}
	}
}

// edge is one edge of Edges.
type edge struct {
	key  key
	move puzzle.Move
}

// successors returns the successors of one state.
func (c *checker) successors(state key) []edge {
	return c.edges("Successors", state, func(words []uint64, out *puzzle.Edges) { c.p.Successors(words, out) })
}

// edges calls a method that appends edges for one state, and checks what must hold for
// all such calls.
func (c *checker) edges(method string, state key, call func(words []uint64, out *puzzle.Edges)) []edge {
	words := c.wordsOf(state)
	c.at(method, words)
	var out puzzle.Edges
	call(words, &out)
	if !slices.Equal(words, state[:c.words]) {
		c.fault("arguments", "%s changes the state passed to it, %s", method, c.name(state[:c.words]))
	}
	if len(out.Keys) != len(out.Moves)*c.words {
		c.fault("edges", "%s of %s gives %d words of keys for %d moves: a key has %d words",
			method, c.name(state[:c.words]), len(out.Keys), len(out.Moves), c.words)
		return nil
	}
	list := make([]edge, len(out.Moves))
	for i, m := range out.Moves {
		list[i] = edge{keyOf(out.Keys[i*c.words : (i+1)*c.words]), m}
	}
	return list
}
