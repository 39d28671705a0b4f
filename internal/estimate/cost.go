package estimate

import (
	"math"

	"github.com/everystate/everystate/puzzle"
)

// Machines describes the machines that would explore a space.
type Machines struct {
	Workers int // processes, each with a disk and memory of its own
	Lanes   int // pipelines per worker, one per core
	// Memory is the budget of each worker, in bytes, and MemoryMin the least that a worker
	// accepts.
	Memory, MemoryMin int64
	// SuccessorNanos is the time to generate one successor, measured on such a
	// machine.
	SuccessorNanos float64
	// GoalDistance includes computing goal distances.
	GoalDistance bool
	// TableMemory is the part of it that a worker has for a table of a whole run, if there are
	// several.
	TableMemory int64
	// Undivided is why several workers cannot divide a table of the puzzle, empty if they can.
	Undivided string
}

// Range is a number with the bounds that it is nearly always within.
type Range struct{ Likely, Low, High float64 }

func (r Range) times(by float64) Range { return Range{r.Likely * by, r.Low * by, r.High * by} }

func (r Range) plus(o Range) Range { return Range{r.Likely + o.Likely, r.Low + o.Low, r.High + o.High} }

// Cost is a rough estimate of what a run would take.
type Cost struct {
	Seconds Range
	// Disk is the bytes of the states after the run, on all workers together, and
	// Spill the bytes that the candidates of the largest layer take in addition
	// meanwhile.
	Disk, Spill Range
	// Memory is the budget per worker, in bytes, with which nothing is spilled.
	Memory float64
}

// The rates are those of docs/lab/SCALING.md, in nanoseconds per lane: per state; per
// successor, besides the puzzle's own time; the factor on both for comparing with all
// visited states if moves are irreversible; and per successor that is sent to another
// worker and unpacked there.
const (
	stateNanos     = 20
	successorNanos = 20
	visitedFactor  = 1.6
	exchangeNanos  = 22
	layerSeconds   = 0.002

	// No engine, machine or space matches the rates exactly: finished runs took half
	// to twice as long.
	rateFactor = 2

	layerBytes     = 2600    // per layer, however small: its records in the journal and in tables
	typicalShare   = 0.5     // size of a typical state's layer, relative to the largest
	gapBits        = 2.0     // bits per key beyond the logarithm of the mean gap
	tablesShare    = 1.05    // with checksums and indexes
	diskFactor     = 1.35    // the factor that this was off by
	candidateShare = 3.0 / 8 // the share of a budget that holds candidates
)

// CostOf estimates what a run of an estimated space would take.
func (e *Estimate) CostOf(p puzzle.Puzzle, m Machines) Cost {
	l := p.Layout()
	states := Range{e.States, e.Low, e.High}
	lanes := float64(m.Workers * m.Lanes)
	successors := e.Degree
	if _, onward := p.(puzzle.Onward); onward {
		successors = max(0, successors-1) // the inverse move is pruned
	}
	each := m.SuccessorNanos + successorNanos
	if !l.Reversible {
		each *= visitedFactor
	}
	each += exchangeNanos * (1 - 1/float64(m.Workers))
	perState := stateNanos + successors*each
	phases := 1.0
	if m.GoalDistance {
		phases = 2
	}
	var c Cost
	c.Seconds = states.times(phases * perState / 1e9 / lanes)
	start := phases * layerSeconds * float64(len(e.Layers))
	c.Seconds.Likely += start
	c.Seconds.Low = c.Seconds.Low/rateFactor + start
	c.Seconds.High = c.Seconds.High*rateFactor + start

	c.Disk = states.times(phases * e.keyBytes(l) * tablesShare)
	layers := phases * layerBytes * float64(len(e.Layers))
	c.Disk.Likely += states.Likely*linkBits(l)/8 + layers
	c.Disk.Low = (c.Disk.Low + states.Low*linkBits(l)/8 + layers) / diskFactor
	c.Disk.High = (c.Disk.High + states.High*linkBits(l)/8 + layers) * diskFactor

	perWorker := e.Largest * max(1, successors) * (e.keyBytes(l) + linkBits(l)/8) / float64(m.Workers)
	c.Memory = perWorker / candidateShare
	spilled := max(0, perWorker-float64(m.Memory)*candidateShare) * float64(m.Workers)
	c.Spill = Range{spilled, 0, 2 * spilled * e.High / max(1, e.States)}
	return c
}

// keyBytes estimates the bytes per key in a block, from the density of its layer.
func (e *Estimate) keyBytes(l puzzle.Layout) float64 {
	return (max(0, float64(l.KeyBits)-math.Log2(max(1, e.Largest*typicalShare))) + gapBits) / 8
}

// linkBits returns the bits of a link, the number of a move.
func linkBits(l puzzle.Layout) float64 { return math.Ceil(math.Log2(float64(max(2, l.Moves)))) }
