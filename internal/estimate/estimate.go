package estimate

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/everystate/everystate/puzzle"
)

// Method is how an estimate was made.
type Method string

// The methods.
const (
	Counted Method = "counted" // exact: every state was counted
	Formula Method = "formula" // exact: the puzzle has a formula
	Walks   Method = "walks"   // from how often random walks meet
	Growth  Method = "growth"  // from how the first layers grow
)

// Options bound an estimate.
type Options struct {
	// Seed determines the sample.
	Seed uint64
	// States is how many states are counted exactly at first, at about 20 bytes of
	// memory each. Zero means a million.
	States int
	// ExactStatesMax is the size up to which a space is counted exactly whatever States is, as
	// that takes no longer than an estimate. Zero means 2^18, which takes less than a
	// second; negative means none.
	ExactStatesMax int
	// Steps is how many random moves are made. Zero means 20 million.
	Steps int64
	// Records is how many visits of states are stored, at 16 bytes each. Zero means
	// four million.
	Records int
	// Workers is how many goroutines walk. It does not change the estimate. Zero
	// means one per core.
	Workers int
	// Stepped, if not nil, counts the random moves so far, for a display.
	Stepped *atomic.Int64
}

func (o Options) filled() Options {
	if o.States <= 0 {
		o.States = 1 << 20
	}
	if o.ExactStatesMax == 0 {
		o.ExactStatesMax = 1 << 18
	}
	if o.Steps <= 0 {
		o.Steps = 20_000_000
	}
	if o.Records <= 0 {
		o.Records = 1 << 22
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Stepped == nil {
		o.Stepped = new(atomic.Int64)
	}
	return o
}

// Estimate estimates how many states a puzzle can reach.
type Estimate struct {
	Method Method
	// States is the most likely number, or the number itself if it is exact. The true
	// number is nearly always from Low to High, unless Converged is false.
	States, Low, High float64
	// Valid estimates how many keys are valid states, reachable or not; zero if too
	// few are to tell.
	Valid float64
	// Converged means that nothing contradicts the estimate: walks with different
	// beginnings have converged.
	Converged bool
	// Layers are the sizes of the first layers, all of them if counted.
	Layers []int64
	// Largest estimates the number of states of the largest layer.
	Largest float64
	// Degree is the mean number of successors of a state.
	Degree float64
	// Sample holds keys of states to measure with.
	Sample []uint64
	// Formula is the formula for the number of states, if that is the method.
	Formula string
}

// Exact reports whether the number of states is exact.
func (e *Estimate) Exact() bool { return e.Method == Counted || e.Method == Formula }

// Of estimates how many states a puzzle can reach.
func Of(ctx context.Context, p puzzle.Puzzle, opts Options) (*Estimate, error) {
	o := opts.filled()
	f, err := explore(ctx, p, max(o.States, o.ExactStatesMax))
	if err != nil {
		return nil, err
	}
	e := &Estimate{
		Layers: f.layers, Converged: true,
		Degree: float64(f.edges) / float64(max(1, f.expanded)),
		Sample: f.frontier,
	}
	if f.all {
		e.Method, e.States = Counted, float64(f.states)
		e.Low, e.High = e.States, e.States
		e.Largest = float64(slices.Max(f.layers))
		return e, nil
	}
	atMost := e.valid(p, o.Seed)
	size := SizeOf(p)
	if size.Exact {
		e.Method, e.Formula = Formula, size.Formula
		e.States, _ = size.States.Float64()
		e.Low, e.High, e.Largest = e.States, e.States, e.largest()
		return e, nil
	}
	if size.States != nil {
		states, _ := size.States.Float64()
		atMost = min(atMost, states)
	}
	plain := plainStates(p)
	switch {
	case p.Layout().Reversible && plain > 0:
		err = e.byOrbits(ctx, p, f, &o, plain)
	case p.Layout().Reversible:
		err = e.byWalks(ctx, p, f, &o)
	default:
		e.byGrowth(f, atMost)
	}
	if err != nil {
		return nil, err
	}
	least := float64(f.states)
	if plain > 0 { // an orbit has at most as many states as there are symmetries
		symmetries := p.Layout().Moves / puzzle.Unmerged(p).Layout().Moves
		least = max(least, math.Ceil(plain/float64(symmetries)))
	}
	e.within(least, atMost)
	return e, nil
}

// SizeOf returns the size of a space, as far as the puzzle knows it.
func SizeOf(p puzzle.Puzzle) puzzle.Size {
	if sized, ok := p.(puzzle.Sized); ok {
		return sized.Size()
	}
	return puzzle.Size{}
}

// within clamps the numbers to bounds that are certain.
func (e *Estimate) within(low, high float64) {
	e.Low = min(max(e.Low, low), high)
	e.High = min(max(e.High, e.Low), high)
	e.States = min(max(e.States, e.Low), e.High)
	if e.Largest == 0 {
		e.Largest = e.largest()
	}
}

const (
	// sureSigmas is how many standard deviations separate a bound from a sample.
	sureSigmas = 5

	// tChains is Student's t. By the spread of the walks alone, the interval would be
	// one of 99 percent; but no walk shows what none of them has seen.
	tChains = 2.75

	// walksFloor is the least relative error that walks are assumed to have.
	walksFloor = 0.02

	// growthLow and growthHigh are how far off the growth of layers may be, as factors.
	// Where it is too low, as it is in random small spaces (TestCoverage), that is five
	// times as far as in the finished spaces of docs/RESULTS.md.
	growthLow, growthHigh = 20, 100

	// scattered is the spread of walks that have hardly met: the states are known to
	// be at least so many, and may be growthLow times as many.
	scattered = 0.1
)

func (e *Estimate) byWalks(ctx context.Context, p puzzle.Puzzle, f *first, o *Options) error {
	m, err := walkAll(ctx, p, f, o)
	if err != nil {
		return err
	}
	e.Method = Walks
	e.Degree = m.degree()
	n, pairs := m.states(apart)
	if pairs == 0 {
		// No two walks met even once.
		e.Low, e.High, e.States, e.Converged = m.atLeast(), math.Inf(1), math.Inf(1), false
		return nil
	}
	spread := m.spread(pairs)
	e.States = n
	// Walks that still remember where they began meet themselves more often than each
	// other, and this decreases over time.
	within, _ := m.states(alone)
	a, _ := m.states(early)
	b, _ := m.states(late)
	apartBy := 0.0
	for _, other := range []float64{within, a, b} {
		if math.IsInf(other, 0) {
			continue
		}
		by := math.Abs(math.Log(other / n))
		apartBy = max(apartBy, by)
		e.Converged = e.Converged && by <= 4*spread+0.05
	}
	by := tChains*spread + walksFloor
	if !e.Converged {
		by += 2 * apartBy
	}
	e.Low, e.High = n*math.Exp(-by), n*math.Exp(by)
	if spread > scattered {
		e.Converged, e.High = false, max(e.High, n*growthLow)
	}
	if n < float64(f.states) {
		e.Converged, e.High = false, math.Inf(1) // they have hardly left where they began
	}
	e.Low = max(e.Low, m.atLeast())
	return nil
}

func (e *Estimate) byGrowth(f *first, bound float64) {
	e.Method, e.Converged = Growth, false
	e.States = min(growth(f.layers), bound)
	e.Low, e.High = e.States/growthLow, e.States*growthHigh
}

// largest estimates the largest layer: from the first layers, if they are all,
// otherwise as that of a bell curve with so many states and such a depth.
func (e *Estimate) largest() float64 {
	last := float64(e.Layers[len(e.Layers)-1])
	// A space that doubles from layer to layer has half its states in the last one; a
	// space that grows slowly has many layers.
	ratio := 2.0
	if n := len(e.Layers); n > 2 {
		ratio = float64(e.Layers[n-1]) / float64(e.Layers[n-2])
	}
	share := min(0.5, max(0.01, math.Log(max(ratio, 1.01))/2))
	return max(last, e.States*share)
}

// valid estimates how many keys are valid, from the share among random keys. It
// returns an upper bound, with a margin for the sampling error.
func (e *Estimate) valid(p puzzle.Puzzle, seed uint64) (atMost float64) {
	const (
		triesMax    = 1 << 18
		few, plenty = 100, 40_000
		none        = 1 << 15 // without a hit there will not be a few
	)
	bits := p.Layout().KeyBits
	words := p.Layout().Words()
	random := source(mix(^seed))
	key := make([]uint64, words)
	hits, tries := 0, 0
	for ; tries < triesMax && hits < plenty && (tries < none || hits > 0); tries++ {
		for i := range key {
			key[i] = random.next()
		}
		if words == 1 {
			key[0] >>= 64 - bits
		}
		if p.Valid(key) {
			hits++
		}
	}
	keys := math.Ldexp(1, bits)
	if hits < few {
		return keys
	}
	share := float64(hits) / float64(tries)
	e.Valid = keys * share
	return min(keys, keys*(share+sureSigmas*math.Sqrt(share/float64(tries))+sureSigmas*sureSigmas/float64(tries)))
}
