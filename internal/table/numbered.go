package table

import (
	"cmp"
	"context"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/everystate/everystate/puzzle"
)

// numbered is a Search of a space with a puzzle.ExpandNumbering. The numbers are divided into
// ranges. A state's successors become candidates, each in the bucket of its range. The next
// layer is made range by range: candidates that are not yet in the table are, and at once
// the states found are expanded into the buckets of the layer after that. So a state is
// looked at once, what is at random in memory is only the range at hand, and no two workers
// write to the same words.
//
// Candidates have a budget. Those of the last ranges are not kept if it is exceeded; once
// the others are done, they are made again from the layer before.
type numbered struct {
	table   *Table
	numbers puzzle.ExpandNumbering
	phase   uint8
	goals   bool
	listed  []place

	replay, counted bool
	notedMax        int64

	rangeBits uint // of a number's place in its range
	ranges    int
	few       int64 // candidates that one worker sees to alone

	depth uint32
	edges int64

	Saving
	Told
	begun Part // of the next layer, or, in finish, of the one made

	// The last layer and the one being made: a bit for each number, and a bit for each
	// word that has any.
	front, next         []uint64
	frontBusy, nextBusy []uint64
	settled             []bool // by range, of the layer being made

	heap  heap
	limit [2]atomic.Int64 // by generation: the first range whose candidates are not kept
	floor [2]int64        // by generation: the last range before those that are kept
	crew  []*scout
}

// generation returns where the candidates for a layer are.
func generation(depth uint32) int { return int(depth & 1) }

const (
	// rangesMax is how many ranges there are at most, unless they would be too large.
	rangesMax    = 1 << 10
	rangeBitsMin = 14
)

// rangeBitsOf returns how many bits a number's place in its range has, and false if a
// candidate has no room for it.
func rangeBitsOf(count uint64, moves int) (uint, bool) {
	n := uint(rangeBitsMin)
	for n < placeBits && count>>n > rangesMax {
		n++
	}
	return n, moves <= noLink && count>>n <= 1<<16
}

func newNumbered(t *Table, phase uint8, countGoals bool, workers int) *numbered {
	space := t.space
	count := space.numbers.Count()
	numbers, _ := space.numbers.(puzzle.ExpandNumbering)
	s := &numbered{table: t, numbers: numbers, phase: phase, notedMax: notedMax}
	s.listed, s.goals = space.listedGoals(countGoals)
	s.rangeBits, _ = rangeBitsOf(count, space.Puzzle.Layout().Moves)
	s.ranges = int((count + 1<<s.rangeBits - 1) >> s.rangeBits)
	s.few = 1 << 12
	n := len(t.low)
	s.front, s.next = make([]uint64, n), make([]uint64, n)
	s.frontBusy, s.nextBusy = make([]uint64, n/wordBits+1), make([]uint64, n/wordBits+1)
	s.settled = make([]bool, s.ranges)
	s.heap.max = max(space.candidateBytes/2, chunkBytes*int64(workers)*16)
	for range workers {
		s.crew = append(s.crew, newScout(s))
	}
	return s
}

// Begin makes layer 0 from the given states.
func (s *numbered) Begin(keys []uint64) (Layer, error) {
	clear(s.front)
	clear(s.frontBusy)
	for _, key := range keys {
		number, ok := s.numbers.Number(key)
		if !ok {
			return Layer{}, ErrNoRank
		}
		w := number / wordBits
		s.front[w] |= 1 << (number % wordBits)
		s.frontBusy[w/wordBits] |= 1 << (w % wordBits)
	}
	if !s.replay {
		eachBusyWord(s.frontBusy, 0, len(s.front), func(w int) { s.table.mark(w, s.front[w], codeOf(0)) })
	}
	return s.beginAtFront(context.Background(), int64(len(keys)))
}

// beginAtFront goes through layer 0, which has about so many states.
func (s *numbered) beginAtFront(ctx context.Context, states int64) (Layer, error) {
	s.depth, s.edges = 0, 0
	s.restart()
	s.limit[1].Store(int64(s.ranges))
	s.floor[1] = 0
	for _, h := range s.crew {
		h.begin(0)
		h.found[1].limit = s.ranges
	}
	s.eachOfFront(ctx, states, (*scout).visitFirst)
	s.dropFrom(1)
	return s.finish(), ctx.Err()
}

// eachOfFront has workers call f with the numbers of the last layer, some at a time and in
// order; there are about so many.
func (s *numbered) eachOfFront(ctx context.Context, states int64, f func(h *scout, numbers []uint64)) {
	s.eachStretch(ctx, states, func(h *scout, first, end int) {
		h.numbers = h.numbers[:0]
		eachBusyWord(s.frontBusy, first, end, func(w int) {
			for word := s.front[w]; word != 0; word &= word - 1 {
				h.numbers = append(h.numbers, uint64(w*wordBits+bits.TrailingZeros64(word)))
			}
			if len(h.numbers) > batchNumbers {
				f(h, h.numbers)
				h.numbers = h.numbers[:0]
			}
		})
		f(h, h.numbers)
	})
}

// eachStretch has workers call f with words of the table, from first to end, which is their own
// as is what tells which are busy. There is about so much to do.
func (s *numbered) eachStretch(ctx context.Context, states int64, f func(h *scout, first, end int)) {
	const stride = wordBits * wordBits
	next := int64(0)
	s.inParallel(states, func(h *scout) {
		for ctx.Err() == nil {
			first := int(atomic.AddInt64(&next, stride) - stride)
			if first >= len(s.front) {
				return
			}
			f(h, first, min(first+stride, len(s.front)))
		}
	})
}

// dropFrom drops what is not to be kept of a generation.
func (s *numbered) dropFrom(generation int) {
	for _, h := range s.crew {
		h.found[generation].drop(&h.chunks, generation, int(s.limit[generation].Load()))
	}
}

// restart forgets all candidates: those of the next layer are to be made again.
func (s *numbered) restart() {
	for i := range s.limit {
		s.limit[i].Store(0)
		for _, h := range s.crew {
			h.found[i].drop(&h.chunks, i, 0)
		}
	}
}

// Resume continues after a layer, given only the table. Older states with that layer's
// code do no harm: they have no unseen successors.
func (s *numbered) Resume(depth uint32, edges int64) {
	s.depth, s.edges = depth, edges
	clear(s.frontBusy)
	for w := range s.front {
		s.front[w] = s.table.with(w, codeOf(depth))
		if s.front[w] != 0 {
			s.frontBusy[w/wordBits] |= 1 << (w % wordBits)
		}
	}
	s.restart()
}

// Depth returns the depth of the last layer.
func (s *numbered) Depth() uint32 { return s.depth }

// Edges returns how many successors the last layer has.
func (s *numbered) Edges() int64 { return s.edges }

// Each calls f with the keys and links of the states of the last layer.
func (s *numbered) Each(f func(keys []uint64, link func(i int) puzzle.Move)) error {
	if s.noted() {
		for _, h := range s.crew {
			f(h.noted.Keys, func(i int) puzzle.Move { return h.noted.Moves[i] })
		}
		return nil
	}
	l := s.table.newLinker()
	var numbers, keys []uint64
	flush := func() {
		keys = s.numbers.AppendKeys(keys[:0], numbers)
		f(keys, func(i int) puzzle.Move {
			block, item := int(numbers[i]/numberedSize), uint16(numbers[i]%numberedSize)
			move, _, _, _ := l.link(block, item, s.table.at(block, item).before())
			return move
		})
		numbers = numbers[:0]
	}
	eachBusyWord(s.frontBusy, 0, len(s.front), func(w int) {
		for word := s.front[w]; word != 0; word &= word - 1 {
			numbers = append(numbers, uint64(w*wordBits+bits.TrailingZeros64(word)))
		}
		if len(numbers) > batchNumbers {
			flush()
		}
	})
	flush()
	return nil
}

// noted reports whether the workers have the states of the last layer, with their links.
func (s *numbered) noted() bool {
	for _, h := range s.crew {
		if h.noted.Len() != int(h.states) {
			return false
		}
	}
	return true
}

// eachBusyWord calls f with the words from first to end that are busy. first is divisible
// by wordBits.
func eachBusyWord(busy []uint64, first, end int, f func(w int)) {
	for i := first / wordBits; i*wordBits < end; i++ {
		for word := busy[i]; word != 0; word &= word - 1 {
			f(i*wordBits + bits.TrailingZeros64(word))
		}
	}
}

// Next generates the next layer, which is empty if all states have been found. On an
// error, it leaves the table as it was.
func (s *numbered) Next(ctx context.Context) (Layer, error) {
	edges := s.edges
	s.depth++
	clear(s.settled)
	here, after := generation(s.depth), generation(s.depth+1)
	s.limit[after].Store(int64(s.ranges))
	s.floor[after] = 0
	var waiting int64
	for _, h := range s.crew {
		h.begin(s.depth)
		h.found[after].limit = s.ranges
		waiting += h.found[here].count
	}
	done := s.resumePart()
	err := ctx.Err()
	for done < s.ranges && err == nil {
		limit := int(s.limit[here].Load())
		if limit <= done {
			s.limit[here].Store(int64(s.ranges))
			s.floor[here] = int64(done)
			waiting = s.again(ctx, done)
			limit = int(s.limit[here].Load())
		}
		first := int64(done)
		var stop atomic.Bool
		s.inParallel(waiting, func(h *scout) {
			for ctx.Err() == nil && !stop.Load() {
				at := int(atomic.AddInt64(&first, 1) - 1)
				if at >= limit {
					return
				}
				states := h.states
				h.settle(at)
				s.settled[at] = true
				s.Blocks(at, at+1, s.ranges, h.states-states)
				if s.Pause != nil && s.Pause() {
					stop.Store(true)
				}
			}
		})
		if done = min(int(first), limit); done == limit {
			for _, h := range s.crew {
				h.found[here].count = 0
			}
			s.limit[here].Store(0)
		}
		if done < s.ranges && s.Keep != nil && (stop.Load() || ctx.Err() != nil) {
			err = s.Keep(s.part(done))
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
	s.frontBusy, s.nextBusy = s.nextBusy, s.frontBusy
	s.dropFrom(after)
	l := s.finish()
	l.Generated = edges
	s.begun = Part{}
	return l, nil
}

// ResumeWithin continues after a layer, of the next of which a part has been made.
func (s *numbered) ResumeWithin(depth uint32, edges int64, part Part) {
	s.Resume(depth, edges)
	s.begun = part
}

// resumePart adds what had been made of the layer before, and returns the first range that
// had not been done. Older states with the layer's code do no harm, as in Resume. No
// candidates for the layer after are kept, as those of the part are missing.
func (s *numbered) resumePart() int {
	if s.begun.Words == 0 {
		return 0
	}
	h, after := s.crew[0], generation(s.depth+1)
	h.states, h.goals, h.edges, h.digest = s.begun.States, s.begun.Goals, s.begun.Edges, s.begun.Digest
	copy(h.parts, s.begun.PartStates)
	for w := range int(s.begun.Words) {
		s.next[w] = s.table.with(w, codeOf(s.depth))
		bit := uint64(1) << (w % wordBits)
		if s.nextBusy[w/wordBits] &^= bit; s.next[w] != 0 {
			s.nextBusy[w/wordBits] |= bit
		}
	}
	s.limit[after].Store(0)
	for _, h := range s.crew {
		h.found[after].limit = 0
	}
	return int(s.begun.Words) * wordBits >> s.rangeBits
}

// part returns what has been made of the layer, of the ranges below one.
func (s *numbered) part(done int) Part {
	p := Part{Words: int64(min(done<<s.rangeBits/wordBits, len(s.next))), PartStates: make([]int64, s.table.space.Scheme.Partitions())}
	for _, h := range s.crew {
		p.Add(&Part{States: h.states, Goals: h.goals, Edges: h.edges, Digest: h.digest, PartStates: h.parts})
	}
	for _, at := range s.listed {
		if int64(at.word) >= s.begun.Words && int64(at.word) < p.Words && s.next[at.word]&at.bit != 0 {
			p.Goals++
		}
	}
	return p
}

// inParallel calls f with all workers, or with one if there is little to do.
func (s *numbered) inParallel(candidates int64, f func(h *scout)) {
	if candidates < s.few || len(s.crew) == 1 {
		f(s.crew[0])
		return
	}
	var wait sync.WaitGroup
	for _, h := range s.crew {
		wait.Go(func() { f(h) })
	}
	wait.Wait()
}

// again makes the candidates for the layer being made, in ranges from one on, from the
// last layer, and returns how many there are.
func (s *numbered) again(ctx context.Context, from int) int64 {
	here := generation(s.depth)
	for _, h := range s.crew {
		h.found[here].limit, h.found[here].count = s.ranges, 0
	}
	busy := int64(0)
	for _, word := range s.frontBusy {
		busy += int64(bits.OnesCount64(word))
	}
	s.eachOfFront(ctx, busy*wordBits, func(h *scout, numbers []uint64) { h.expandAgain(numbers, from) })
	s.dropFrom(here)
	count := int64(0)
	for _, h := range s.crew {
		count += h.found[here].count
	}
	return count
}

// undo discards what was found of the next layer.
func (s *numbered) undo() {
	s.depth--
	words := 1 << s.rangeBits / wordBits
	for i, settled := range s.settled {
		if settled {
			s.erase(s.next, s.nextBusy, i*words, min((i+1)*words, len(s.next)))
		}
	}
	s.restart()
}

// Withdraw removes the last layer from the table. The search is unusable afterwards.
func (s *numbered) Withdraw() { s.erase(s.front, s.frontBusy, 0, len(s.front)) }

// erase marks the states of a layer as unseen.
func (s *numbered) erase(layer, busy []uint64, first, end int) {
	if s.replay {
		return
	}
	eachBusyWord(busy, first, end, func(w int) {
		s.table.low[w] &^= layer[w]
		s.table.high[w] &^= layer[w]
	})
}

// finish adds up the findings of the workers.
func (s *numbered) finish() Layer {
	l := Layer{Depth: s.depth, PartStates: make([]int64, s.table.space.Scheme.Partitions())}
	s.edges = 0
	for _, h := range s.crew {
		l.States += h.states
		l.Goals += h.goals
		l.Digest.Add(h.digest)
		for i, n := range h.parts {
			l.PartStates[i] += n
		}
		s.edges += h.edges
	}
	for _, at := range s.listed {
		if int64(at.word) >= s.begun.Words && s.front[at.word]&at.bit != 0 {
			l.Goals++
		}
	}
	return l
}
