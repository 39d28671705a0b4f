package play

import (
	"context"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// A Game is a puzzle to be played, and what is known of it.
type Game struct {
	Name   string
	Family string
	Metric string
	Text   string // the board, canonical
	Puzzle puzzle.Puzzle

	// Start is the state to begin with, and Moves a way on from there, if there is
	// one to be shown.
	Start []uint64
	Moves []puzzle.Move

	// Arrows says that pieces are moved with the arrow keys. Else the arrows choose
	// from the list of moves.
	Arrows bool

	// Inputs says that the moves are what a game takes as input: arrows and an action,
	// by the keys that players of PuzzleScript know, with z for undo and r for restart.
	Inputs bool

	// Guide may be nil.
	Guide Guide
}

// A Guide knows more of a state than the rules do. Its methods may take long, and
// end early with the context.
type Guide interface {
	// Look says where a state is in a run, nil if there is none that has it.
	Look(ctx context.Context, state []uint64) (*Place, error)

	// Hint finds the way from a state to a goal.
	Hint(ctx context.Context, state []uint64) (Hint, error)
}

// Place is where a state is in the space of a run.
type Place struct {
	Run   string // what the run is called
	Depth int

	// Distance is the fewest moves to a goal; -1 if they are not known, and Lost if
	// there is no way. Count is what is counted, as in "push".
	Distance int
	Count    string

	// After has the distances of the states that moves lead to, as far as they are
	// known.
	After map[puzzle.Move]int
}

// Distances of states without a known number.
const (
	Unknown = -1
	Lost    = -2
)

// Hint is a way to a goal.
type Hint struct {
	// Moves lead from the state to a goal. None for a goal.
	Moves []puzzle.Move

	// Lost says that there is no way, which is proved.
	Lost bool

	// Parts say which moves belong together, as a walk and the push at its end. None
	// for moves that stand for themselves.
	Parts []Part

	// Length is how long the way is, in what Count says, and Optimal that none is
	// shorter. From says who found it.
	Length  int
	Count   string
	Optimal bool
	From    string
}

// Part is moves that belong together.
type Part struct {
	Moves int
	Name  string
}

// line is the way that is looked at: states, and the moves between them. The
// states up to at have been played, those behind it can be.
type line struct {
	puzzle puzzle.Puzzle
	states [][]uint64
	moves  []puzzle.Move
	at     int
}

func newLine(p puzzle.Puzzle, start []uint64) line {
	return line{puzzle: p, states: [][]uint64{start}}
}

func (l *line) state() []uint64 { return l.states[l.at] }

// lead puts a way behind the state that is looked at, in place of what was there.
// It stops before a move that is not legal.
func (l *line) lead(moves []puzzle.Move) {
	l.cut()
	for _, move := range moves {
		last := l.states[len(l.states)-1]
		next := make([]uint64, len(last))
		if !l.puzzle.Apply(next, last, move) {
			return
		}
		l.states, l.moves = append(l.states, next), append(l.moves, move)
	}
}

// cut forgets what is behind the state that is looked at.
func (l *line) cut() {
	l.states, l.moves = l.states[:l.at+1], l.moves[:l.at]
}

// play makes a move. Where it is the one that comes next anyway, what is behind it
// stays.
func (l *line) play(move puzzle.Move) bool {
	if l.at < len(l.moves) && l.moves[l.at] == move {
		l.at++
		return true
	}
	next := make([]uint64, len(l.state()))
	if !l.puzzle.Apply(next, l.state(), move) {
		return false
	}
	l.cut()
	l.states, l.moves = append(l.states, next), append(l.moves, move)
	l.at++
	return true
}

// step goes along the line, and reports whether it got anywhere.
func (l *line) step(by int) bool {
	to := min(max(l.at+by, 0), len(l.moves))
	moved := to != l.at
	l.at = to
	return moved
}

// isGoal reports whether a state is a goal.
func isGoal(p puzzle.Puzzle, state []uint64) bool {
	var mark [1]bool
	p.Goals(state, mark[:])
	return mark[0]
}

// choice is a legal move.
type choice struct {
	move  puzzle.Move
	name  string
	state []uint64
}

// choices returns the legal moves of a state.
func choices(p puzzle.Puzzle, state []uint64) []choice {
	var edges puzzle.Edges
	p.Successors(state, &edges)
	all := make([]choice, edges.Len())
	for i, move := range edges.Moves {
		all[i] = choice{move, p.FormatMove(move), slices.Clone(edges.Keys[i*len(state) : (i+1)*len(state)])}
	}
	return all
}
