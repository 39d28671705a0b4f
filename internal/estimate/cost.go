package estimate

import (
	"math"

	"github.com/everystate/everystate/puzzle"
)

// Machines are who would explore a space.
type Machines struct {
	Workers int // processes, each with a disk and memory of its own
	Lanes   int // pipelines of each, one a core
	// Memory is the budget of each worker, in bytes.
	Memory int64
	// SuccessorNanos is how long one successor takes to be made, measured on a
	// machine like them.
	SuccessorNanos float64
	// GoalDistance says that distances to a goal are wanted as well.
	GoalDistance bool
}

// Range is a number with what it is nearly always between.
type Range struct{ Likely, Low, High float64 }

func (r Range) times(by float64) Range { return Range{r.Likely * by, r.Low * by, r.High * by} }

// Cost is what a run would take, roughly.
type Cost struct {
	Seconds Range
	// Disk is what the states take when the run has ended, on all workers together,
	// and Spill what candidates of the largest layer take on top meanwhile, in bytes.
	Disk, Spill Range
	// Memory is the budget of a worker, in bytes, with which nothing is spilled.
	Memory float64
}

// The rates are those of docs/lab/SCALING.md, in nanoseconds of a lane: made once for a
// state, made for each successor besides what the puzzle takes, what comparing with
// all that was visited makes of it where moves cannot be taken back, and what a
// successor costs that goes to another worker and is unpacked there.
const (
	stateNanos     = 20
	successorNanos = 20
	visitedFactor  = 1.6
	exchangeNanos  = 22
	layerSeconds   = 0.002

	// Engine, machine and space are never as the rates say: half to twice of it is
	// what finished runs took.
	rateFactor = 2

	layerBytes     = 2600    // of a layer, however small: its records in the journal and in tables
	typicalShare   = 0.5     // of the largest layer, in which most states lie
	gapBits        = 2.0     // a key takes so many bits more than the logarithm of the mean gap
	tablesShare    = 1.05    // with checksums and indexes
	diskFactor     = 1.35    // how far off that was
	candidateShare = 3.0 / 8 // of a budget that candidates have
)

// CostOf says what a run of an estimated space would take.
func (e *Estimate) CostOf(p puzzle.Puzzle, m Machines) Cost {
	l := p.Layout()
	states := Range{e.States, e.Low, e.High}
	lanes := float64(m.Workers * m.Lanes)
	successors := e.Degree
	if _, onward := p.(puzzle.Onward); onward {
		successors = max(0, successors-1) // the way back is left out
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

// keyBytes is what a key takes in a block, by how dense its layer is.
func (e *Estimate) keyBytes(l puzzle.Layout) float64 {
	return (max(0, float64(l.KeyBits)-math.Log2(max(1, e.Largest*typicalShare))) + gapBits) / 8
}

// linkBits is what a link takes: the number of a move.
func linkBits(l puzzle.Layout) float64 { return math.Ceil(math.Log2(float64(max(2, l.Moves)))) }
