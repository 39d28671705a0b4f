package rushhour

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/rushhour/fits"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// errTooLarge reports a family that exceeds its memory bound.
var errTooLarge = errors.New("a family of boards is too large for a sweep")

// An Enumeration is all boards that the rules allow, divided into units.
//
// A unit is the placements of the rows that share the same lines, with all lines of
// the columns; where these have too many states, only with those that begin with the
// same lines in the first columns.
type Enumeration struct {
	rules   rules.Rules
	rowSets [][]line // what may stand in each row
	columns [][]line // what may stand in each column
	units   []unit

	unitStates uint64 // a larger unit is split
}

type unit struct {
	rows   []uint16 // of each row, its line
	prefix []uint16 // of the first columns, their lines
	family uint64   // the index of the unit's row family
	states uint64   // of all its families, sampled or not
	bound  uint64   // what states would be if vehicles in columns had no limits
}

// unitStatesMax is how many states a unit may have before it is split. It is part of
// the units' identity, as is ledgerMax where vehicles in columns have limits.
const unitStatesMax = 1 << 25

// Bounds of a plan.
const (
	unitsMax      = 1 << 26
	placementsSum = 1 << 33 // placements of rows counted to find the cost of units
)

var _ sweep.Enumeration = (*Enumeration)(nil)

// New plans an enumeration.
func New(r rules.Rules) (*Enumeration, error) { return newEnumeration(r, unitStatesMax) }

func newEnumeration(r rules.Rules, unitStates uint64) (*Enumeration, error) {
	r.EnsureDefaults()
	e := &Enumeration{rules: r, unitStates: unitStates}
	if r.Family != "" {
		if err := e.restrict(); err != nil {
			return nil, err
		}
	}
	if err := e.rules.Validate(); err != nil {
		return nil, err
	}
	if r.MergedBefore {
		return nil, errors.New("mirrors merged: an earlier version began this sweep, and lost some of its puzzles: sweep again into another directory")
	}
	if r.Family == "" {
		e.lay()
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	if err := e.plan(); err != nil {
		return nil, err
	}
	return e, nil
}

// lay lists what may stand in each row and column.
func (e *Enumeration) lay() {
	r := &e.rules
	for i := range r.Size.Rows {
		e.rowSets = append(e.rowSets, e.within(linesOf(r, r.Size.Columns, i == r.ExitRow, r.WallsMax, r.FullRows), false))
	}
	columns := e.within(linesOf(r, r.Size.Rows, false, 0, r.FullColumns), true)
	for range r.Size.Columns {
		e.columns = append(e.columns, columns)
	}
}

// within returns the lines that meet the limits on their own.
func (e *Enumeration) within(lines []line, vertical bool) []line {
	var kept []line
	for k := range lines {
		if e.allowed([][]line{lines}, []uint16{uint16(k)}, vertical) {
			kept = append(kept, lines[k])
		}
	}
	return kept
}

// linesOf lists the lines of size cells with at most wallsMax walls, fewer walls
// and fewer vehicles first.
func linesOf(r *rules.Rules, size int, primary bool, wallsMax int, full bool) []line {
	var lines []line
	add := func(l line) {
		l.size = size
		if l.full() && !full && l.pieces() > 0 {
			return
		}
		l.place()
		if len(l.placements) > 0 {
			lines = append(lines, line{walls: l.walls, lengths: l.lengths, gaps: l.gaps, primary: l.primary})
		}
	}
	for _, walls := range wallSets(size, wallsMax) {
		n := bits.OnesCount32(walls)
		others, free := r.Lengths, size-n
		if primary {
			if free -= rules.PrimaryLength; !r.PrimaryRowShared {
				others = nil
			}
		}
		sequences(others, free, n, func(lengths, gaps []int) {
			l := line{walls: walls, lengths: slices.Clone(lengths), gaps: slices.Clone(gaps), primary: primary}
			if primary {
				l.lengths, l.gaps = append(l.lengths, rules.PrimaryLength), append(l.gaps, n)
			}
			add(l)
		})
	}
	return lines
}

// wallSets lists the sets of at most most cells of a row, small ones first.
func wallSets(size, most int) []uint32 {
	var sets []uint32
	for n := range min(most, size) + 1 {
		for set := range uint32(1) << size {
			if bits.OnesCount32(set) == n {
				sets = append(sets, set)
			}
		}
	}
	return sets
}

// sequences calls f with all sequences of vehicles that cover at most cells cells,
// with the walls between them in every possible way, few vehicles first.
func sequences(lengths []int, cells, walls int, f func(lengths, gaps []int)) {
	for n := range cells + 1 {
		var ls, gs []int
		var walk func(left, gap int)
		walk = func(left, gap int) {
			if len(ls) == n {
				f(ls, gs)
				return
			}
			for g := gap; g <= walls; g++ {
				for _, k := range lengths {
					if k > left {
						continue
					}
					ls, gs = append(ls, k), append(gs, g)
					walk(left-k, g)
					ls, gs = ls[:len(ls)-1], gs[:len(gs)-1]
				}
			}
		}
		walk(cells, 0)
	}
}

// check rejects rules that the representation cannot hold.
func (e *Enumeration) check() error {
	widest, sum := 0, 0
	for _, lines := range e.columns {
		most := 0
		for _, l := range lines {
			l.size = e.rules.Size.Rows
			l.place()
			most = max(most, len(l.placements))
		}
		widest = max(widest, most)
		sum += most
	}
	if widest > fits.PlacementsMax || sum-widest > fits.PlacementsMax {
		return fmt.Errorf("size %v with lengths %v: a column has up to %d placements, more than a sweep can hold: leave out the shortest vehicles", e.rules.Size, e.rules.Lengths, widest)
	}
	return nil
}

// plan lists the units and their costs.
func (e *Enumeration) plan() error {
	p := newPlanner(e)
	// What would take too long to count is rejected before it begins.
	if err := e.rowFamilies(p.weigh); err != nil {
		return err
	}
	return e.rowFamilies(p.take)
}

// rowFamilies calls f with the lines of the rows, in every way that the rules allow.
func (e *Enumeration) rowFamilies(f func(rows []uint16) error) error {
	rows := make([]uint16, e.rules.Size.Rows)
	var walk func(i, walls int) error
	walk = func(i, walls int) error {
		if i == e.rules.Size.Rows {
			if walls < e.rules.WallsMin || !e.allowed(e.rowSets, rows, false) {
				return nil
			}
			return f(rows)
		}
		for k := range e.rowSets[i] {
			w := walls + bits.OnesCount32(e.rowSets[i][k].walls)
			if w > e.rules.WallsMax {
				break // the following have at least as many
			}
			rows[i] = uint16(k)
			if err := walk(i+1, w); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(0, 0)
}

// allowed reports whether lines meet the limits.
func (e *Enumeration) allowed(sets [][]line, chosen []uint16, vertical bool) bool {
	for _, limit := range e.rules.Limits {
		if limit.Vertical != vertical {
			continue
		}
		n := 0
		for i, k := range chosen {
			n += sets[i][k].others(limit.Length)
		}
		if n > limit.Most {
			return false
		}
	}
	return true
}

// Rules returns the canonical text of the rules.
func (e *Enumeration) Rules() string { return e.rules.String() }

// Units returns the number of units.
func (e *Enumeration) Units() int { return len(e.units) }

// Cost returns the number of states of a unit, divided by the sample.
func (e *Enumeration) Cost(unit int) uint64 { return e.units[unit].states / uint64(e.rules.Sample) }

// Expected returns the number of states of all units, known without enumerating them.
// For a sample it is an estimate.
func (e *Enumeration) Expected() uint64 {
	var sum uint64
	for i := range e.units {
		sum += e.units[i].states
	}
	return sum / uint64(e.rules.Sample)
}

// Name returns the lines of the rows, and after a slash those of the first columns.
func (e *Enumeration) Name(unit int) string {
	u := &e.units[unit]
	var b strings.Builder
	for i, k := range u.rows {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(e.rowSets[i][k].String())
	}
	for i, k := range u.prefix {
		if i == 0 {
			b.WriteString(" /")
		}
		b.WriteByte(' ')
		b.WriteString(e.columns[i][k].String())
	}
	return b.String()
}

// String returns a line as text: the lengths of vehicles, A for the primary, and x
// and the cell of each wall; - if the line is empty.
func (l *line) String() string {
	var b strings.Builder
	wall := 0
	upTo := func(n int) {
		for cell, seen := 0, 0; cell < 32; cell++ {
			if l.walls>>cell&1 == 0 {
				continue
			}
			if seen >= wall && seen < n {
				fmt.Fprintf(&b, "x%d", cell)
			}
			seen++
		}
		wall = max(wall, n)
	}
	for v, n := range l.lengths {
		upTo(l.gaps[v])
		if l.isPrimary(v) {
			b.WriteByte('A')
		} else {
			fmt.Fprint(&b, n)
		}
	}
	upTo(bits.OnesCount32(l.walls))
	if b.Len() == 0 {
		return "-"
	}
	return b.String()
}

// Group returns the number of walls of a unit's boards. Units of a group take about the
// same time per state: the more walls, the more of the boards are left out.
func (e *Enumeration) Group(unit int) int {
	walls := 0
	for i, k := range e.units[unit].rows {
		walls += bits.OnesCount32(e.rowSets[i][k].walls)
	}
	return walls
}
