// Package rushplan solves Rush Hour by planning, after R. Bird, "Pearls of Functional
// Algorithm Design" (2010). It must never be used when the fewest moves are wanted:
// it finds a path soon, not a short one.
//
// A state carries a plan, a list of steps of one cell to make in order. If the first
// cannot be made, the plan is refined: whatever occupies the cell that it needs must
// first leave, either way, and before that whatever blocks it in turn. A step that is
// already pending is never planned again, so refinement ends.
//
// States that continue a plan are expanded next, in the order in which refinement
// finds them. States reached by any single step, with a new plan for driving the goal
// vehicle out, wait behind all others. As every state is eventually followed by all
// its successors, a solvable board is solved and an unsolvable one is proved
// unsolvable.
package rushplan

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// Plan returns the algorithm.
func Plan() solve.Algorithm {
	return solve.Algorithm{
		Name: "plan", Summary: "planning (R. Bird): a plan for the goal vehicle, refined by clearing the vehicles in its way",
		Families: []string{rushhour.Family}, Solve: plan,
	}
}

// A step drives a vehicle onto a cell of its line.
type step struct {
	vehicle uint16
	cell    int32
}

// A node is a state on the frontier, with how it was reached and its plan.
type node struct {
	state  []uint64
	parent int32 // in solver.steps, -1 of a start
	plan   []step
}

// made is a step that was made on some path.
type made struct {
	parent int32
	move   puzzle.Move
}

// Bounds of the refinements of one state. A plan beyond them is merely not followed:
// ordinary steps find the path.
const (
	plansMax   = 64
	refinesMax = 1 << 12
)

type solver struct {
	*solve.Meter
	game   puzzle.Puzzle
	scene  rushhour.Scene
	byName map[string]puzzle.Move
	moves  [][2]puzzle.Move // by vehicle: one cell back, and forward
	able   [][2]bool        // whether there are such moves

	seen  map[[puzzle.WordsMax]uint64]bool
	steps []made
	front []node // a stack: states that follow a plan
	back  []node // a queue: all other states
	next  int    // of back

	owner   []int16 // by cell: vehicle, or noVehicle or wall
	refines int
	plans   [][]step
}

const (
	empty = -1
	wall  = -2
)

func plan(ctx context.Context, p *solve.Problem) (solve.Result, error) {
	game := p.Board.Puzzle
	starts := p.Start
	if len(starts) == 0 {
		starts = game.Starts()
	}
	scene, ok := rushhour.SceneOf(game, starts)
	if !ok {
		return solve.Result{}, solve.ErrUnsuited
	}
	s := &solver{
		Meter: solve.NewMeter(ctx, p), game: game, scene: scene,
		seen:  map[[puzzle.WordsMax]uint64]bool{},
		owner: make([]int16, scene.Rows*scene.Cols),
	}
	s.findMoves()
	return s.run(starts), nil
}

// findMoves finds the moves by one cell by their names.
func (s *solver) findMoves() {
	s.byName = map[string]puzzle.Move{}
	for id := range s.game.Layout().Moves {
		s.byName[s.game.FormatMove(puzzle.Move(id))] = puzzle.Move(id) // below puzzle.MovesMax
	}
	s.moves = make([][2]puzzle.Move, len(s.scene.Vehicles))
	s.able = make([][2]bool, len(s.scene.Vehicles))
	for i, v := range s.scene.Vehicles {
		s.moves[i][0], s.able[i][0] = s.byName[v.Name+"-1"]
		s.moves[i][1], s.able[i][1] = s.byName[v.Name+"+1"]
	}
}

func (s *solver) run(start []uint64) solve.Result {
	s.front = append(s.front, node{state: start, parent: -1})
	var mark [1]bool
	var edges puzzle.Edges
	words := len(start)
	for {
		n, ok := s.pop()
		if !ok {
			return solve.Result{Outcome: solve.Unsolvable, Stats: s.Stats}
		}
		if s.game.Goals(n.state, mark[:]); mark[0] {
			return solve.Result{Outcome: solve.Solved, Start: start, Moves: s.moveList(n.parent), Stats: s.Stats}
		}
		var key [puzzle.WordsMax]uint64
		copy(key[:], n.state)
		if s.seen[key] {
			continue
		}
		s.seen[key] = true
		s.measure(words)
		if stop := s.Check(); stop != solve.StopNone {
			return solve.Result{Outcome: solve.Unknown, Stop: stop, Stats: s.Stats}
		}
		s.Expanded++
		s.place(n.state)
		if len(n.plan) == 0 {
			n.plan = s.goalPlan()
		}
		s.follow(&n)
		edges.Reset()
		s.game.Successors(n.state, &edges)
		s.Generated += int64(edges.Len())
		for i, move := range edges.Moves {
			s.steps = append(s.steps, made{n.parent, move})
			s.back = append(s.back, node{state: edges.Keys[i*words : (i+1)*words : (i+1)*words], parent: int32(len(s.steps) - 1)})
		}
		edges = puzzle.Edges{} // the nodes keep its keys
	}
}

// pop takes the next state, preferring one that follows its plan.
func (s *solver) pop() (node, bool) {
	if last := len(s.front) - 1; last >= 0 {
		n := s.front[last]
		s.front[last] = node{}
		s.front = s.front[:last]
		return n, true
	}
	if s.next == len(s.back) {
		return node{}, false
	}
	n := s.back[s.next]
	s.back[s.next] = node{}
	s.next++
	return n, true
}

// measure updates the counts.
func (s *solver) measure(words int) {
	const seenBytes, nodeBytes, madeBytes = 2 * (8*puzzle.WordsMax + 1), 64, 8
	waiting := int64(len(s.front) + len(s.back) - s.next)
	s.Frontier = max(s.Frontier, waiting)
	s.Stored = int64(len(s.seen))
	s.MemoryBytes = max(s.MemoryBytes, s.Stored*seenBytes+int64(cap(s.steps))*madeBytes+
		int64(cap(s.front)+cap(s.back))*nodeBytes+waiting*int64(words)*8)
}

// moveList returns the moves to a node. If a vehicle may go any distance in one move,
// consecutive moves of a vehicle in one direction are joined.
func (s *solver) moveList(at int32) []puzzle.Move {
	var moves []puzzle.Move
	for ; at >= 0; at = s.steps[at].parent {
		moves = append(moves, s.steps[at].move)
	}
	slices.Reverse(moves)
	joined := moves[:0]
	for _, move := range moves {
		if last := len(joined) - 1; last >= 0 {
			if both, ok := s.join(joined[last], move); ok {
				joined[last] = both
				continue
			}
		}
		joined = append(joined, move)
	}
	return joined
}

// join returns the single move equivalent to two.
func (s *solver) join(first, second puzzle.Move) (puzzle.Move, bool) {
	a, b := s.game.FormatMove(first), s.game.FormatMove(second)
	i, j := strings.LastIndexAny(a, "+-"), strings.LastIndexAny(b, "+-")
	if i < 0 || j < 0 || a[:i+1] != b[:j+1] {
		return 0, false
	}
	m, err := strconv.Atoi(a[i+1:])
	n, err2 := strconv.Atoi(b[j+1:])
	if err != nil || err2 != nil {
		return 0, false
	}
	both, ok := s.byName[a[:i+1]+strconv.Itoa(m+n)]
	return both, ok
}

// place records what occupies each cell in a state.
func (s *solver) place(state []uint64) {
	scene, _ := rushhour.SceneOf(s.game, state)
	s.scene.Vehicles = scene.Vehicles
	for cell, isWall := range s.scene.Walls {
		s.owner[cell] = empty
		if isWall {
			s.owner[cell] = wall
		}
	}
	for i, v := range scene.Vehicles {
		for n := range v.Length {
			s.owner[v.Cell+n*s.stride(i)] = int16(i)
		}
	}
}

// stride returns the difference between neighbouring cells along a vehicle's line.
func (s *solver) stride(vehicle int) int {
	if s.scene.Vehicles[vehicle].Vertical {
		return s.scene.Cols
	}
	return 1
}

// goalPlan returns the plan to drive the goal vehicle to the exit.
func (s *solver) goalPlan() []step {
	v := s.scene.Vehicles[s.scene.Goal]
	to := s.scene.GoalCell
	if to > v.Cell {
		to += (v.Length - 1) * s.stride(s.scene.Goal)
	}
	return []step{{uint16(s.scene.Goal), int32(to)}}
}

// drive returns the steps of one cell that bring a vehicle onto a cell of its line:
// none if it is there already.
func (s *solver) drive(of step) []step {
	v, stride := s.scene.Vehicles[of.vehicle], s.stride(int(of.vehicle))
	var steps []step
	for at := v.Cell - stride; at >= int(of.cell); at -= stride {
		steps = append(steps, step{of.vehicle, int32(at)})
	}
	for at := v.Cell + v.Length*stride; at <= int(of.cell); at += stride {
		steps = append(steps, step{of.vehicle, int32(at)})
	}
	return steps
}

// follow adds the states that continue a node's plan, ahead of all others.
func (s *solver) follow(n *node) {
	s.refines, s.plans = 0, s.plans[:0]
	s.refine(n.plan)
	for i := len(s.plans) - 1; i >= 0; i-- {
		plan := s.plans[i]
		first, forward := plan[0], 0
		if int(first.cell) > s.scene.Vehicles[first.vehicle].Cell {
			forward = 1
		}
		next := make([]uint64, len(n.state))
		move := s.moves[first.vehicle][forward]
		if !s.able[first.vehicle][forward] || !s.game.Apply(next, n.state, move) {
			continue
		}
		s.Generated++
		s.steps = append(s.steps, made{n.parent, move})
		s.front = append(s.front, node{state: next, parent: int32(len(s.steps) - 1), plan: plan[1:]})
	}
}

// refine finds the plans that begin with a possible step of one cell and end with
// everything planned.
func (s *solver) refine(plan []step) {
	var path []step
	for len(plan) > 0 && len(path) == 0 {
		path, plan = s.drive(plan[0]), plan[1:]
	}
	s.refines++
	if len(path) == 0 || s.refines > refinesMax || len(s.plans) >= plansMax {
		return
	}
	plan = append(path, plan...)
	first := plan[0]
	switch blocker := s.owner[first.cell]; blocker {
	case wall:
	case empty:
		s.plans = append(s.plans, plan)
	default:
		for _, out := range s.escapes(int(blocker), int(first.cell)) {
			if out.cell >= 0 && !slices.Contains(plan, out) {
				s.refine(append([]step{out}, plan...))
			}
		}
	}
}

// escapes returns the two ways out for a vehicle to leave a cell: just far enough back,
// or forward. One that leaves the board has a negative cell.
func (s *solver) escapes(vehicle, cell int) [2]step {
	v, stride := s.scene.Vehicles[vehicle], s.stride(vehicle)
	line, cells := cell/s.scene.Cols*s.scene.Cols, s.scene.Cols // the first cell of the row
	if v.Vertical {
		line, cells = cell%s.scene.Cols, s.scene.Rows
	}
	back, forward := cell-v.Length*stride, cell+v.Length*stride
	if back < line {
		back = -1
	}
	if forward > line+(cells-1)*stride {
		forward = -1
	}
	return [2]step{{uint16(vehicle), int32(back)}, {uint16(vehicle), int32(forward)}}
}
