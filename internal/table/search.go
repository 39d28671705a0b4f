package table

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
)

// Layer describes a layer.
type Layer struct {
	Depth     uint32
	States    int64
	Generated int64 // successors generated to find it
	Goals     int64 // 0 unless they were asked for
	// Represented is how many states these stand for in the phase from the starts, 0 unless
	// symmetric states are merged.
	Represented int64
	Digest      digest.Digest
	PartStates  []int64
}

// Search generates one layer after another. It is not safe for concurrent use.
type Search interface {
	// Begin makes layer 0 from the given states.
	Begin(keys []uint64) (Layer, error)

	// Next generates the next layer, which is empty if all states have been found. On an
	// error, it leaves the table as it was.
	Next(ctx context.Context) (Layer, error)

	// Depth returns the depth of the last layer, Edges how many successors it has.
	Depth() uint32
	Edges() int64

	// Each calls f with the keys of all states of the last layer, some at a time, and
	// their links. f must not retain them.
	Each(f func(keys []uint64, link func(i int) puzzle.Move)) error

	// Tell makes Next tell its progress: to expanded it adds up to the states of the last
	// layer, frontier, by the share of the table that it has seen to, and to found the
	// states of the next layer.
	Tell(frontier int64, expanded, found *atomic.Int64)

	// Save makes Next save what has been done of a layer: it asks pause now and then, from
	// any of its goroutines, whether it is time, and calls save with no work going on. If it
	// is stopped it calls save as well.
	Save(pause func() bool, save func(part Part) error)
}

// InMemory is a Search of a table in memory.
type InMemory interface {
	Search

	// Resume continues after a layer, given only the table.
	Resume(depth uint32, edges int64)

	// ResumeWithin is Resume where a part of the next layer has been made. Each must not be
	// called of that one.
	ResumeWithin(depth uint32, edges int64, part Part)

	// Withdraw removes the last layer from the table. The search is unusable afterwards.
	Withdraw()
}

// GoalSearch is a Search that finds goals by itself.
type GoalSearch interface {
	Search

	// BeginGoals makes layer 0 from the goals among the states of another table.
	BeginGoals(ctx context.Context, among *Table) (Layer, error)
}

// NewSearch returns a search that fills an empty table. Phase 1 begins at the starts, 2 at
// the goals.
func NewSearch(t *Table, phase uint8, countGoals bool, workers int) InMemory {
	if t.space.expands() {
		return newNumbered(t, phase, countGoals, workers)
	}
	return newPasses(t, phase, countGoals, workers)
}

// NewSearchWithin returns a search that fills an empty table from the goals of a space that
// is not reversible, among the states of the table of the starts.
func NewSearchWithin(t, within *Table, workers int) InMemory {
	s := newPasses(t, FromGoals, false, workers)
	s.within = within
	return s
}

// expands reports whether moves are made state by state.
func (s *Space) expands() bool { return s.numbers != nil && s.flips == nil }

// NewReplay returns a search that walks through the layers of a filled table, which it
// does not change. It counts only states, unless counted is set.
func NewReplay(t *Table, phase uint8, counted, countGoals bool, workers int) InMemory {
	if t.space.expands() {
		s := newNumbered(t, phase, counted && countGoals, workers)
		s.replay, s.counted, s.notedMax = true, counted, notedReplay
		return s
	}
	s := newPasses(t, phase, counted && countGoals, workers)
	s.replay, s.counted = true, counted
	return s
}

// passes is a Search of a space with puzzle.Ranks, or of one whose moves flip bits of numbers:
// a pass over the table for each layer.
type passes struct {
	table *Table
	// phase is the phase in digests, origin the colour of layer 0 in it.
	phase   uint8
	origin  uint8
	workers int
	// goals enables counting goals: by asking the puzzle, unless it lists them.
	goals  bool
	listed []place

	// replay walks through the layers of a filled table; counted also counts what is
	// in them.
	replay, counted bool

	depth uint32
	edges int64 // successors of the last layer

	// The last layer, and the one being generated: the items of each block, and their
	// number. Items of a block with number 0 are meaningless. The two are one where
	// layers have a colour.
	front, next   []uint64
	counts, fresh []uint32
	busy          int // blocks that hold states of the last layer
	// touched are these blocks, if they are few; otherwise it has touchedMax or more.
	touched []int32

	crew []*worker

	// Where moves flip bits: the moves, and a bit for each word of the last layer, and of
	// the one being generated, that has states.
	flips                    []flip
	busyWords, nextBusyWords []uint64
	// resumed means that the last layer is known by its code alone, so that other states
	// may be taken for its own. The number of its successors is then the one recorded.
	resumed bool
	// within are the states among which this phase stays, or nil for all.
	within *Table

	Saving
	Told
	begun Part  // of the next layer, or, in finish, of the one made
	chunk int64 // blocks that a worker takes at a time
}

// touchedMax is how many blocks that hold states are listed, so that a small layer is
// read without going through all blocks.
const touchedMax = 1 << 12

// place is the location of a state's bits.
type place struct {
	block, word int
	bit         uint64
}

func newPasses(t *Table, phase uint8, countGoals bool, workers int) *passes {
	s := &passes{table: t, phase: phase, origin: t.space.originColour(phase), workers: workers, chunk: chunkBlocks}
	s.listed, s.goals = t.space.listedGoals(countGoals)
	s.make()
	return s
}

// ListedGoals returns the goals if they are to be counted and the puzzle lists a few, and
// otherwise whether it is to be asked for each state.
func (s *Space) ListedGoals(count bool) (goals []uint64, ask bool) {
	const fewGoals = 1 << 12
	ended, ok := s.Puzzle.(puzzle.GoalLister)
	if !ok || !count {
		return nil, count
	}
	if goals = ended.GoalStates(); len(goals) > fewGoals {
		return nil, true
	}
	return goals, false
}

// listedGoals is ListedGoals with the locations of the goals.
func (s *Space) listedGoals(count bool) (at []place, ask bool) {
	goals, ask := s.ListedGoals(count)
	for _, key := range goals {
		if goal, ok := s.place(key); ok {
			at = append(at, goal)
		}
	}
	return at, ask
}

// place returns the location of a state's bits, and false if it has no rank.
func (s *Space) place(key uint64) (place, bool) {
	block, item, ok := s.Ranks.Rank(key)
	return place{block, block*s.words + int(item)/wordBits, 1 << (item % wordBits)}, ok
}

func (s *passes) make() {
	n := len(s.table.low)
	blocks := s.table.space.Ranks.Blocks
	s.front = make([]uint64, n)
	if s.next = s.front; s.origin == noColour {
		s.next = make([]uint64, n)
	}
	s.counts, s.fresh = make([]uint32, blocks), make([]uint32, blocks)
	if moves := s.table.space.flips; moves != nil {
		s.flips = newFlips(moves, s.table.space.Ranks.Size, s.table.homeward)
		groups := groupsOf(s.table.space.words) * blocks
		s.busyWords, s.nextBusyWords = make([]uint64, groups), make([]uint64, groups)
	}
	for range s.workers {
		s.crew = append(s.crew, newWorker(s))
	}
}

var (
	// ErrNoRank reports a start that has no rank.
	ErrNoRank = errors.New("a start state has no rank in the table")

	errOrigins = errors.New("the states of layer 0 of the table are not the starts of the puzzle")
)

// Begin makes layer 0 from the given states.
func (s *passes) Begin(keys []uint64) (Layer, error) {
	space := s.table.space
	h := s.crew[0]
	h.reset(0)
	s.busy, s.touched = 0, s.touched[:0]
	clear(s.counts)
	s.depth, s.edges, s.resumed = 0, 0, false
	for _, key := range keys {
		block, item, ok := space.Ranks.Rank(key)
		if !ok {
			return Layer{}, ErrNoRank
		}
		if s.origin != noColour && space.colours[block] != s.origin {
			return Layer{}, errOrigins
		}
		at, _ := space.place(key)
		if s.counts[block] == 0 {
			clear(s.front[block*space.words : (block+1)*space.words])
			s.busy++
			s.touched = append(s.touched, int32(block))
		} else if s.front[at.word]&at.bit != 0 {
			continue
		}
		s.front[at.word] |= at.bit
		s.counts[block]++
		if !s.replay {
			s.table.mark(at.word, at.bit, codeOf(0))
		}
		h.clear()
		h.items[0], h.found = item, 1
		h.link(0)
		h.account(block)
	}
	l := s.finish()
	s.setBusyWords()
	return l, nil
}

// Resume continues after a layer, given only the table. Older states with that
// layer's code do no harm: they have no unseen successors.
func (s *passes) Resume(depth uint32, edges int64) {
	space := s.table.space
	s.depth, s.edges, s.busy, s.touched, s.resumed = depth, edges, 0, s.touched[:0], true
	colour := s.origin
	if colour != noColour && depth%2 == 1 {
		colour = other(colour)
	}
	for block := range space.Ranks.Blocks {
		s.counts[block] = 0
		if colour != noColour && space.colours[block] != colour {
			continue // the same code, three layers or an odd number of times three before
		}
		for w := block * space.words; w < (block+1)*space.words; w++ {
			s.front[w] = s.table.with(w, codeOf(depth))
			s.counts[block] += uint32(bits.OnesCount64(s.front[w]))
		}
		if s.counts[block] > 0 {
			s.busy++
			s.touched = append(s.touched, int32(block))
		}
	}
	s.setBusyWords()
}

// Depth returns the depth of the last layer.
func (s *passes) Depth() uint32 { return s.depth }

// Each calls f with the keys and links of the states of the last layer.
func (s *passes) Each(f func(keys []uint64, link func(i int) puzzle.Move)) error {
	words, items := s.table.space.words, make([]uint16, 0, s.table.space.Ranks.Size)
	images := s.table.Images(f)
	s.eachBusy(func(block int) {
		items = items[:0]
		for i, word := range s.front[block*words : (block+1)*words] {
			for ; word != 0; word &= word - 1 {
				items = append(items, uint16(i*wordBits+bits.TrailingZeros64(word)))
			}
		}
		images(block, items)
	})
	return nil
}

// eachBusy calls f with each block that holds states of the last layer, in any order.
func (s *passes) eachBusy(f func(block int)) {
	if len(s.touched) < touchedMax {
		for _, block := range s.touched {
			f(int(block))
		}
		return
	}
	for block, n := range s.counts {
		if n > 0 {
			f(block)
		}
	}
}

// Edges returns how many successors the last layer has.
func (s *passes) Edges() int64 {
	if s.flips != nil && !s.resumed {
		return s.flipEdges()
	}
	return s.edges
}

// chunkBlocks is how many blocks a worker takes at a time.
const chunkBlocks = 32

// Next generates the next layer, which is empty if all states have been found. On an
// error, it leaves the table as it was.
func (s *passes) Next(ctx context.Context) (Layer, error) {
	edges := s.edges
	s.depth++
	blocks := s.table.space.Ranks.Blocks
	targets := s.targets()
	if targets != nil {
		blocks = len(targets)
	}
	clear(s.fresh)
	for _, h := range s.crew {
		h.reset(s.depth)
	}
	done := s.resumePart()
	if targets != nil {
		done, _ = slices.BinarySearch(targets, int32(done))
	}
	var err error
	for done < blocks && err == nil {
		if done = s.pass(ctx, targets, done, blocks); done < blocks && s.Keep != nil {
			block := done
			if targets != nil {
				block = int(targets[done])
			}
			err = s.Keep(s.part(block))
		}
		err = cmp.Or(err, ctx.Err())
	}
	if err == nil {
		err = puzzle.Err(s.table.space.Puzzle)
	}
	if err != nil {
		s.undo()
		return Layer{}, err
	}
	s.front, s.next = s.next, s.front
	s.counts, s.fresh = s.fresh, s.counts
	s.busyWords, s.nextBusyWords = s.nextBusyWords, s.busyWords
	l := s.finish()
	if l.Generated = edges; s.flips != nil && !s.resumed {
		l.Generated = s.edges
	}
	s.resumed = false
	if s.begun.Words > 0 && s.flips != nil {
		// The last layer is known by its code alone where it had been made before.
		s.edges, s.resumed = s.begun.Edges+s.flipEdgesOf(s.front, s.busyWords, s.counts, s.firstBlock(), len(s.counts)), true
	}
	s.begun = Part{}
	return l, nil
}

// pass goes through blocks, or targets, from one on, until all are done, it is stopped or
// it is time to save. It returns how many are done.
func (s *passes) pass(ctx context.Context, targets []int32, from, blocks int) int {
	var (
		wait sync.WaitGroup
		stop atomic.Bool
	)
	next := int64(from)
	for _, h := range s.crew {
		wait.Go(func() {
			for ctx.Err() == nil && !stop.Load() {
				first := int(atomic.AddInt64(&next, s.chunk) - s.chunk)
				last := min(first+int(s.chunk), blocks)
				if first >= blocks {
					return
				}
				states := h.states
				for i := first; i < last; i++ {
					block := i
					if targets != nil {
						block = int(targets[i])
					}
					h.block(block)
				}
				s.Blocks(first, last, blocks, h.states-states)
				if s.Pause != nil && s.Pause() {
					stop.Store(true)
				}
			}
		})
	}
	wait.Wait()
	return min(int(next), blocks)
}

// firstBlock returns the first block that had not been done of a layer that was resumed.
func (s *passes) firstBlock() int { return int(s.begun.Words) / s.table.space.words }

// ResumeWithin continues after a layer, of the next of which a part has been made.
func (s *passes) ResumeWithin(depth uint32, edges int64, part Part) {
	s.Resume(depth, edges)
	s.begun = part
}

// resumePart adds what had been made of the layer before, and returns the first block that
// had not been done. Older states with the layer's code do no harm, as in Resume.
func (s *passes) resumePart() int {
	space, first := s.table.space, s.firstBlock()
	if s.begun.Words == 0 {
		return 0
	}
	h := s.crew[0]
	h.states, h.goals, h.digest = s.begun.States, s.begun.Goals, s.begun.Digest
	if s.flips == nil {
		h.edges = s.begun.Edges
	}
	copy(h.parts, s.begun.PartStates)
	colour := s.origin
	if colour != noColour && s.depth%2 == 1 {
		colour = other(colour)
	}
	for block := range first {
		if colour != noColour && space.colours[block] != colour {
			continue
		}
		next := s.next[block*space.words:][:space.words]
		for i := range next {
			next[i] = s.table.with(block*space.words+i, codeOf(s.depth))
			s.fresh[block] += uint32(bits.OnesCount64(next[i]))
		}
		if s.fresh[block] == 0 {
			continue
		}
		if h.busy++; len(h.touched) < touchedMax {
			h.touched = append(h.touched, int32(block))
		}
		if s.flips != nil {
			busyOf(s.nextBusyWords, block, next)
		}
	}
	return first
}

// part returns what has been made of the layer, of the blocks below one.
func (s *passes) part(block int) Part {
	p := Part{Words: int64(block * s.table.space.words), PartStates: make([]int64, s.table.space.Scheme.Partitions())}
	for _, h := range s.crew {
		p.Add(&Part{States: h.states, Goals: h.goals, Edges: h.edges, Digest: h.digest, PartStates: h.parts})
	}
	for _, at := range s.listed {
		if int64(at.word) >= s.begun.Words && int64(at.word) < p.Words && s.fresh[at.block] > 0 && s.next[at.word]&at.bit != 0 {
			p.Goals++
		}
	}
	if s.flips != nil {
		p.Edges = s.begun.Edges + s.flipEdgesOf(s.next, s.nextBusyWords, s.fresh, s.firstBlock(), block)
	}
	return p
}

// undo discards what was found of the next layer.
func (s *passes) undo() {
	s.depth--
	clear(s.fresh[:s.firstBlock()])
	s.erase(s.fresh, s.next)
}

// Withdraw removes the last layer from the table. The search is unusable afterwards.
func (s *passes) Withdraw() { s.erase(s.counts, s.front) }

// erase marks the states of a layer as unseen.
func (s *passes) erase(counts []uint32, layer []uint64) {
	if s.replay {
		return
	}
	words := s.table.space.words
	for block, n := range counts {
		if n == 0 {
			continue
		}
		for w := block * words; w < (block+1)*words; w++ {
			s.table.low[w] &^= layer[w]
			s.table.high[w] &^= layer[w]
		}
	}
}

// targets lists, in order, the blocks that the last layer leads to, if they are few;
// otherwise it returns nil, meaning all.
func (s *passes) targets() []int32 {
	r := s.table.space.Ranks
	const few = 8
	if s.busy*(len(r.Actions)+len(s.flips)) > r.Blocks/few {
		return nil
	}
	targets := []int32{}
	s.eachBusy(func(block int) {
		targets = s.flipTargets(targets, block)
		for i := range r.Actions {
			if to := r.Actions[i].Blocks[block]; to >= 0 {
				targets = append(targets, to)
			}
		}
	})
	slices.Sort(targets)
	return slices.Compact(targets)
}

// finish adds up the findings of the workers.
func (s *passes) finish() Layer {
	l := Layer{Depth: s.depth, PartStates: make([]int64, s.table.space.Scheme.Partitions())}
	s.edges, s.busy = 0, 0
	if s.depth > 0 {
		s.touched = s.touched[:0]
	}
	for _, h := range s.crew {
		l.States += h.states
		l.Goals += h.goals
		l.Represented += h.represented
		l.Digest.Add(h.digest)
		for i, n := range h.parts {
			l.PartStates[i] += n
		}
		s.edges += h.edges
		s.busy += h.busy
		s.touched = append(s.touched, h.touched...)
		h.reset(0)
	}
	for _, at := range s.listed {
		if int64(at.word) >= s.begun.Words && s.counts[at.block] > 0 && s.front[at.word]&at.bit != 0 {
			l.Goals++
		}
	}
	return l
}
