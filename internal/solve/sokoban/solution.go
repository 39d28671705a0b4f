package sokoban

import (
	"fmt"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// stepLetters are the names of steps, in the order of the puzzle's moves.
const stepLetters = "uUdDlLrR"

// Push is a push of a box by one cell.
type Push struct {
	From      puzzle.Cell // where the box is before the push, rows and columns from 0
	Direction string      // up, down, left or right
	// Cell and Dir identify the push in the puzzle's moves.
	Cell, Dir int
}

// Solution is a solution of a level.
type Solution struct {
	Pushes []Push
	// Moves has a letter for each step of the player: u, d, l, r, capitals for
	// pushes. Between pushes given as such, walks are shortest.
	Moves string
}

// Solution converts moves of the puzzle, pushes or steps, to a solution with the
// player's path. Steps are kept as they are.
func (l *Level) Solution(moves []puzzle.Move) (Solution, error) {
	var path []push
	cells := make([]uint8, len(l.tables.number)) // by the puzzle's numbers
	for c, n := range l.tables.number {
		cells[n] = uint8(c)
	}
	boxes, player := l.tables.start, l.tables.player
	for i, m := range moves {
		var p push
		if l.source.PushMove {
			if int(m>>2) >= len(cells) {
				return Solution{}, fmt.Errorf("move %d is not a push of this level", i+1)
			}
			p = push{cells[m>>2], direction(m & 3)}
		} else {
			ahead := l.tables.next[player][m>>1&3]
			if ahead < 0 {
				return Solution{}, fmt.Errorf("move %d goes into a wall", i+1)
			}
			if m&1 == 0 {
				player = int(ahead)
				continue
			}
			p = push{uint8(ahead), direction(m >> 1 & 3)}
		}
		to, behind := int(l.tables.next[p.from][p.dir]), int(l.tables.next[p.from][p.dir.opposite()])
		reached := l.tables.walk(&boxes, player)
		if to < 0 || behind < 0 || boxes.has(to) || !boxes.has(int(p.from)) || !reached.has(behind) {
			return Solution{}, fmt.Errorf("move %d is not a legal push", i+1)
		}
		boxes.remove(int(p.from))
		boxes.add(to)
		player = int(p.from)
		path = append(path, p)
	}
	s := l.solution(path)
	if !l.source.PushMove {
		steps := make([]byte, len(moves))
		for i, m := range moves {
			steps[i] = stepLetters[m&7]
		}
		s.Moves = string(steps)
	}
	return s, nil
}

// PushMoves returns the pushes as moves of a puzzle whose moves are pushes.
func (s *Solution) PushMoves() []puzzle.Move {
	moves := make([]puzzle.Move, len(s.Pushes))
	for i, p := range s.Pushes {
		moves[i] = puzzle.Move(4*p.Cell + p.Dir)
	}
	return moves
}

// StepMoves returns the player's steps as moves of a puzzle whose moves are steps.
func (s *Solution) StepMoves() []puzzle.Move {
	moves := make([]puzzle.Move, len(s.Moves))
	for i := range s.Moves {
		moves[i] = puzzle.Move(strings.IndexByte(stepLetters, s.Moves[i]))
	}
	return moves
}

// Table returns one push per line as row, column and direction, numbered from 1.
func (s *Solution) Table() string {
	var b strings.Builder
	for _, p := range s.Pushes {
		fmt.Fprintf(&b, "%d %d %s\n", p.From.Row+1, p.From.Col+1, p.Direction)
	}
	return b.String()
}

// solution fills in the player's path.
func (l *Level) solution(path []push) Solution {
	t := l.tables
	names := [...]string{"up", "down", "left", "right"}
	var s Solution
	var moves []byte
	boxes, player := t.start, t.player
	for _, p := range path {
		moves = t.appendWalk(moves, &boxes, player, int(t.next[p.from][p.dir.opposite()]))
		moves = append(moves, "UDLR"[p.dir])
		boxes.remove(int(p.from))
		boxes.add(int(t.next[p.from][p.dir]))
		player = int(p.from)
		s.Pushes = append(s.Pushes, Push{t.places[p.from], names[p.dir], t.number[p.from], int(p.dir)})
	}
	s.Moves = string(moves)
	return s
}

// appendWalk appends the steps of a shortest walk.
func (l *level) appendWalk(moves []byte, boxes *cellSet, from, to int) []byte {
	steps := l.steps(boxes, to)
	for from != to {
		for d, next := range l.next[from] {
			if next >= 0 && steps[next] == steps[from]-1 {
				moves = append(moves, "udlr"[d])
				from = int(next)
				break
			}
		}
	}
	return moves
}

// steps returns each cell's distance in steps from a cell, or -1.
func (l *level) steps(boxes *cellSet, from int) [cellsMax]int16 {
	var steps [cellsMax]int16
	for i := range steps {
		steps[i] = -1
	}
	var queue [cellsMax]uint8
	queue[0], steps[from] = uint8(from), 0
	for i, n := 0, 1; i < n; i++ {
		for _, to := range l.next[queue[i]] {
			if to >= 0 && steps[to] < 0 && !boxes.has(int(to)) {
				steps[to] = steps[queue[i]] + 1
				queue[n] = uint8(to)
				n++
			}
		}
	}
	return steps
}
