// Package grade measures how hard a Rush Hour board is beyond the length of its
// solution, and grades it from 1 to 10. docs/DATABASE.md states the formula.
//
// The measures of a board are a pure function of it. They must never be fitted to
// anything: a grade says what was counted, not what people find hard.
package grade

import (
	"errors"
	"fmt"
	"math"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// Grades go from 1 to Most.
const Most = 10

// SolutionsMax is what Measures.Solutions stops at: the greatest number that every
// program reads exactly from JSON.
const SolutionsMax = 1<<53 - 1

// Measures holds what is counted of a board. A way is a shortest solution.
type Measures struct {
	// Moves is the length of a way, and States the size of the board's cluster.
	Moves  int
	States uint64
	// Solutions is the number of ways, at most SolutionsMax. Ways that differ only in
	// the order of moves count separately.
	Solutions uint64
	// Chance tells how likely as many random moves as a way has are one: with a
	// probability of 1/2^(Chance/100).
	Chance uint64
	// Counter is how many counter-intuitive moves a way has, at least: moves of the goal
	// vehicle away from its exit, and moves of others after which more vehicles than
	// before stand between the two.
	Counter int
	// Forced is how many moves of a way have no alternative, because every way has them
	// after the same state; ForcedRun is the most of them in succession.
	Forced, ForcedRun int
	// Branching is the mean number of moves of the states on ways, times 100.
	Branching uint64
	// Vehicles is how many vehicles every way moves.
	Vehicles int
}

// Points adds up the measures, times 100: what it takes to find a way by chance, 2 for
// each counter-intuitive move, 1 for each vehicle that must move, and the binary
// logarithm of the size of the cluster.
func (m *Measures) Points() uint64 {
	return m.Chance + 200*uint64(m.Counter) + 100*uint64(m.Vehicles) + hundredths(math.Log2(float64(max(m.States, 1))))
}

// pointsPerGrade is how many points, times 100, each grade spans.
const pointsPerGrade = 1600

// Grade returns the grade, 1 to Most.
func (m *Measures) Grade() int { return int(min(m.Points()/pointsPerGrade, Most-1)) + 1 }

// hundredths rounds, so that the measures are the same on every machine.
func hundredths(x float64) uint64 { return uint64(math.Round(100 * x)) }

// ErrUnsuited reports a board that has no grade.
var ErrUnsuited = errors.New("only Rush Hour boards that can be solved have a grade")

// Of measures a state of the component of a board. The start is state 0.
func Of(c *solve.Component, p puzzle.Puzzle, state int) (Measures, error) {
	if _, ok := rushhour.SceneOf(p, p.Starts()); !ok || c.Distance(state) < 0 {
		return Measures{}, ErrUnsuited
	}
	m := Measures{Moves: c.Distance(state), States: uint64(c.Len())}
	w := walk{c: c, p: p, at: map[uint32]int{}}
	first, err := w.node(uint32(state))
	if err != nil {
		return Measures{}, err
	}
	first.ways = 1
	m.measure(&w)
	return m, nil
}

// walk goes through the states on ways, those at the same distance at a time.
type walk struct {
	c     *solve.Component
	p     puzzle.Puzzle
	nodes []node
	layer []int          // the first node of each layer, the goals' last
	at    map[uint32]int // the node of a state
}

// node is a state on a way.
type node struct {
	state    uint32
	scene    scene
	ways     uint64   // to it, at most SolutionsMax
	counter  int      // the fewest counter-intuitive moves to it
	moved    vehicles // what every way to it has moved
	chance   float64  // that random moves from it are the rest of a way, scaled per layer
	branches int
	nearer   []int32 // nodes one move nearer
}

// vehicles is a set.
type vehicles [4]uint64

func (v *vehicles) add(i int) { v[i/64] |= 1 << (i % 64) }

// scene is what is counted of a state.
type scene struct {
	cells []int // of the vehicles
	left  int   // cells from the goal vehicle to the exit
	inWay int   // vehicles between them
}

// node returns the node of a state, which it makes if need be. The pointer is valid
// until the next call.
func (w *walk) node(state uint32) (*node, error) {
	if i, ok := w.at[state]; ok {
		return &w.nodes[i], nil
	}
	s, ok := rushhour.SceneOf(w.p, w.c.Key(int(state)))
	if !ok || len(s.Vehicles) > 64*len(vehicles{}) {
		return nil, fmt.Errorf("%w: at most %d vehicles", ErrUnsuited, 64*len(vehicles{}))
	}
	w.at[state] = len(w.nodes)
	w.nodes = append(w.nodes, node{state: state, scene: sceneOf(&s)})
	return &w.nodes[len(w.nodes)-1], nil
}

func sceneOf(s *rushhour.Scene) scene {
	out := scene{cells: make([]int, len(s.Vehicles))}
	goal := &s.Vehicles[s.Goal]
	stride := strideOf(s, goal)
	out.left = (s.GoalCell - goal.Cell) / stride
	first, last := goal.Cell+goal.Length*stride, s.GoalCell+(goal.Length-1)*stride // beyond it, up to the exit
	if out.left < 0 {
		out.left = -out.left
		first, last = s.GoalCell, goal.Cell-stride
	}
	for i := range s.Vehicles {
		v := &s.Vehicles[i]
		out.cells[i] = v.Cell
		step := strideOf(s, v)
		for n := range v.Length {
			if cell := v.Cell + n*step; i != s.Goal && cell >= first && cell <= last && (cell-first)%stride == 0 {
				out.inWay++
				break
			}
		}
	}
	return out
}

func strideOf(s *rushhour.Scene, v *rushhour.SceneVehicle) int {
	if v.Vertical {
		return s.Cols
	}
	return 1
}

// moved returns the vehicle that stands elsewhere in another scene.
func (s *scene) moved(t *scene) int {
	for i := range s.cells {
		if s.cells[i] != t.cells[i] {
			return i
		}
	}
	return 0
}

// counter reports whether a move to another scene is counter-intuitive.
func (s *scene) counter(t *scene) bool {
	if s.left != t.left {
		return t.left > s.left
	}
	return t.inWay > s.inWay
}

// measure goes down the ways, and back up for the chance.
func (m *Measures) measure(w *walk) {
	run, branches, inner := 0, 0, 0
	for from, end := 0, 1; from < end; from, end = end, len(w.nodes) {
		w.layer = append(w.layer, from)
		nearer := 0
		for i := from; i < end; i++ {
			nearer += w.expand(i)
			if w.c.Distance(int(w.nodes[i].state)) > 0 {
				inner++
				branches += w.nodes[i].branches
			}
		}
		if end-from == 1 && nearer == 1 {
			m.Forced++
			run++
			m.ForcedRun = max(m.ForcedRun, run)
		} else {
			run = 0
		}
	}
	if inner > 0 {
		m.Branching = hundredths(float64(branches) / float64(inner))
	}
	m.ends(w)
	m.Chance = w.chance()
}

// chance returns the chance of the start as [Measures] has it.
func (w *walk) chance() uint64 {
	scale, end := 0, len(w.nodes)
	for k := len(w.layer) - 1; k >= 0; k-- {
		most := 0.0
		for i := w.layer[k]; i < end; i++ {
			n := &w.nodes[i]
			if n.chance = 1; k < len(w.layer)-1 {
				n.chance = 0
				for _, next := range n.nearer {
					n.chance += w.nodes[next].chance
				}
				n.chance /= float64(n.branches)
			}
			most = max(most, n.chance)
		}
		// Long ways are less likely than the smallest number there is.
		_, exponent := math.Frexp(most)
		for i := w.layer[k]; i < end; i++ {
			w.nodes[i].chance = math.Ldexp(w.nodes[i].chance, -exponent)
		}
		scale, end = scale+exponent, w.layer[k]
	}
	return hundredths(-math.Log2(w.nodes[0].chance) - float64(scale))
}

// ends measures at the goals.
func (m *Measures) ends(w *walk) {
	m.Counter = math.MaxInt
	all := vehicles{math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64}
	for i := w.layer[len(w.layer)-1]; i < len(w.nodes); i++ {
		n := &w.nodes[i]
		m.Solutions = min(m.Solutions+n.ways, SolutionsMax)
		m.Counter = min(m.Counter, n.counter)
		for k := range all {
			all[k] &= n.moved[k]
		}
	}
	for i := range w.nodes[0].scene.cells {
		if all[i/64]&(1<<(i%64)) != 0 {
			m.Vehicles++
		}
	}
}

// expand follows the moves of a node that lead nearer to the goals, and returns how
// many there are.
func (w *walk) expand(at int) int {
	state := int(w.nodes[at].state)
	_, to := w.c.Moves(state)
	w.nodes[at].branches = len(to)
	for _, next := range to {
		if w.c.Distance(int(next)) != w.c.Distance(state)-1 {
			continue
		}
		t, err := w.node(next)
		if err != nil {
			continue // cannot be: all states have as many vehicles
		}
		n := &w.nodes[at]
		n.nearer = append(n.nearer, int32(w.at[next]))
		counter, moved := n.counter, n.moved
		if n.scene.counter(&t.scene) {
			counter++
		}
		moved.add(n.scene.moved(&t.scene))
		if t.ways == 0 {
			t.counter, t.moved = counter, moved
		}
		t.counter = min(t.counter, counter)
		for k := range moved {
			t.moved[k] &= moved[k]
		}
		t.ways = min(t.ways+n.ways, SolutionsMax)
	}
	return len(w.nodes[at].nearer)
}

// Numbers returns the measures but Moves and States, the grade first, as a
// sweep.Record holds them.
func (m *Measures) Numbers() []uint64 {
	return []uint64{
		uint64(m.Grade()), m.Solutions, m.Chance, uint64(m.Counter), uint64(m.Forced), uint64(m.ForcedRun), m.Branching, uint64(m.Vehicles),
	}
}

// FromNumbers returns the measures that Numbers gave for a board of that many moves and
// states; false if these numbers are none.
func FromNumbers(moves int, states uint64, n []uint64) (Measures, bool) {
	if len(n) != 8 {
		return Measures{}, false
	}
	m := Measures{
		Moves: moves, States: states, Solutions: n[1], Chance: n[2], Counter: int(n[3]), Forced: int(n[4]), ForcedRun: int(n[5]), Branching: n[6], Vehicles: int(n[7]),
	}
	return m, uint64(m.Grade()) == n[0]
}
