package sokoban

import (
	"fmt"

	"github.com/everystate/everystate/puzzle"
	puzzles "github.com/everystate/everystate/puzzle/sokoban"
)

// Limits bound a search. The zero value bounds nothing but the memory.
type Limits struct {
	// Nodes is the most positions whose pushes are generated; 0 means any number.
	Nodes int64
	// Memory is the most bytes that positions may take; 0 means 1 GiB. The tables
	// of a level come on top.
	Memory int64
	// Stop is asked now and then whether to give up; it may be nil.
	Stop func() bool
}

const memoryDefault = 1 << 30

func (l *Limits) memory() int64 {
	if l.Memory > 0 {
		return l.Memory
	}
	return memoryDefault
}

// Outcome says how a search ended.
type Outcome uint8

// The outcomes.
const (
	Solved     Outcome = iota
	Unsolvable         // proved
	OutOfNodes
	OutOfMemory
	Stopped
)

func (o Outcome) String() string {
	switch o {
	case Solved:
		return "solved"
	case Unsolvable:
		return "proved unsolvable"
	case OutOfNodes:
		return "not solved within the limit of nodes"
	case OutOfMemory:
		return "not solved within the limit of memory"
	case Stopped:
		return "not solved within the limit of time"
	}
	return fmt.Sprintf("outcome %d", uint8(o))
}

// Report is what a search found and what it took.
type Report struct {
	Outcome Outcome
	// Solution is empty unless Outcome is Solved; a level may be solved already.
	Solution Solution
	// Initial is the lower bound of the start, or -1 if the bound proves that there
	// is no solution.
	Initial int
	// Iterations are those of iterative deepening, the last one included.
	Iterations []Iteration
	Nodes      int64 // positions whose pushes were generated
	Generated  int64 // pushes generated, but those known to lose
	Held       int   // most positions held in memory
	Bytes      int64 // of them
}

// Iteration is one search of iterative deepening.
type Iteration struct {
	Depth int // the most pushes a solution may have in it
	Nodes int64
}

// A Level is ready to be searched.
type Level struct {
	tables *tables
	source puzzles.Level
}

// NewLevel prepares a puzzle of the family sokoban.
func NewLevel(p puzzle.Puzzle) (*Level, error) {
	source, ok := puzzles.LevelOf(p)
	if !ok {
		return nil, fmt.Errorf("not a Sokoban level that starts from a drawn position")
	}
	l, err := newLevel(&source)
	if err != nil {
		return nil, err
	}
	return &Level{tables: newTables(l), source: source}, nil
}

// Drawing returns the start as it is drawn.
func (l *Level) Drawing() string { return l.source.Drawing }

// Boxes returns how many boxes the level has.
func (l *Level) Boxes() int { return l.tables.boxes }

// meter counts what limits bound.
type meter struct {
	limits    Limits
	nodes     int64
	generated int64
	over      Outcome // Solved while there is room
}

// node counts a node and reports whether the search may go on.
func (m *meter) node() bool {
	if m.limits.Nodes > 0 && m.nodes >= m.limits.Nodes {
		m.over = OutOfNodes
		return false
	}
	if m.nodes++; m.nodes&0x3ff == 0 && m.limits.Stop != nil && m.limits.Stop() {
		m.over = Stopped
		return false
	}
	return true
}
