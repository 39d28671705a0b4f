package puzzlescript

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/puzzlescript/game"
	"github.com/everystate/everystate/puzzle/puzzlescript/machine"
)

// inputs are the moves by id.
var inputs = []game.Direction{game.Up, game.Left, game.Down, game.Right, game.Action}

// inputNames are the names of moves by id.
var inputNames = []string{"up", "left", "down", "right", "action"}

// level is the puzzle.
type level struct {
	game    *game.Game
	source  *game.Level
	program *machine.Program
	fields  *fields
	reach   *reach
	layout  puzzle.Layout
	start   []uint64
	text    *alphabet
	lines   int // of headers before the game
	added   int // lines before the text that are not of its author

	fault atomic.Pointer[machine.FaultError]

	chance *machine.Random // of a random game: all levels of it draw from the same numbers

	mutex   sync.Mutex
	workers []*worker // idle
}

// worker holds what one call needs.
type worker struct {
	at, after, spare *machine.Machine
	key              []uint64
}

var (
	_ puzzle.Pictured = (*level)(nil)
	_ puzzle.Merging  = (*level)(nil)
	_ puzzle.Failing  = (*level)(nil)
)

func (l *level) take() *worker {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if n := len(l.workers); n > 0 {
		w := l.workers[n-1]
		l.workers = l.workers[:n-1]
		return w
	}
	m := func() *machine.Machine { return machine.NewDrawing(l.program, l.chance) }
	return &worker{m(), m(), m(), make([]uint64, puzzle.WordsMax)}
}

func (l *level) give(w *worker) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.workers = append(l.workers, w)
}

// Merges reports true: a move may lead from several states to one.
func (l *level) Merges() bool { return true }

// IsRandom reports whether a puzzle is a level of a game whose moves have random results,
// which is for one player at a time.
func IsRandom(p puzzle.Puzzle) bool {
	l, ok := p.(*level)
	return ok && l.chance != nil
}

// Err returns why a turn was aborted, or nil.
func (l *level) Err() error {
	if f := l.fault.Load(); f != nil {
		return f
	}
	return nil
}

func (l *level) Layout() puzzle.Layout { return l.layout }

func (l *level) Starts() []uint64 { return slices.Clone(l.start) }

// Valid reports whether key is the key of a state.
func (l *level) Valid(key []uint64) bool {
	if len(key) != l.layout.Words() {
		return false
	}
	w := l.take()
	defer l.give(w)
	if !l.fields.unpack(w.at, key) {
		return false
	}
	again := w.key[:len(key)]
	return l.fields.pack(w.at, l.fields.ended(key), again) && slices.Equal(again, key)
}

// Successors appends the successors of each state.
func (l *level) Successors(states []uint64, out *puzzle.Edges) {
	if l.fault.Load() != nil {
		return
	}
	w := l.take()
	defer l.give(w)
	words := l.layout.Words()
	for ; len(states) > 0; states = states[words:] {
		state := states[:words]
		if l.fields.ended(state) {
			continue
		}
		l.fields.unpack(w.at, state)
		for id := range l.layout.Moves {
			if l.step(w, id) && !slices.Equal(w.key[:words], state) {
				out.Keys = append(out.Keys, w.key[:words]...)
				out.Moves = append(out.Moves, puzzle.Move(id))
			}
		}
	}
}

// step makes a move from w.at and writes the key of the resulting state. It reports
// false if the turn was aborted.
func (l *level) step(w *worker, id int) bool {
	w.after.CopyFrom(w.at)
	won := false
	switch w.after.Step(inputs[id], w.spare) {
	case machine.Aborted:
		f := *w.after.Fault()
		f.Line = max(1, f.Line+l.lines-l.added)
		l.fault.CompareAndSwap(nil, &f)
		return false
	case machine.Restarts:
		copy(w.key, l.start)
		return true
	case machine.Wins:
		won = true
	case machine.Rests:
	}
	l.fields.pack(w.after, won, w.key[:l.layout.Words()])
	return true
}

func (l *level) Apply(dst, state []uint64, move puzzle.Move) bool {
	if int(move) >= l.layout.Moves || l.fields.ended(state) || l.fault.Load() != nil {
		return false
	}
	w := l.take()
	defer l.give(w)
	l.fields.unpack(w.at, state)
	next := w.key[:len(state)]
	if !l.step(w, int(move)) || slices.Equal(next, state) {
		return false
	}
	copy(dst, next)
	return true
}

// Undo always reports false: see Merges.
func (l *level) Undo(_, _ []uint64, _ puzzle.Move) bool { return false }

// Goals marks the won states.
func (l *level) Goals(states []uint64, marks []bool) {
	w := l.take()
	defer l.give(w)
	words := l.layout.Words()
	for i := range marks {
		state := states[i*words : (i+1)*words]
		marks[i] = l.fields.ended(state)
		if !marks[i] && len(l.game.Conditions) > 0 {
			l.fields.unpack(w.at, state)
			marks[i] = w.at.Solved()
		}
	}
}

// FormatMove names a move.
func (l *level) FormatMove(move puzzle.Move) string {
	if int(move) >= len(inputNames) {
		return "no move"
	}
	return inputNames[move]
}
