package sokoban

import (
	"fmt"
	"math/bits"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	puzzles "github.com/everystate/everystate/puzzle/sokoban"
)

// cellsMax bounds the cells of a level: a cell fits a byte.
const cellsMax = 256

// direction is one of four; the two of an axis are adjacent.
type direction uint8

const (
	up direction = iota
	down
	left
	right
	directions
)

func (d direction) opposite() direction { return d ^ 1 }

// none stands for a wall in place of a cell.
const none = -1

// cellSet is a set of cells, with cell c at bit c%64 of word c/64.
type cellSet [cellsMax / 64]uint64

func (s *cellSet) has(c int) bool { return s[c>>6&3]>>(c&63)&1 != 0 }
func (s *cellSet) add(c int)      { s[c>>6&3] |= 1 << (c & 63) }
func (s *cellSet) remove(c int)   { s[c>>6&3] &^= 1 << (c & 63) }

// least returns the least cell of a nonempty set.
func (s *cellSet) least() int {
	for w, word := range s {
		if word != 0 {
			return w<<6 + bits.TrailingZeros64(word)
		}
	}
	return none
}

// count returns the number of cells in a set.
func (s *cellSet) count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// list appends the cells of a set in order.
func (s *cellSet) list(to []uint8) []uint8 {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			to = append(to, uint8(w<<6+bits.TrailingZeros64(word)))
		}
	}
	return to
}

// level is the static part of a level, and its start. Its cells are renumbered: those
// where a box may be come first, so that sets of boxes are short. A box anywhere else
// never reaches a target.
type level struct {
	cells  int
	live   int
	words  int // in a set of boxes
	boxes  int // number of boxes
	next   [cellsMax][directions]int16
	places []puzzle.Cell
	number []int // of each cell, the puzzle's number

	targets    cellSet
	targetList []uint8
	start      cellSet
	player     int
	startDead  bool // a box starts where it can reach no target
}

// newLevel numbers the cells.
func newLevel(l *puzzles.Level) (*level, error) {
	n := len(l.Places)
	if n > cellsMax {
		return nil, fmt.Errorf("%w: it has %d cells, more than the %d that this solver takes", solve.ErrUnsuited, n, cellsMax)
	}
	live := pulled(l)
	v := &level{cells: n, boxes: len(l.Boxes)}
	renumbered := make([]int, n)
	for _, wanted := range []bool{true, false} {
		for c := range n {
			if live[c] == wanted {
				renumbered[c] = len(v.number)
				v.number = append(v.number, c)
				v.places = append(v.places, l.Places[c])
			}
		}
		if wanted {
			v.live = len(v.number)
		}
	}
	v.words = (v.live + 63) / 64
	for c := range n {
		for d := range l.Next {
			v.next[renumbered[c]][d] = none
			if to := l.Next[d][c]; to >= 0 {
				v.next[renumbered[c]][d] = int16(renumbered[to])
			}
		}
	}
	for _, c := range l.Targets {
		v.targets.add(renumbered[c])
	}
	v.targetList = v.targets.list(nil)
	for _, c := range l.Boxes {
		v.start.add(renumbered[c])
		v.startDead = v.startDead || !live[c]
	}
	v.player = renumbered[l.Player]
	return v, nil
}

// pulled returns the cells to which a box can be pulled from a target on the empty
// level, with the player wherever it helps.
func pulled(l *puzzles.Level) []bool {
	live := make([]bool, len(l.Places))
	queue := append([]int(nil), l.Targets...)
	for _, c := range queue {
		live[c] = true
	}
	for i := 0; i < len(queue); i++ {
		for d := range l.Next {
			to := int(l.Next[d][queue[i]])
			if to >= 0 && l.Next[d][to] >= 0 && !live[to] {
				live[to] = true
				queue = append(queue, to)
			}
		}
	}
	return live
}

// walk returns the cells that the player can walk to from a cell.
func (l *level) walk(boxes *cellSet, from int) cellSet {
	var stack [cellsMax]uint8
	blocked := *boxes
	var reached cellSet
	reached.add(from)
	blocked.add(from)
	stack[0] = uint8(from)
	for n := 1; n > 0; {
		n--
		next := &l.next[stack[n]]
		for _, to := range next {
			if to >= 0 && !blocked.has(int(to)) {
				blocked.add(int(to))
				reached.add(int(to))
				stack[n] = uint8(to)
				n++
			}
		}
	}
	return reached
}
