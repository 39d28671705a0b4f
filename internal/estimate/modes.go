package estimate

import (
	"math"

	"github.com/everystate/everystate/puzzle"
)

// Mode is a way in which a run can keep its states.
type Mode string

// The modes.
const (
	Layers   Mode = "layers"   // all layers, with links
	Frontier Mode = "frontier" // the layers that later ones need (--keep frontier)
	Table    Mode = "table"    // two bits per rank (--store table), on a cluster at one worker if it fits there
)

// Need is what a run would take in a mode.
type Need struct {
	Mode    Mode
	Seconds Range
	// Disk is the most that is on disk at any time, on all workers together, in bytes.
	Disk Range
	// Memory is the least budget of each worker that is enough, in bytes.
	Memory float64
	// Not is why the mode is not possible, empty if it is. The numbers are then 0.
	Not string
	// Unmerged means that the run would not merge symmetric states, which this table
	// cannot.
	// Its ranks may be folded along the same symmetries instead.
	Unmerged bool
	// Pages means that the table is kept on disk while it is searched, as it does not fit the
	// budget.
	Pages bool
}

// The processor time of a table, in nanoseconds per state, and the memory for a table in
// bits per rank where moves alternate between two colours and elsewhere, are those of
// docs/lab/BUDGET.md. With folded ranks most of the time goes to the states that they stand
// for, so that it is the same per state.
const (
	tableNanos   = 45
	dividedNanos = 45  // beside layers, if workers divide it
	orbitNanos   = 150 // of merged states, symmetries and rows to begin with included
	tableBits    = 2
	colouredBits = 3
	plainBits    = 4

	// The same where states are numbered, and moves are made one by one or flip bits; and
	// the memory for candidates that is enough not to make any twice in most spaces, in
	// bytes.
	numberedNanos     = 120
	flipNanos         = 65
	candidateBytes    = 64 << 20
	candidateBytesMin = 16 << 20 // without which a search does not begin

	// The same of a table that is kept as pages on disk while it is searched: the time, how
	// often each page is on disk, and the bytes of a candidate and of how many layers there are
	// any. In memory there is the program's part of the budget, and for each lane the page in
	// hand and candidates, and for each page a few hundred bytes.
	pagedNanos      = 85
	pageVersions    = 2
	spilledBytes    = 4
	spilledLayers   = 2
	pagedBase       = 16 << 20
	pagedLane       = 3 << 20
	pageStates      = 1 << 19
	pagedLaneByPage = 530

	// ranksBuiltMax bounds the spaces whose ranks are built to be counted: that takes
	// less than a second. Larger ones are taken to have as many ranks as states.
	ranksBuiltMax = 1 << 26

	// largestFactor is how much smaller the largest layer may be than it is taken to be
	// where layers are not counted.
	largestFactor = 3
)

// NeedsOf returns what each mode takes. Only layers have goal distances on a cluster, and
// the frontier has none at all.
func (e *Estimate) NeedsOf(p puzzle.Puzzle, m Machines) []Need {
	needs := []Need{e.layers(p, m), e.frontier(p, m), e.table(p, m)}
	for i := range needs {
		if n := &needs[i]; n.Not == "" {
			n.Memory = max(n.Memory, float64(m.MemoryMin))
		}
	}
	return needs
}

func (e *Estimate) layers(p puzzle.Puzzle, m Machines) Need {
	c := e.CostOf(p, m)
	return Need{
		Mode: Layers, Seconds: c.Seconds,
		Disk: Range{c.Disk.Likely + c.Spill.Likely, c.Disk.Low + c.Spill.Low, c.Disk.High + c.Spill.High},
	}
}

func (e *Estimate) frontier(p puzzle.Puzzle, m Machines) Need {
	l := p.Layout()
	n := Need{Mode: Frontier}
	kept := 3.0 // the layer that is made, the one before it, and the one before that
	switch {
	case m.GoalDistance:
		n.Not = "goal distances need every layer"
		return n
	case l.Reversible:
	case l.Graded:
		kept = 2
	default:
		n.Not = "moves cannot be undone by moves, so every layer is needed"
		return n
	}
	all := e.layers(p, m)
	c := e.CostOf(p, m)
	n.Seconds = all.Seconds
	likely := kept*e.Largest*(e.keyBytes(l)*tablesShare+linkBits(l)/8) + layerBytes*float64(len(e.Layers))
	wider := 1.0
	if e.States > 0 {
		wider = e.High / e.States
	}
	narrower := (kept - 1) / kept / diskFactor // two layers may not be as large as the largest
	if e.Method != Counted {
		narrower /= largestFactor
	}
	n.Disk = Range{
		min(likely+c.Spill.Likely, all.Disk.Likely), min(likely*narrower, all.Disk.Low),
		min(likely*wider*diskFactor+c.Spill.High, all.Disk.High),
	}
	return n
}

func (e *Estimate) table(p puzzle.Puzzle, m Machines) Need {
	n := Need{Mode: Table}
	if m.Workers > 1 {
		if one := e.atOne(p, m); one.Not == "" && !one.Pages && !one.Unmerged {
			return one
		}
		return e.divided(p, m)
	}
	states := e.States
	if merged, ok := p.(puzzle.Merged); ok && !numbersOrbits(p) {
		n.Unmerged = true
		states *= float64(p.Layout().Moves / merged.Unmerged().Layout().Moves)
		p = merged.Unmerged()
		if size := SizeOf(p); size.Exact {
			states, _ = size.States.Float64()
		}
	}
	ranks, bytes := 0.0, 0.0
	l := p.Layout()
	dense, is := p.(puzzle.Dense)
	if numbers := puzzle.NumberingOf(p); numbers != nil {
		e.numbered(&n, p, numbers, m, states)
		return n
	}
	if is && l.Reversible && puzzle.Tabular(p) {
		ranks, bytes = ranksOf(p, dense, states)
	}
	if ranks == 0 {
		return Need{Mode: Table, Not: "the states cannot be numbered densely"}
	}
	bits, phases := float64(plainBits), 1.0
	if l.Alternating {
		bits = colouredBits
	}
	if m.GoalDistance {
		phases = 2
	}
	n.Memory = max(ranks/8*bits, bytes)
	n.Disk = Range{1, 1, 1}.times(math.Ceil(phases * ranks / 8 * tableBits))
	nanos := float64(tableNanos)
	if numbersOrbits(p) {
		nanos = orbitNanos
	}
	n.Seconds = Range{1, 1.0 / rateFactor, rateFactor}.times(phases * max(ranks, states) * nanos / 1e9 / float64(m.Lanes))
	if !numbersOrbits(p) { // else it is never kept as pages
		e.pages(&n, m, n.Memory, ranks, tableNanos)
	}
	return n
}

// atOne is table on a cluster, one worker of which keeps the table.
func (e *Estimate) atOne(p puzzle.Puzzle, m Machines) Need {
	one := m
	one.Workers, one.Memory = 1, m.TableMemory
	n := e.table(p, one)
	n.Memory *= float64(m.Memory) / float64(max(1, m.TableMemory))
	return n
}

// divided is table on a cluster, whose workers divide the table (docs/CLUSTER.md#tables).
// Layers are made as in any other run, and gather on disk until they have a quarter of the
// states of the table; the last two stay. In the table a state takes two bits for each key of
// its range, or what its key and a code take where keys are sparse. Layers of goal distances
// stay as they are.
func (e *Estimate) divided(p puzzle.Puzzle, m Machines) Need {
	n := Need{Mode: Table, Not: m.Undivided}
	if n.Not != "" {
		return n
	}
	const gathered = 1.0 / 5 // of all states: a quarter of the rest
	l := p.Layout()
	all, c := e.layers(p, m), e.CostOf(p, m)
	states := Range{e.States, e.Low, e.High}
	keys := math.Ldexp(1, l.KeyBits)
	forward := m
	forward.GoalDistance = false
	goals, without := c.Disk, e.CostOf(p, forward).Disk // with layers from the starts, and these alone
	bytes := func(states, goals float64) float64 {
		gap := keys / max(1, states)
		perState := min(tableBits*gap, math.Log2(max(1, gap))+gapBits+tableBits) / 8
		records := min(states, states*gathered+2*e.Largest)
		// What is a record is not in the table yet. In the end, nearly all is in the table.
		widest := (states-records)*perState + records*(e.keyBytes(l)+linkBits(l)/8/tablesShare)
		return max(widest*tablesShare, states*perState*tablesShare+goals) + layerBytes*float64(len(e.Layers))
	}
	n.Seconds = all.Seconds.plus(states.times(dividedNanos / 1e9 / float64(m.Workers*m.Lanes)))
	n.Disk = Range{
		bytes(states.Likely, goals.Likely-without.Likely), bytes(states.Low, goals.Low-without.Low) / diskFactor,
		bytes(states.High, goals.High-without.High) * diskFactor,
	}.plus(c.Spill)
	return n
}

// numbersOrbits reports whether merged states have ranks of their own.
func numbersOrbits(p puzzle.Puzzle) bool {
	_, merged := p.(puzzle.Merged)
	counted, ok := p.(puzzle.RankCounter)
	return merged && ok && counted.RankCount() > 0
}

// pages changes what a table takes, whose search takes so many nanoseconds for a state, to what
// it takes if it is kept as pages, if not even the least memory of the search is there.
func (e *Estimate) pages(n *Need, m Machines, least, ranks, nanos float64) {
	if least <= float64(m.Memory) {
		n.Memory = min(n.Memory, float64(m.Memory))
		return
	}
	n.Pages = true
	n.Memory = min(least, pagedBase+float64(m.Lanes)*(pagedLane+pagedLaneByPage*ranks/pageStates))
	n.Seconds = n.Seconds.times(max(1, pagedNanos/nanos))
	table := ranks / 8 * tableBits
	candidates := e.Largest * max(1, e.Degree-1) * spilledBytes * spilledLayers
	versions := max(n.Disk.Low, table*pageVersions)
	n.Disk = Range{
		max(versions+candidates, n.Disk.Likely+versions), max(versions, n.Disk.Low+table),
		n.Disk.High + versions + candidates*rateFactor,
	}
}

// numbered sets what a table of numbers takes: beside it are the candidates of the largest
// layers, or one bit for each 64 numbers.
func (e *Estimate) numbered(n *Need, p puzzle.Puzzle, numbering puzzle.Numbering, m Machines, states float64) {
	const word = 64
	numbers := float64(numbering.Count())
	phases, nanos := 1.0, float64(numberedNanos)
	if m.GoalDistance {
		phases = 2
	}
	n.Memory = numbers / 8 * plainBits
	spare := 0.0
	if _, flips := numbering.(puzzle.FlipNumbering); flips {
		n.Memory *= (word + 1.0/2) / word
		nanos = flipNanos
	} else {
		n.Memory += candidateBytes
		spare = candidateBytes - candidateBytesMin
	}
	if !p.Layout().Reversible {
		n.Memory += numbers / 8 * tableBits
	}
	n.Disk = Range{1, 1, 1}.times(math.Ceil(phases * numbers / 8 * tableBits))
	wider := states / max(1, e.States)
	n.Seconds = Range{e.States, e.Low / rateFactor, e.High * rateFactor}.times(wider * phases * nanos / 1e9 / float64(m.Lanes))
	e.pages(n, m, n.Memory-spare, numbers, nanos)
}

// ranksOf returns the number of ranks of a puzzle, folded along its symmetries where that
// is possible, and how much memory it takes to make them, as far as that is known; 0 if it
// has none.
func ranksOf(p puzzle.Puzzle, dense puzzle.Dense, states float64) (ranks, bytes float64) {
	if counted, ok := p.(puzzle.RankCounter); ok {
		return float64(counted.RankCount()), 0
	}
	if foldable, ok := p.(puzzle.Foldable); ok {
		folded, bytes := foldable.FoldNeeds()
		if folded > 0 && states <= ranksBuiltMax {
			if r := foldable.Folded(nil); r != nil {
				folded = r.States()
			}
		}
		if folded > 0 {
			return float64(folded), float64(bytes)
		}
	}
	if states > ranksBuiltMax {
		return states, 0
	}
	if r := dense.Ranks(); r != nil {
		return float64(r.States()), 0
	}
	return 0, 0
}
