package everystate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// Counts counts what a run has found so far.
type Counts struct {
	// States is the number of distinct states, Generated the number of successors
	// generated to find them, and Duplicates the number of successors that were
	// already known.
	States, Generated, Duplicates int64
	// Goals is the number of goal states.
	Goals int64
	// Unsolvable is the number of states from which no goal can be reached, or -1
	// if goal distances are not known.
	Unsolvable int64
}

// Counts returns the counts of what the run has found so far.
func (r *Run) Counts() Counts {
	h := r.run.History()
	c := Counts{States: h.States(history.Forward), Generated: h.Generated(history.Forward), Goals: h.Goals(), Unsolvable: -1}
	if layers := h.Layers(history.Forward); len(layers) > 0 {
		c.Duplicates = c.Generated - (c.States - layers[0].States) // layer 0 is not generated
	}
	if r.HasGoalDistances() {
		c.Unsolvable = c.States - h.States(r.run.Space().DistancePhase())
	}
	return c
}

// Complete reports whether every reachable state has been found.
func (r *Run) Complete() bool { return r.run.History().End(history.Forward) != nil }

// HasGoalDistances reports whether goal distances are known.
func (r *Run) HasGoalDistances() bool { return r.run.Space().HasDistances() }

// Digest returns 32 hexadecimal digits computed from every state, its depth, the move
// that led to it, and its goal distance where known. Two runs that have found the same
// have the same digest, whatever machines they ran on.
func (r *Run) Digest() string { return r.run.History().Digest().String() }

// Layer counts the states of one layer.
type Layer struct {
	States    int64 // distinct states
	Goals     int64 // goal states among them; 0 in GoalLayers, unless the puzzle is explored from its goals
	Generated int64 // successors, or predecessors, generated to find the layer
}

// Layers returns the layers found so far, in order of depth.
func (r *Run) Layers() []Layer { return r.layers(history.Forward) }

// GoalLayers returns the layers of states at equal goal distance, in order of
// distance, or nil if goal distances are not known.
func (r *Run) GoalLayers() []Layer {
	if !r.HasGoalDistances() {
		return nil
	}
	return r.layers(r.run.Space().DistancePhase())
}

func (r *Run) layers(phase history.Phase) []Layer {
	var all []Layer
	for _, l := range r.run.History().Layers(phase) {
		all = append(all, Layer{States: l.States, Goals: l.Goals, Generated: l.Generated})
	}
	return all
}

// A State is a state and what the run knows about it.
type State struct {
	Key   []uint64
	Depth int // fewest moves from a start
	Goal  bool
	// GoalDistance is the fewest moves to a goal, or -1 if no goal can be reached or
	// goal distances are not known.
	GoalDistance int
	// Move leads to the state from its predecessor, which is at Depth-1. It is
	// meaningless at depth 0.
	Move puzzle.Move
}

// Find finds a state. It returns ErrUnreachable if the run has not found it.
func (r *Run) Find(ctx context.Context, key []uint64) (State, error) {
	s, err := r.spaceFor(ctx, key)
	if err != nil {
		return State{}, err
	}
	place, err := s.Locate(ctx, key)
	if err != nil {
		return State{}, err
	}
	return State{Key: slices.Clone(key), Depth: place.Depth, Goal: place.Goal, GoalDistance: place.GoalDistance, Move: place.Link}, nil
}

// Depth returns the fewest moves from a start to a state, or ErrUnreachable.
func (r *Run) Depth(ctx context.Context, key []uint64) (int, error) {
	s, err := r.Find(ctx, key)
	return s.Depth, err
}

// GoalDistance returns the fewest moves from a state to a goal. It returns
// ErrUnreachable if the run has not found the state, ErrNoGoal if no goal can be
// reached from it, and ErrNoGoalDistances if distances are not known.
func (r *Run) GoalDistance(ctx context.Context, key []uint64) (int, error) {
	s, err := r.Find(ctx, key)
	switch {
	case err != nil:
		return 0, err
	case s.GoalDistance >= 0:
		return s.GoalDistance, nil
	}
	return 0, r.noDistance()
}

// noDistance returns why a state has no goal distance.
func (r *Run) noDistance() error {
	if !r.HasGoalDistances() && r.Board().Puzzle.Layout().HasGoal {
		return ErrNoGoalDistances
	}
	return ErrNoGoal
}

// A Path is a shortest path: Moves[i] leads from States[i] to States[i+1].
type Path struct {
	States [][]uint64
	Moves  []puzzle.Move

	puzzle puzzle.Puzzle
}

// String returns the moves in the puzzle's notation, separated by blanks.
func (p Path) String() string {
	names := make([]string, len(p.Moves))
	for i, m := range p.Moves {
		names[i] = p.puzzle.FormatMove(m)
	}
	return strings.Join(names, " ")
}

// PathTo returns a shortest path from a start to a state, or ErrUnreachable. Every run
// of the board returns the same path.
func (r *Run) PathTo(ctx context.Context, key []uint64) (Path, error) {
	s, err := r.spaceFor(ctx, key)
	if err != nil {
		return Path{}, err
	}
	return pathOf(s)(s.FromStart(ctx, key))
}

// PathToGoal returns a shortest path from a state to a nearest goal: the one whose
// move ids are lexicographically least. Its errors are those of GoalDistance.
func (r *Run) PathToGoal(ctx context.Context, key []uint64) (Path, error) {
	if _, err := r.GoalDistance(ctx, key); err != nil {
		return Path{}, err
	}
	s, err := r.spaceFor(ctx, key)
	if err != nil {
		return Path{}, err
	}
	return pathOf(s)(s.ToGoal(ctx, key))
}

func pathOf(s *query.Space) func(path query.Path, err error) (Path, error) {
	return func(path query.Path, err error) (Path, error) {
		if err != nil {
			return Path{}, err
		}
		return Path{States: path.States, Moves: path.Moves, puzzle: s.Board.Puzzle}, nil
	}
}

// FirstGoal returns the goal state at the least depth, the first by text if there are
// several, or ErrNoGoal if the run has found none.
func (r *Run) FirstGoal(ctx context.Context) ([]uint64, error) {
	s, err := r.space(ctx)
	if err != nil {
		return nil, err
	}
	return s.FirstGoal(ctx)
}

// Hardest describes the states that are farthest from their nearest goal.
type Hardest struct {
	Distance int
	Count    int64      // how many states are that far
	States   [][]uint64 // the first of them, by text
	// Represented is how many states they stand for if symmetric states are merged, else 0.
	Represented int64
}

// Hardest describes the states farthest from their nearest goal and lists the first n
// of them. It returns ErrNoGoal or ErrNoGoalDistances if there are none.
func (r *Run) Hardest(ctx context.Context, n int) (Hardest, error) {
	s, err := r.space(ctx)
	switch {
	case err != nil:
		return Hardest{}, err
	case n < 0:
		return Hardest{}, fmt.Errorf("%d states: must be 0 or more", n)
	case !s.HasDistances():
		return Hardest{}, r.noDistance()
	}
	h, err := s.Hardest(ctx, n)
	return Hardest{Distance: h.Distance, Count: h.Count, States: h.States, Represented: h.Represented}, err
}

// States iterates over all states found so far, in order of depth, with all that is
// known about them. The caller owns each key. An error is the last element.
//
// While it runs, goal distances take one or two bytes per state: in memory, or in a
// temporary file for large runs in directories.
func (r *Run) States(ctx context.Context) iter.Seq2[State, error] {
	return func(yield func(State, error) bool) {
		s, err := r.space(ctx)
		if err == nil {
			err = r.eachState(ctx, s, func(state State) bool { return yield(state, nil) })
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(State{}, err)
		}
	}
}

// errEnough ends an iteration that the caller has broken off.
var errEnough = errors.New("enough")

func (r *Run) eachState(ctx context.Context, s *query.Space, yield func(State) bool) error {
	opts := query.TableOptions{Workers: r.opts.Workers}
	if !r.inMemory {
		opts.Scratch = newScratch
	}
	copied := func(into []State, b *query.Batch) ([]State, error) {
		keys := slices.Clone(b.Keys)
		into = into[:0]
		for i := range b.Len() {
			into = append(into, State{
				Key: keys[i*b.Words : (i+1)*b.Words : (i+1)*b.Words], Depth: int(b.Depths[i]), Goal: b.Goals[i],
				GoalDistance: int(b.GoalDistances[i]), Move: b.Moves[i],
			})
		}
		return into, nil
	}
	return query.Table(ctx, s, opts, copied, func(states []State) error {
		for _, state := range states {
			if !yield(state) {
				return errEnough
			}
		}
		return nil
	})
}

// AtDepth iterates over the keys of the states at a depth. The caller owns each key.
// An error is the last element.
func (r *Run) AtDepth(ctx context.Context, depth int) iter.Seq2[[]uint64, error] {
	return r.keys(ctx, history.Forward, depth, false)
}

// AtGoalDistance iterates over the keys of the states at a goal distance, like
// AtDepth. It yields ErrNoGoalDistances if distances are not known.
func (r *Run) AtGoalDistance(ctx context.Context, distance int) iter.Seq2[[]uint64, error] {
	return r.keys(ctx, r.run.Space().DistancePhase(), distance, true)
}

func (r *Run) keys(ctx context.Context, phase history.Phase, depth int, distances bool) iter.Seq2[[]uint64, error] {
	return func(yield func([]uint64, error) bool) {
		s, err := r.space(ctx)
		if err == nil && distances && !s.HasDistances() {
			err = r.noDistance()
		}
		if err == nil {
			err = s.EachAt(ctx, phase, depth, func(key []uint64) error {
				if !yield(slices.Clone(key), nil) {
					return errEnough
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// space returns the space, or an error if ctx has ended or the run is closed.
func (r *Run) space(ctx context.Context) (*query.Space, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.closed.Load() {
		return nil, ErrClosed
	}
	return r.run.Space(), nil
}

// spaceFor is like space, and also checks that key is a state of the puzzle.
func (r *Run) spaceFor(ctx context.Context, key []uint64) (*query.Space, error) {
	s, err := r.space(ctx)
	if err != nil {
		return nil, err
	}
	if len(key) != s.Scheme.Words() || !s.Board.Puzzle.Valid(key) {
		return nil, fmt.Errorf("%w: the key is not one of this puzzle's states", ErrUnreachable)
	}
	return s, nil
}

type scratch struct{ *os.File }

func newScratch() (query.Scratch, error) {
	file, err := os.CreateTemp("", "everystate-*")
	if err != nil {
		return nil, err
	}
	return scratch{file}, nil
}

// Close removes the file.
func (s scratch) Close() error { return errors.Join(s.File.Close(), os.Remove(s.Name())) }
