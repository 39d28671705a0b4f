// Package query answers questions about the space that a run has enumerated: where a
// state is, how to get there and from there to a goal, and which states are hardest;
// it also lists all states as a table.
//
// It must never read any but committed layers, through the Records that it is given,
// nor change anything. A Space is safe for concurrent use if its Records are.
package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// Cursor reads partitions of a layer a block at a time.
type Cursor interface {
	// Next returns records of a partition, sorted and valid until the next call; none
	// at the end. An empty partition may be skipped.
	Next() (partition.ID, []uint64, error)

	// Close may be called at any time, and ends all pending work.
	Close() error
}

// Records gives access to the records of committed layers.
type Records interface {
	// Find looks up the record with the key of rec in a partition of a layer, and
	// appends it to dst.
	Find(ctx context.Context, layer history.Layer, part partition.ID, rec, dst []uint64) ([]uint64, bool, error)

	// Cursor reads partitions of a layer, at least one, in increasing order. If
	// records are remote, asking for many partitions at once waits only once. The
	// context must last until the cursor is closed.
	Cursor(ctx context.Context, layer history.Layer, parts []partition.ID) (Cursor, error)
}

// Space is the space of a run, as far as it has been explored.
type Space struct {
	Board   puzzle.Board
	Scheme  partition.Scheme
	History *history.History
	Records Records

	// Searching, if not nil, is told which part of a path that is searched again has
	// been found, in moves.
	Searching func(part float64)

	// searchStatesMax replaces the bound of again, for tests. Zero means none.
	searchStatesMax int
}

var (
	// ErrUnreachable reports a state that cannot be reached from the start, or that
	// an incomplete run has not reached yet.
	ErrUnreachable = errors.New("not reachable")
	// ErrNoGoal reports that no goal can be reached from a state, or that the space
	// has none.
	ErrNoGoal = errors.New("no goal can be reached")
	// ErrNoDistances reports that the run has not computed goal distances.
	ErrNoDistances = errors.New("goal distances have not been computed")
)

// Place is the location of a state in the space.
type Place struct {
	Depth int
	// Link is the move that leads to the state from its predecessor; it is
	// meaningless at depth 0.
	Link puzzle.Move
	Goal bool
	// GoalDistance is the fewest moves to a goal, or -1 if no goal can be reached or
	// distances are unknown.
	GoalDistance int
}

// Locate finds a state. It returns ErrUnreachable if the run has not found it.
func (s *Space) Locate(ctx context.Context, key []uint64) (Place, error) {
	return LocateNear(ctx, s, key, Place{Depth: -1, GoalDistance: -1})
}

// LocateNear is Locate for a state near a place: it is looked for there first, which in a
// space of many layers takes far less time. A depth or distance of -1 is not known.
func LocateNear(ctx context.Context, s *Space, key []uint64, near Place) (Place, error) {
	key = puzzle.Represent(s.Board.Puzzle, key)
	depth, link, err := s.find(ctx, history.Forward, key, near.Depth)
	if err != nil {
		return Place{}, err
	}
	if depth < 0 {
		return Place{}, ErrUnreachable
	}
	distance := -1
	switch {
	case s.DistancePhase() == history.Goal:
		if distance, _, err = s.find(ctx, history.Goal, key, near.GoalDistance); err != nil {
			return Place{}, err
		}
	case s.HasDistances():
		distance = depth
	}
	marks := []bool{false}
	s.Board.Puzzle.Goals(key, marks)
	return Place{Depth: depth, Link: link, Goal: marks[0], GoalDistance: distance}, s.puzzleErrOr(nil)
}

// puzzleErrOr returns the puzzle's own failure, which makes its answers unreliable, or
// else err, an error found by means of them.
func (s *Space) puzzleErrOr(err error) error {
	if failure := puzzle.Err(s.Board.Puzzle); failure != nil {
		return failure
	}
	return err
}

// find returns the layer of a phase that holds a state, or -1, and the state's link.
// It searches outwards from layer near or, if near is -1, from where most states are.
// As a state is in one layer only, the order affects only the time.
func (s *Space) find(ctx context.Context, phase history.Phase, key []uint64, near int) (int, puzzle.Move, error) {
	if all := s.History.Layers(phase); near >= 0 && near < len(all) {
		// In nearly every case, and in a deep space the others take long to sort.
		for _, d := range []int{near, near + 1, near - 1} {
			if d < 0 || d >= len(all) || s.History.Dropped(all[d]) {
				continue
			}
			if link, ok, err := s.findIn(ctx, all[d], key); err != nil || ok {
				return d, link, err
			}
		}
	}
	part := s.Scheme.Record(make([]uint64, s.Scheme.Stride()), key, 0)
	var layers, dropped []history.Layer
	for _, layer := range s.History.Layers(phase) {
		switch {
		case layer.PartStates[part] == 0:
		case s.History.Dropped(layer):
			dropped = append(dropped, layer)
		default:
			layers = append(layers, layer)
		}
	}
	if len(dropped) > 0 && isStart(s, key) {
		return 0, 0, nil
	}
	if layer, at, ok := sampled(dropped, key); ok {
		return int(layer.Depth), at.Move, nil
	}
	slices.SortStableFunc(layers, func(a, b history.Layer) int {
		if near >= 0 {
			return cmp.Compare(depthGap(a, near), depthGap(b, near))
		}
		return cmp.Compare(b.PartStates[part], a.PartStates[part])
	})
	// One at a time where the state is likely to be; the rest concurrently.
	const likely = 4
	for i, layer := range layers {
		if i == likely {
			depth, link, err := s.findInAny(ctx, layers[i:], key)
			if depth < 0 && err == nil && mayHaveDropped(dropped) {
				err = droppedAt(s, -1)
			}
			return depth, link, err
		}
		link, ok, err := s.findIn(ctx, layer, key)
		if err != nil || ok {
			return int(layer.Depth), link, err
		}
	}
	if mayHaveDropped(dropped) {
		return -1, 0, droppedAt(s, -1)
	}
	return -1, 0, nil
}

// depthGap returns the distance between a layer and a depth.
func depthGap(layer history.Layer, depth int) int {
	if d := int(layer.Depth) - depth; d > 0 {
		return d
	}
	return depth - int(layer.Depth)
}

// findInAny looks for a state in several layers concurrently: each look-up waits for
// the disk, or for another machine.
func (s *Space) findInAny(ctx context.Context, layers []history.Layer, key []uint64) (int, puzzle.Move, error) {
	const lookUpsMax = 8
	var (
		wait sync.WaitGroup
		next atomic.Int64

		mu    sync.Mutex // guards what follows
		depth = -1
		move  puzzle.Move
		fault error
	)
	for range min(lookUpsMax, len(layers)) {
		wait.Go(func() {
			for {
				i := int(next.Add(1) - 1)
				if i >= len(layers) {
					return
				}
				link, ok, err := s.findIn(ctx, layers[i], key)
				if !ok && err == nil {
					continue
				}
				next.Store(int64(len(layers)))
				mu.Lock()
				if ok {
					depth, move = int(layers[i].Depth), link
				} else {
					fault = err
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return depth, move, fault
}

func (s *Space) findIn(ctx context.Context, layer history.Layer, key []uint64) (puzzle.Move, bool, error) {
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	rec := make([]uint64, s.Scheme.Stride())
	part := s.Scheme.Record(rec, key, 0)
	if layer.PartStates[part] == 0 {
		return 0, false, nil
	}
	if s.History.Dropped(layer) {
		return 0, false, droppedAt(s, int(layer.Depth))
	}
	found, ok, err := s.Records.Find(ctx, layer, part, rec, nil)
	if err != nil || !ok {
		return 0, false, err
	}
	return s.Scheme.Move(found), true, nil
}

// Complete reports whether every reachable state has been found.
func (s *Space) Complete() bool { return s.History.End(history.Forward) != nil }

// HasDistances reports whether goal distances are known.
func (s *Space) HasDistances() bool { return s.History.End(s.DistancePhase()) != nil }

// DistancePhase returns the phase whose depths are goal distances.
func (s *Space) DistancePhase() history.Phase { return s.History.DistancePhase(s.Board.Puzzle) }

// distanceLayers returns the layers by goal distance.
func (s *Space) distanceLayers() []history.Layer { return s.History.Layers(s.DistancePhase()) }

// GoalLayers returns the number of states at each goal distance, nil if distances are
// unknown.
func (s *Space) GoalLayers() []int64 {
	if !s.HasDistances() {
		return nil
	}
	counts := make([]int64, 0, len(s.distanceLayers()))
	for _, l := range s.distanceLayers() {
		counts = append(counts, l.States)
	}
	return counts
}

// Edges appends the successors of a state: if the run merges symmetric states, its true
// ones, which need not be representatives.
func (s *Space) Edges(key []uint64, out *puzzle.Edges) {
	m, merged := s.Board.Puzzle.(puzzle.Merged)
	if !merged {
		s.Board.Puzzle.Successors(key, out)
		return
	}
	at := len(out.Moves)
	m.Unmerged().Successors(key, out)
	for i := at; i < len(out.Moves); i++ {
		out.Moves[i] = m.Plain(out.Moves[i])
	}
}

// Neighbour is a state one move away.
type Neighbour struct {
	State []uint64
	Move  puzzle.Move
	Place Place
	// Known is false if the run has not found the state, as happens at the edge of an
	// incomplete run, or has dropped the layer that it may be in.
	Known bool
}

// Successors returns the successors of a state and their places. place is the place
// of the state itself: its successors are in nearby layers, so they are looked up
// there first. A state in which the puzzle fails has none: see [puzzle.ErrAt].
func (s *Space) Successors(ctx context.Context, key []uint64, place Place) ([]Neighbour, error) {
	if puzzle.ErrAt(s.Board.Puzzle, key) != nil {
		return nil, nil //nolint:nilerr // a run does not go on from there
	}
	var edges puzzle.Edges
	s.Edges(key, &edges)
	if err := s.puzzleErrOr(nil); err != nil {
		return nil, err
	}
	words := s.Scheme.Words()
	var all []Neighbour
	for i, move := range edges.Moves {
		n := Neighbour{State: edges.Keys[i*words : (i+1)*words], Move: move}
		at, err := LocateNear(ctx, s, n.State, place)
		switch {
		case err == nil:
			n.Place, n.Known = at, true
		case !errors.Is(err, ErrUnreachable) && !IsDropped(err):
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// FirstFailure returns the failure of the puzzle in the first stored state of the last
// layer in which it fails, or nil if it does not, cannot tell, or the layer cannot be
// read.
func (s *Space) FirstFailure(ctx context.Context) error {
	all := s.History.Layers(history.Forward)
	if _, ok := puzzle.Unmerged(s.Board.Puzzle).(puzzle.Foreseeing); !ok || len(all) == 0 {
		return nil
	}
	err := s.eachState(ctx, all[len(all)-1], func(key []uint64, _ puzzle.Move) error { return puzzle.ErrAt(s.Board.Puzzle, key) })
	if failure := new(puzzle.FailureError); errors.As(err, &failure) {
		return failure
	}
	return nil
}

// eachState calls f with every state of a layer and its link, partition by partition
// in increasing order of the mixed keys. f must not retain the slice.
func (s *Space) eachState(ctx context.Context, layer history.Layer, f func(key []uint64, link puzzle.Move) error) error {
	return s.eachStateOf(ctx, layer, s.allParts(), f)
}

// eachStateOf is eachState for some partitions.
func (s *Space) eachStateOf(ctx context.Context, layer history.Layer, parts []partition.ID, f func(key []uint64, link puzzle.Move) error) error {
	words, stride := s.Scheme.Words(), s.Scheme.Stride()
	var keys []uint64
	return s.eachBlock(ctx, layer, parts, func(part partition.ID, recs []uint64) error {
		keys = s.Scheme.Keys(keys[:0], part, recs)
		for i := 0; i*stride < len(recs); i++ {
			if err := f(keys[i*words:(i+1)*words], s.Scheme.Move(recs[i*stride:])); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachBlock calls f with the blocks of partitions of a layer, and checks that they
// hold as many states as were committed.
func (s *Space) eachBlock(ctx context.Context, layer history.Layer, parts []partition.ID, f func(part partition.ID, recs []uint64) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.History.Dropped(layer) {
		return droppedAt(s, int(layer.Depth))
	}
	var there []partition.ID
	for _, part := range parts {
		if layer.PartStates[part] > 0 {
			there = append(there, part)
		}
	}
	if len(there) == 0 {
		return nil
	}
	c, err := s.Records.Cursor(ctx, layer, there)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	states := make(map[partition.ID]int64, len(there))
	damaged := func(part partition.ID) error {
		return fmt.Errorf("%v layer %d: partition %d has %d states, %d were committed: the run is damaged",
			layer.Phase, layer.Depth, part, states[part], layer.PartStates[part])
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, recs, err := c.Next()
		if err != nil {
			return fmt.Errorf("read %v layer %d: %w", layer.Phase, layer.Depth, err)
		}
		if len(recs) == 0 {
			break
		}
		if states[part] += int64(len(recs) / s.Scheme.Stride()); states[part] > layer.PartStates[part] {
			return damaged(part)
		}
		if err := f(part, recs); err != nil {
			return err
		}
	}
	for _, part := range there {
		if states[part] != layer.PartStates[part] {
			return damaged(part)
		}
	}
	return nil
}
