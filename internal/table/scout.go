package table

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
)

// batchNumbers is how many states are expanded at a time.
const batchNumbers = 1 << 9

// scout is one worker of a numbered search.
type scout struct {
	search   *numbered
	expander puzzle.Expander
	chunks   chunks
	found    [2]buckets // by generation

	// least holds, by place in the range at hand, the least move that leads there, or
	// noLink.
	least []uint8

	numbers []uint64
	links   []puzzle.Move
	keys    []uint64
	out     puzzle.Edges
	marks   []bool

	// noted are the states found and their links, as long as they are few.
	noted puzzle.Edges

	salt   digest.Salt
	code   code
	states int64
	goals  int64
	edges  int64
	digest digest.Digest
	parts  []int64
}

func newScout(s *numbered) *scout {
	h := &scout{search: s, expander: s.numbers.Expander(), parts: make([]int64, s.table.space.Scheme.Partitions())}
	h.chunks.heap = &s.heap
	for i := range h.found {
		h.found[i].ranges = slices.Repeat([]bucket{{n: chunkSize}}, s.ranges)
	}
	h.least = make([]uint8, 1<<s.rangeBits)
	for i := range h.least {
		h.least[i] = noLink
	}
	return h
}

// begin clears the counts.
func (h *scout) begin(depth uint32) {
	h.salt, h.code = digest.LayerSalt(h.search.phase, depth), codeOf(depth)
	h.states, h.goals, h.edges, h.digest = 0, 0, 0, digest.Digest{}
	clear(h.parts)
	h.noted.Reset()
}

// How many states of a layer a worker notes. A replay is made to list them, and to find
// their links again takes longer.
const (
	notedMax    = 1 << 16
	notedReplay = 1 << 22
)

// settle finds the states of a range that are in the next layer, and expands them.
func (h *scout) settle(at int) {
	s := h.search
	words := 1 << s.rangeBits / wordBits
	first := at * words
	end := min(first+words, len(s.next))
	eachBusyWord(s.nextBusy, first, end, func(w int) { s.next[w] = 0 })
	clear(s.nextBusy[first/wordBits : (end+wordBits-1)/wordBits])
	some := false
	here := generation(s.depth)
	for _, from := range s.crew {
		b := &from.found[here].ranges[at]
		if b.empty() {
			continue
		}
		some = true
		b.each(func(c []candidate) { h.take(c, first) })
		b.clear(&h.chunks, here)
	}
	if some {
		h.collect(first, end)
	}
}

// take adds those candidates of a range that belong to the next layer. Which do is
// unpredictable, so there is no branch.
func (h *scout) take(candidates []candidate, first int) {
	s := h.search
	words := 1 << s.rangeBits / wordBits
	end := min(first+words, len(s.next))
	low, high := s.table.low[first:end], s.table.high[first:end]
	next, busy := s.next[first:end], s.nextBusy[first/wordBits:]
	lowFlip, highFlip := uint64(0), uint64(0) // open: both bits are 0
	if s.replay {
		lowFlip, highFlip = -uint64(h.code&1), -uint64(h.code>>1)
	}
	least := h.least
	for _, c := range candidates {
		place := uint(c & placeMask)
		w, bit := place/wordBits, place%wordBits
		open := ^((low[w] ^ lowFlip) | (high[w] ^ highFlip)) >> bit & 1
		next[w] |= open << bit
		busy[w/wordBits] |= open << (w % wordBits)
		move := uint8(c>>placeBits) | uint8(open-1)
		least[place] = min(least[place], move)
	}
}

// collect goes through the states found in a range.
func (h *scout) collect(first, end int) {
	s := h.search
	h.numbers, h.links = h.numbers[:0], h.links[:0]
	eachBusyWord(s.nextBusy, first, end, func(w int) {
		word := s.next[w]
		if !s.replay {
			s.table.mark(w, word, h.code)
		}
		for ; word != 0; word &= word - 1 {
			number := w*wordBits + bits.TrailingZeros64(word)
			place := number - first*wordBits
			h.numbers, h.links = append(h.numbers, uint64(number)), append(h.links, puzzle.Move(h.least[place]))
			h.least[place] = noLink
		}
		if len(h.numbers) > batchNumbers {
			h.visit()
		}
	})
	h.visit()
}

// visit accounts for the states in hand, and expands them.
func (h *scout) visit() {
	h.out.Reset()
	var pruned int
	if s := h.search; s.phase == FromGoals {
		h.keys, pruned = h.expander.Leave(h.keys[:0], h.numbers, h.links, s.depth, &h.out)
	} else {
		h.keys, pruned = h.expander.Expand(h.keys[:0], h.numbers, h.links, &h.out)
	}
	if h.states += int64(len(h.numbers)); h.states <= h.search.notedMax {
		h.noted.Keys, h.noted.Moves = append(h.noted.Keys, h.keys...), append(h.noted.Moves, h.links...)
	}
	h.edges += int64(h.out.Len() + pruned)
	h.scatter(h.search.depth+1, 0, false)
	if !h.search.replay || h.search.counted {
		h.account(h.links)
	}
	h.numbers, h.links = h.numbers[:0], h.links[:0]
}

// visitFirst accounts for states of layer 0.
func (h *scout) visitFirst(numbers []uint64) {
	h.out.Reset()
	pruned := h.expandFirst(numbers)
	h.states += int64(len(numbers))
	h.edges += int64(h.out.Len() + pruned)
	h.scatter(1, 0, true)
	links := make([]puzzle.Move, len(numbers))
	if h.states <= h.search.notedMax {
		h.noted.Keys, h.noted.Moves = append(h.noted.Keys, h.keys...), append(h.noted.Moves, links...)
	}
	h.account(links)
}

// account adds states, whose keys are in hand, to digest, parts and goals.
func (h *scout) account(links []puzzle.Move) {
	scheme := h.search.table.space.Scheme
	for i, key := range h.keys {
		h.digest.AddNarrow(h.salt, key, links[i])
		part, _ := scheme.RecordNarrow(key, 0)
		h.parts[part]++
	}
	if !h.search.goals {
		return
	}
	h.marks = slices.Grow(h.marks[:0], len(h.keys))[:len(h.keys)]
	h.search.table.space.Puzzle.Goals(h.keys, h.marks)
	for _, goal := range h.marks {
		if goal {
			h.goals++
		}
	}
}

// expandAgain makes candidates of states of the last layer, for ranges from one on.
func (h *scout) expandAgain(numbers []uint64, from int) {
	h.out.Reset()
	if h.search.depth == 1 {
		h.expandFirst(numbers)
	} else {
		h.keys, _ = h.expander.Expand(h.keys[:0], numbers, nil, &h.out)
	}
	h.scatter(h.search.depth, from, true)
}

// expandFirst expands states of layer 0, which have no links. Where they are the goals, all
// goals are, so that successors that are goals are not new.
func (h *scout) expandFirst(numbers []uint64) (pruned int) {
	if h.search.phase == FromGoals {
		h.keys, pruned = h.expander.Leave(h.keys[:0], numbers, nil, 0, &h.out)
	} else {
		h.keys, pruned = h.expander.Expand(h.keys[:0], numbers, nil, &h.out)
	}
	return pruned
}

// scatter puts the successors in hand, candidates for the layer at a depth, into buckets, if
// they are in a range from one on and, with onlyOpen, not yet in the table.
func (h *scout) scatter(depth uint32, from int, onlyOpen bool) {
	generation := generation(depth)
	s, found := h.search, &h.found[generation]
	open := code(0)
	if s.replay {
		open = codeOf(depth)
	}
	places, shift, ranges := uint64(1)<<s.rangeBits-1, s.rangeBits&63, found.ranges
	moves := h.out.Moves[:h.out.Len()]
	found.count += int64(h.out.Len())
	for i, number := range h.out.Keys {
		at := int(number >> shift)
		if at >= found.limit || at < from {
			continue
		}
		if onlyOpen && s.table.atNumber(number) != open {
			continue
		}
		b := &ranges[at]
		if b.n == chunkSize && !h.grow(b, at, generation) {
			continue
		}
		b.tail[b.n&(chunkSize-1)] = candidate(number&places) | candidate(moves[i])<<placeBits
		b.n++
	}
}

// grow gives a bucket another chunk, unless the budget makes its range one that is not
// kept.
func (h *scout) grow(b *bucket, at, generation int) bool {
	s, found := h.search, &h.found[generation]
	limit := s.limit[generation].Load()
	floor := s.floor[generation]
	if s.heap.used[generation].Load() > s.heap.max && limit > floor+1 {
		less := max(floor+1, floor+(limit-floor)*3/4)
		s.limit[generation].CompareAndSwap(limit, less)
		limit = s.limit[generation].Load()
	}
	if int(limit) < found.limit {
		found.drop(&h.chunks, generation, int(limit))
	}
	if at >= found.limit {
		return false
	}
	if b.tail != nil {
		b.full = append(b.full, b.tail)
	}
	b.tail, b.n = h.chunks.get(generation), 0
	return true
}
