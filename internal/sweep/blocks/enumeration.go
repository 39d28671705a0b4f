package blocks

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/puzzle"
	family "github.com/everystate/everystate/puzzle/blocks"
)

// An Enumeration is all placements of a set of pieces.
type Enumeration struct {
	rules      Rules
	board      puzzle.Board
	placements family.Placements
	count      uint64
}

// placementsMax bounds the placements. They are in memory with their moves, about 100
// bytes each.
const placementsMax = 1 << 23

var _ sweep.Enumeration = (*Enumeration)(nil)

// New plans an enumeration. A fault in the board's text is a *puzzle.InputError.
func New(rules Rules) (*Enumeration, error) {
	boards, err := family.Read([]byte(rules.Board), puzzle.ReadOptions{})
	if err != nil {
		return nil, err
	}
	b := boards[0]
	if !b.Puzzle.Layout().HasGoal {
		return nil, errors.New("the board has no goal, so no placement is harder than another: add a header such as goal: A at r4c2")
	}
	if rules.MinDistance < 0 {
		return nil, fmt.Errorf("least distance %d: must be 0 or more", rules.MinDistance)
	}
	rules.Board = b.Text
	e := &Enumeration{rules: rules, board: b}
	e.placements, _ = family.PlacementsOf(b.Puzzle)
	var counted bool
	e.count, counted = e.placements.Count()
	switch {
	case !counted:
		return nil, fmt.Errorf("too many placements to count: a sweep takes at most %d", placementsMax)
	case e.count > placementsMax:
		return nil, fmt.Errorf("%d placements: a sweep takes at most %d", e.count, placementsMax)
	case b.Puzzle.Layout().Words() > 1:
		return nil, errors.New("the board is too large: a sweep takes boards whose states fit in 64 bits")
	}
	return e, nil
}

// Rules returns the canonical text of the rules.
func (e *Enumeration) Rules() string { return e.rules.String() }

// Units returns 1.
func (e *Enumeration) Units() int { return 1 }

// Cost returns the number of placements.
func (e *Enumeration) Cost(int) uint64 { return e.count }

// Expected returns the number of placements, known without enumerating them.
func (e *Enumeration) Expected() uint64 { return e.count }

// Name describes the unit.
func (e *Enumeration) Name(int) string { return "all placements" }

// Worker returns a worker for the unit.
func (e *Enumeration) Worker() sweep.Worker { return &worker{e: e} }

// A worker explores the placements. It is for one goroutine.
type worker struct {
	e         *Enumeration
	component solve.Component
}

// from is a puzzle with another start.
type from struct {
	puzzle.Puzzle
	start uint64
}

func (f from) Starts() []uint64 { return []uint64{f.start} }

// Do explores all clusters, in the order of their least keys.
func (w *worker) Do(ctx context.Context, unit int) (f sweep.Findings, err error) {
	keys := make([]uint64, 0, w.e.count)
	for key := range w.e.placements.All() {
		keys = append(keys, key[0])
	}
	slices.Sort(keys)
	if n := uint64(len(keys)); n != w.e.count {
		panic(fmt.Sprintf("blocks: %d placements, enumerated %d", w.e.count, n))
	}
	f.Totals.Families = 1
	known := make([]bool, len(keys))
	for i, key := range keys {
		if known[i] {
			continue
		}
		if err := w.component.Explore(ctx, from{w.e.board.Puzzle, key}, len(keys)); err != nil {
			return sweep.Findings{}, err
		}
		for state := range w.component.Len() {
			at, found := slices.BinarySearch(keys, w.component.Key(state)[0])
			if !found || known[at] {
				panic(fmt.Sprintf("blocks: %s is in two clusters, or in none", w.e.board.Puzzle.Format(w.component.Key(state))))
			}
			known[at] = true
		}
		w.note(&f)
	}
	f.Totals.Seal(unit)
	return f, nil
}

// note counts an explored cluster, and keeps it if the rules want it. It is a puzzle
// if it has both goals and other states.
func (w *worker) note(f *sweep.Findings) {
	c := &w.component
	layers := make([]uint64, len(c.Layers()))
	for d, n := range c.Layers() {
		layers[d] = uint64(n)
	}
	if len(layers) == 0 {
		f.Totals.AddCluster(uint64(c.Len()))
		return
	}
	f.Totals.AddSolvable(layers, len(layers) > 1)
	if len(layers) == 1 || len(layers)-1 < w.e.rules.MinDistance {
		return
	}
	r := sweep.Record{Board: w.hardest(), Layers: layers, Pieces: w.e.placements.Pieces()}
	f.Totals.AddRecord(&r)
	f.Records = append(f.Records, r)
}

// hardest returns the board at the greatest distance whose text sorts first.
func (w *worker) hardest() string {
	least := ""
	for _, state := range w.component.Farthest() {
		if text := w.e.board.Puzzle.Format(w.component.Key(int(state))); least == "" || text < least {
			least = text
		}
	}
	return oneLine(least)
}
