package play

import (
	"context"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// A Game is a puzzle to be played, and what is known about it.
type Game struct {
	Name   string
	Family string
	Metric string
	Text   string // the board, canonical
	Puzzle puzzle.Puzzle

	// Start is the initial state, and Moves a path from there to show, if there is one.
	Start []uint64
	Moves []puzzle.Move

	// Arrows is set if the arrow keys move pieces. Otherwise they choose from the list
	// of moves.
	Arrows bool

	// Inputs is set if the moves are a game's inputs: arrows and an action, with the
	// keys that players of PuzzleScript know, z for undo and r for restart.
	Inputs bool

	// Random is set if a move may lead to another state each time. All moves are
	// offered, since only making one shows whether it changes anything.
	Random bool

	// Guide may be nil.
	Guide Guide
}

// A Guide knows more about a state than the rules do. Its methods may take long, and
// return early when the context is cancelled.
type Guide interface {
	// Look returns where a state is in a run, or nil if no run has it.
	Look(ctx context.Context, state []uint64) (*Place, error)

	// Hint finds a path from a state to a goal.
	Hint(ctx context.Context, state []uint64) (Hint, error)
}

// Place is where a state is in the space of a run.
type Place struct {
	Run   string // the run's name
	Depth int

	// Distance is the fewest moves to a goal, -1 if unknown, and Lost if no goal can be
	// reached.
	Distance int

	// After holds the distances of the states that moves lead to, as far as they are
	// known.
	After map[puzzle.Move]int
}

// Distances of states without a known number.
const (
	Unknown = -1
	Lost    = -2
)

// Hint is a path to a goal.
type Hint struct {
	// Moves lead from the state to a goal; none if it is one.
	Moves []puzzle.Move

	// Lost is set if it is proved that no goal can be reached.
	Lost bool

	// Parts groups moves that belong together, such as a walk and the push at its end.
	// It is empty if every move stands for itself.
	Parts []Part

	// Length is the length of the path in units of Count, such as "push", and Optimal is
	// set if none is shorter. From names who found it.
	Length  int
	Count   string
	Optimal bool
	From    string
}

// Part is a group of moves that belong together.
type Part struct {
	Moves int
	Name  string
}

// line is the path being viewed: states and the moves between them. The states up to at
// have been played; those after it are to come.
type line struct {
	puzzle puzzle.Puzzle
	states [][]uint64
	moves  []puzzle.Move
	at     int
	random bool // a move may lead to another state each time
}

func newLine(g *Game) line {
	return line{puzzle: g.Puzzle, states: [][]uint64{g.Start}, random: g.Random}
}

func (l *line) state() []uint64 { return l.states[l.at] }

// replaceRest replaces what comes after the current state with a path. It stops before
// an illegal move.
func (l *line) replaceRest(moves []puzzle.Move) {
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

// cut drops what comes after the current state.
func (l *line) cut() {
	l.states, l.moves = l.states[:l.at+1], l.moves[:l.at]
}

// play makes a move. If that is the next move of the line anyway, what comes after it
// stays.
func (l *line) play(move puzzle.Move) bool {
	if l.at < len(l.moves) && l.moves[l.at] == move && !l.random {
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

// step moves along the line, and reports whether the position changed.
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

// offered returns the legal moves of a state, or all moves of a random game.
func (g *Game) offered(state []uint64) []choice {
	if !g.Random {
		return choices(g.Puzzle, state)
	}
	all := make([]choice, g.Puzzle.Layout().Moves)
	for i := range all {
		all[i] = choice{move: puzzle.Move(i), name: g.Puzzle.FormatMove(puzzle.Move(i))}
	}
	return all
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
