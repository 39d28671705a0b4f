package estimate

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/everystate/everystate/puzzle"
)

const (
	// chains is the number of walks, each with its own random numbers. They are
	// independent, so leaving one out at a time shows the uncertainty.
	chains = 32

	// The first half of each walk is discarded, as it still depends on where it
	// began. The rest is kept in quarters.
	quarters = 4
	groups   = chains * quarters

	groupBits = 7 // of a record, for one of the groups

	stepsLook = 4096 // steps between checks of the context
)

// A chain is one walk.
type chain struct {
	random source
	state  []uint64

	// records are the visits of states whose hash begins with shift zeros: the hash,
	// with the group in its last bits.
	records []uint64
	limit   int
	shift   int

	// By quarter: visits, and the sums of degrees and of their inverses.
	visits           [quarters]float64
	degrees, inverse [quarters]float64
}

// walk walks from the chain's state, and records the second half.
func (c *chain) walk(ctx context.Context, p puzzle.Puzzle, id int, steps int64, stepped *atomic.Int64) {
	words := len(c.state)
	var out puzzle.Edges
	for i := range steps {
		if i%stepsLook == 0 {
			if ctx.Err() != nil {
				return
			}
			stepped.Add(min(stepsLook, steps-i))
		}
		out.Reset()
		p.Successors(c.state, &out)
		if out.Len() == 0 {
			return
		}
		if q := int(i*2*quarters/steps) - quarters; q >= 0 {
			c.record(id*quarters+q, q, float64(out.Len()))
		}
		e := c.random.below(out.Len())
		copy(c.state, out.Keys[e*words:])
	}
}

func (c *chain) record(group, quarter int, degree float64) {
	c.visits[quarter]++
	c.degrees[quarter] += degree
	c.inverse[quarter] += 1 / degree
	h := hash(c.state)
	if h>>(64-c.shift) != 0 {
		return
	}
	if len(c.records) == c.limit {
		c.thin(c.shift + 1)
	}
	c.records = append(c.records, h&^(1<<groupBits-1)|uint64(group))
}

// thin keeps only the records of states whose hash begins with shift zeros.
func (c *chain) thin(shift int) {
	c.shift = shift
	c.records = slices.DeleteFunc(c.records, func(r uint64) bool { return r>>(64-shift) != 0 })
}

// meetings summarises what the walks of a space have in common.
type meetings struct {
	visits, degrees, inverse [groups]float64
	// met[a][b] counts pairs of visits to one state, in the groups a and b.
	met [groups][groups]float64
	// distinct is the number of states in the records, and scale how many states each
	// stands for.
	distinct, scale float64
}

// walkAll runs all walks, with one goroutine per worker.
func walkAll(ctx context.Context, p puzzle.Puzzle, f *first, o *Options) (*meetings, error) {
	words := p.Layout().Words()
	all := make([]chain, chains)
	for i := range all {
		c := &all[i]
		c.random = source(mix(o.Seed + uint64(i)<<32))
		c.limit = o.Records / chains
		at := int(c.random.next() % uint64(len(f.frontier)/words))
		c.state = slices.Clone(f.frontier[at*words:][:words])
	}
	steps := max(o.Steps/chains, 2*quarters) // fewer would leave a quarter without a visit
	var walkers sync.WaitGroup
	for w := range o.Workers {
		walkers.Go(func() {
			for i := w; i < chains; i += o.Workers {
				all[i].walk(ctx, p, i, steps, o.Stepped)
			}
		})
	}
	walkers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return meet(all), puzzle.Err(p)
}

// meet counts the pairs of visits to the same state.
func meet(all []chain) *meetings {
	shift := 0
	for i := range all {
		shift = max(shift, all[i].shift)
	}
	m := new(meetings)
	var records []uint64
	for i := range all {
		c := &all[i]
		c.thin(shift)
		records = append(records, c.records...)
		c.records = nil
		for q := range quarters {
			g := i*quarters + q
			m.visits[g], m.degrees[g], m.inverse[g] = c.visits[q], c.degrees[q], c.inverse[q]
		}
	}
	slices.Sort(records)
	m.scale = math.Ldexp(1, shift)
	for len(records) > 0 {
		n := 1
		for n < len(records) && records[n]>>groupBits == records[0]>>groupBits {
			n++
		}
		m.distinct++
		m.count(records[:n], m.scale)
		records = records[n:]
	}
	return m
}

// count counts the visits to one state, sorted by group.
func (m *meetings) count(visits []uint64, scale float64) {
	var in [groups]int32
	var order [groups]uint8
	n := 0
	for _, v := range visits {
		g := uint8(v & (1<<groupBits - 1))
		if in[g] == 0 {
			order[n] = g
			n++
		}
		in[g]++
	}
	for i, a := range order[:n] {
		for _, b := range order[i+1 : n] {
			m.met[a][b] += scale * float64(in[a]) * float64(in[b])
		}
	}
}

// atLeast returns a lower bound on the number of states. It is exact if all records
// were kept; from a sample of them it fails once in a million spaces.
func (m *meetings) atLeast() float64 {
	if m.scale == 1 {
		return m.distinct
	}
	return max(0, m.distinct-sureSigmas*math.Sqrt(m.distinct)) * m.scale
}

// states estimates the states from the pairs of groups that counts selects.
func (m *meetings) states(counts func(a, b int) bool) (n, pairs float64) {
	var over float64
	for a := range groups {
		for b := a + 1; b < groups; b++ {
			if counts(a, b) {
				over += (m.degrees[a]*m.inverse[b] + m.degrees[b]*m.inverse[a]) / 2
				pairs += m.met[a][b]
			}
		}
	}
	return over / pairs, pairs
}

// degree returns the mean number of moves of a state.
func (m *meetings) degree() float64 {
	var visits, inverse float64
	for g := range groups {
		visits, inverse = visits+m.visits[g], inverse+m.inverse[g]
	}
	return visits / inverse
}

// apart selects pairs of different walks.
func apart(a, b int) bool { return a/quarters != b/quarters }

// early and late select those in the first and last two quarters.
func early(a, b int) bool { return apart(a, b) && a%quarters < 2 && b%quarters < 2 }

func late(a, b int) bool { return apart(a, b) && a%quarters >= 2 && b%quarters >= 2 }

// alone selects pairs of visits of one walk that are far apart in time.
func alone(a, b int) bool { return !apart(a, b) && b-a >= 2 }

// spread is the standard error of the logarithm of the states, from leaving out one
// walk at a time (the jackknife) and from how few records have met.
func (m *meetings) spread(pairs float64) float64 {
	var logs []float64
	var mean float64
	for out := range chains {
		n, met := m.states(func(a, b int) bool { return apart(a, b) && a/quarters != out && b/quarters != out })
		if met == 0 {
			continue // all that met was of this walk
		}
		logs = append(logs, math.Log(n))
		mean += math.Log(n)
	}
	mean /= float64(len(logs))
	var sum float64
	for _, l := range logs {
		sum += (l - mean) * (l - mean)
	}
	return math.Sqrt(sum*(chains-1)/chains + m.scale/pairs)
}
