package blocks

import (
	"fmt"
	"math/bits"
	"regexp"
	"strconv"

	"github.com/everystate/everystate/puzzle"
)

// pair is a move: the piece whose first cell is from moves so that its first cell is
// to. At most one piece has its first cell there, so pieces need no names, and the
// inverse is the reversed pair.
type pair struct{ from, to uint8 }

func (m pair) back() pair { return pair{m.to, m.from} }

// join combines the move and a following one of the same piece.
func (m pair) join(then pair) pair { return pair{m.from, then.to} }

// moveSet numbers the pairs that some piece of the puzzle can move if it is alone on
// the board: by from, then by to.
type moveSet struct {
	to    []mask // by from
	base  []int  // the number of the first pair, by from
	count int    // at most 256*255, below puzzle.MovesMax
}

// movesOf numbers the moves of a puzzle.
func movesOf(s *setup, classes []*class) moveSet {
	cells := s.rows * s.cols
	set := moveSet{to: make([]mask, cells), base: make([]int, cells)}
	known := map[*shape]bool{}
	for _, c := range classes {
		if known[c.kind.shape] {
			continue
		}
		known[c.kind.shape] = true
		if s.metric == metricMove {
			c.joinReachable(set.to)
			continue
		}
		for i := range c.places {
			to := c.targets(uint8(i), &mask{}, s.metric)
			set.to[c.places[i].first].join(&to)
		}
	}
	for from := range set.to {
		set.base[from] = set.count
		for _, word := range set.to[from] {
			set.count += bits.OnesCount64(word)
		}
	}
	return set
}

// joinReachable adds, for each place, all others that a lone piece can reach from
// there. Places that reach each other share them.
func (c *class) joinReachable(to []mask) {
	var seen mask
	for i := range c.places {
		first := c.places[i].first
		if seen.has(first) {
			continue
		}
		all := c.targets(uint8(i), &mask{}, metricMove)
		all.add(first)
		seen.join(&all)
		for from := all.next(0); from >= 0; from = all.next(from + 1) {
			had := to[from].has(from)
			to[from].join(&all)
			if !had {
				to[from].remove(from)
			}
		}
	}
}

// id returns the number of a pair, which must be in the set.
func (s *moveSet) id(from, to int) puzzle.Move {
	return puzzle.Move(s.base[from] + s.to[from].below(to))
}

// pairs lists the pairs by number.
func (s *moveSet) pairs() []pair {
	pairs := make([]pair, 0, s.count)
	for from := range s.to {
		for to := s.to[from].next(0); to >= 0; to = s.to[from].next(to + 1) {
			pairs = append(pairs, pair{uint8(from), uint8(to)})
		}
	}
	return pairs
}

// targets returns the first cells that one move can take a piece to. blocked are the
// cells of other pieces, and may include walls, which no place covers.
func (c *class) targets(from uint8, blocked *mask, m metric) (to mask) {
	if m == metricMove {
		c.walk(from, blocked, &to)
		return to
	}
	for d := range directions {
		for at := c.places[from].next[d]; at >= 0; at = c.places[at].next[d] {
			p := &c.places[at]
			if p.cells.meets(blocked) {
				break
			}
			to.add(p.first)
			if m == metricStep {
				break
			}
		}
	}
	return to
}

// walk adds the first cells of all places that a piece can reach step by step.
func (c *class) walk(from uint8, blocked, to *mask) {
	var edge [cellsMax]uint8
	edge[0] = from
	start := c.places[from].first
	to.add(start)
	for n := 1; n > 0; {
		n--
		for _, at := range c.places[edge[n]].next {
			if at < 0 {
				continue
			}
			if p := &c.places[at]; !to.has(p.first) && !p.cells.meets(blocked) {
				to.add(p.first)
				edge[n] = uint8(at)
				n++
			}
		}
	}
	to.remove(start)
}

// FormatMove names a move by the first cell of the piece and its destination:
// "r4c2-down", "r4c2-down2" by two cells, "r4c2-r5c3" to a cell.
func (g *game) FormatMove(move puzzle.Move) string {
	t := g.tables()
	if int(move) >= len(t.pairs) {
		return fmt.Sprintf("no move %d", move)
	}
	m := t.pairs[move]
	from, to := int(m.from), int(m.to)
	if g.metric == metricMove {
		return g.name(from) + "-" + g.name(to)
	}
	rows, cols := to/g.cols-from/g.cols, to%g.cols-from%g.cols
	d := 0
	for directions[d].row*rows < 0 || directions[d].col*cols < 0 || directions[d].row*rows+directions[d].col*cols == 0 {
		d++
	}
	text := g.name(from) + "-" + directions[d].name
	if g.metric == metricSlide {
		text += fmt.Sprint(directions[d].row*rows + directions[d].col*cols)
	}
	return text
}

var earlierMove = regexp.MustCompile(`^(\d{1,3}),(\d{1,3})-(?:(\d{1,3}),(\d{1,3})|([a-z]+\d*))$`)

// MoveName returns what FormatMove calls a move that earlier versions called "3,1-down",
// with rows and columns from 0. Any other name stays as it is.
func MoveName(name string) string {
	m := earlierMove.FindStringSubmatch(name)
	if m == nil {
		return name
	}
	at := func(row, col string) string {
		r, _ := strconv.Atoi(row) // three digits
		c, _ := strconv.Atoi(col)
		return fmt.Sprintf("r%dc%d", r+1, c+1)
	}
	if m[3] != "" {
		return at(m[1], m[2]) + "-" + at(m[3], m[4])
	}
	return at(m[1], m[2]) + "-" + m[5]
}
