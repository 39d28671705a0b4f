package rushhour

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/internal/sweep/rushhour/counting"
	"github.com/everystate/everystate/internal/sweep/rushhour/limits"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// A planner divides an enumeration into units, whose states it counts without enumerating
// them.
type planner struct {
	e      *Enumeration
	family uint64
	counts *counting.Counter
	within *limits.Counter // nil if vehicles in columns have no limits
	work   uint64          // placements of rows so far
}

func newPlanner(e *Enumeration) *planner {
	size := e.rules.Size
	counts := counting.New(size, cellsOf(e.rowSets, size.Columns), cellsOf(e.columns, size.Rows))
	p := &planner{e: e, counts: counts}
	p.limit()
	return p
}

// cellsOf returns what the placements of lines of a size cover.
func cellsOf(sets [][]line, size int) (all [][][]uint32) {
	for _, lines := range sets {
		own := make([][]uint32, len(lines))
		for k, l := range lines {
			l.size = size
			l.place()
			for _, p := range l.placements {
				own[k] = append(own[k], p.cells)
			}
		}
		all = append(all, own)
	}
	return all
}

// limit prepares counting with the limits of vehicles in columns that can be met.
func (p *planner) limit() {
	size := p.e.rules.Size
	var can []rules.Limit
	for _, l := range p.e.rules.Limits {
		if l.Vertical && l.Most < size.Columns*(size.Rows/l.Length) {
			can = append(can, l)
		}
	}
	if len(can) == 0 {
		return
	}
	have := make([][][]int, len(p.e.columns))
	for j, lines := range p.e.columns {
		for k := range lines {
			n := make([]int, len(can))
			for i, limit := range can {
				n[i] = lines[k].others(limit.Length)
			}
			have[j] = append(have[j], n)
		}
	}
	p.within = limits.New(can, have, p.counts.Fits())
}

// weigh adds the number of placements of the rows to the work.
func (p *planner) weigh(rows []uint16) error {
	if p.work += p.counts.Placements(rows); p.work > placementsSum {
		return fmt.Errorf("size %v: too many row placements to sweep: set limits, or name a family", p.e.rules.Size)
	}
	return nil
}

// take adds the units of a row family.
func (p *planner) take(rows []uint16) error {
	err := p.split(rows, nil)
	p.family++
	return err
}

// split adds the unit of a row family and the first columns, or its parts if it is
// too large.
func (p *planner) split(rows, prefix []uint16) error {
	bound := p.counts.Boards(rows, prefix)
	states := bound
	if p.within != nil && bound > 0 {
		states = p.counts.EachPlacement(rows, func(covered uint64) uint64 { return p.within.Count(covered, prefix) })
	}
	if states == 0 {
		return nil
	}
	if states <= p.e.unitStates && bound <= ledgerMax || len(prefix) == p.e.rules.Size.Columns || p.e.rules.Family != "" {
		if len(p.e.units) == unitsMax {
			return fmt.Errorf("more than %d units of work: set limits", unitsMax)
		}
		p.e.units = append(p.e.units, unit{
			rows: slices.Clone(rows), prefix: slices.Clone(prefix), family: p.family, states: states, bound: bound,
		})
		return nil
	}
	for k := range p.e.columns[len(prefix)] {
		if err := p.split(rows, append(prefix[:len(prefix):len(prefix)], uint16(k))); err != nil {
			return err
		}
	}
	return nil
}
