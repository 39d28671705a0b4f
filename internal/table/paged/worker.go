package paged

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
)

// worker is one worker of a search.
type worker struct {
	search *Search
	ask    bool // which states are goals

	found [2]*pool // by generation
	kept  *pool    // in a replay: the states of the layer

	// Of the page at hand: its words, which of its states may be in the layer, which are,
	// and which words have any.
	words, within []uint64
	open, next    []uint64
	busy          []uint64
	// By place: the least move that leads there, or noLink; with folds, the set of moves.
	least []uint8
	sets  []uint64

	buf        []byte
	candidates []candidate

	// States of a block in hand.
	block   int
	numbers []uint64
	items   []uint16
	links   []puzzle.Move
	moves   []uint64 // with folds
	keys    []uint64
	marks   []bool
	targets []int32

	expander puzzle.Expander // nil unless moves are made state by state
	out      puzzle.Edges

	noted puzzle.Edges // the states found and their links, as long as they are few

	pageBits uint

	depth             uint32
	salt              digest.Salt
	lowCode, highCode uint64 // of the layer, in each plane
	sum               table.Part
}

func newWorker(s *Search, ask bool, poolBytes int64) *worker {
	h := &worker{search: s, ask: ask, words: make([]uint64, s.space.PageWords()), pageBits: s.space.PageBits()}
	n := s.pageWords()
	h.open, h.next, h.busy = make([]uint64, n), make([]uint64, n), make([]uint64, n/wordBits)
	for i := range h.found {
		h.found[i] = newPool(len(s.pages), poolBytes)
	}
	if s.o.Replay != nil {
		h.kept = newPool(len(s.pages), poolBytes)
	}
	if s.o.Within != nil {
		h.within = make([]uint64, s.space.PageWords())
	}
	if s.space.Ranks.Fold != nil {
		h.sets = make([]uint64, 1<<h.pageBits)
	} else {
		h.least = slices.Repeat([]uint8{noLink}, 1<<h.pageBits)
	}
	if numbers, ok := s.space.Numbers().(puzzle.ExpandNumbering); ok {
		h.expander = numbers.Expander()
	}
	return h
}

// begin begins a layer.
func (h *worker) begin(depth uint32) {
	h.depth, h.salt = depth, digest.LayerSalt(h.search.phase, depth)
	h.lowCode, h.highCode = table.Planes(depth)
	h.sum = table.Part{PartStates: make([]int64, h.search.space.Scheme.Partitions())}
	h.noted.Reset()
	if h.kept != nil {
		h.kept.reset()
	}
}

// resume adds what has been made of the layer before.
func (h *worker) resume(p table.Part) { h.sum.Add(&p) }

// settle finds the states of a page that are in the layer being made, and expands them.
func (h *worker) settle(depth uint32, page int) error {
	s := h.search
	has := s.disk.Spilled(Candidates, depth, page)
	for _, from := range s.crew {
		has = has || from.found[generation(depth)].has(page)
	}
	if !has {
		return nil
	}
	words, stays, err := s.load(page, h.words)
	if err != nil {
		return err
	}
	if err := h.setOpen(page, words); err != nil {
		return err
	}
	for _, from := range s.crew {
		from.found[generation(depth)].each(page, h.take)
	}
	h.buf, err = s.disk.EachSpilled(Candidates, depth, page, h.buf, func(b []byte) {
		h.candidates = candidatesOf(b, h.candidates)
		h.take(h.candidates)
	})
	if err != nil {
		return err
	}
	states := h.sum.States
	h.countListed(page)
	h.collect(page, words)
	switch {
	case s.err.get() != nil:
		return s.err.get()
	case h.sum.States == states || s.o.Replay != nil:
		return nil
	case stays:
		s.dirty[page] = true
		return nil
	}
	return s.disk.WritePage(page, words)
}

// setOpen sets which states of a page may be in the layer.
func (h *worker) setOpen(page int, words []uint64) error {
	s := h.search
	low, high := words[:len(h.open)], words[len(h.open):]
	lowFlip, highFlip := uint64(0), uint64(0)
	if s.o.Replay != nil {
		lowFlip, highFlip = h.lowCode, h.highCode
	}
	for w := range h.open {
		h.open[w] = ^((low[w] ^ lowFlip) | (high[w] ^ highFlip))
	}
	if s.o.Within == nil {
		return nil
	}
	if err := s.o.Within.ReadPage(page, h.within); err != nil {
		return err
	}
	for w := range h.open {
		h.open[w] &= h.within[w] | h.within[len(h.open)+w]
	}
	return nil
}

// take adds those candidates that belong to the layer. Which do is unpredictable, so there
// is no branch.
func (h *worker) take(candidates []candidate) {
	if h.sets != nil {
		h.takeSets(candidates)
		return
	}
	least, places := h.least, candidate(1)<<h.pageBits-1
	for _, c := range candidates {
		place := uint(c & places)
		w, bit := place/wordBits, place%wordBits
		open := h.open[w] >> bit & 1
		h.next[w] |= open << bit
		h.busy[w/wordBits] |= open << (w % wordBits)
		move := uint8(c>>placeBits) | uint8(open-1)
		least[place] = min(least[place], move)
	}
}

// takeSets is take with the sets of moves.
func (h *worker) takeSets(candidates []candidate) {
	places := candidate(1)<<h.pageBits - 1
	for _, c := range candidates {
		place := uint(c & places)
		w, bit := place/wordBits, place%wordBits
		open := h.open[w] >> bit & 1
		h.next[w] |= open << bit
		h.busy[w/wordBits] |= open << (w % wordBits)
		h.sets[place] |= open << (c >> placeBits & (puzzle.FoldMoves - 1))
	}
}

// countListed counts the goals in a page, if they are listed.
func (h *worker) countListed(page int) {
	for _, place := range h.search.listed[page] {
		h.sum.Goals += int64(h.next[place/wordBits] >> (place % wordBits) & 1)
	}
}

// collect goes through the states found in a page.
func (h *worker) collect(page int, words []uint64) {
	s, pageWords := h.search, len(h.next)
	h.eachBusyWord(func(w int) {
		word := h.next[w]
		h.next[w] = 0
		if s.o.Replay == nil {
			words[w] |= word & h.lowCode
			words[pageWords+w] |= word & h.highCode
		}
		at := page*pageWords + w
		h.inBlock(at / s.words)
		for ; word != 0; word &= word - 1 {
			place := w*wordBits + bits.TrailingZeros64(word)
			h.numbers = append(h.numbers, uint64(page)<<h.pageBits+uint64(place))
			if h.sets != nil {
				h.moves, h.sets[place] = append(h.moves, h.sets[place]), 0
				h.links = append(h.links, 0)
				continue
			}
			h.links = append(h.links, puzzle.Move(h.least[place]))
			h.least[place] = noLink
		}
	})
	clear(h.busy)
	h.visit()
}

// eachBusyWord calls f with the words of next that are busy.
func (h *worker) eachBusyWord(f func(w int)) {
	for i, word := range h.busy {
		for ; word != 0; word &= word - 1 {
			f(i*wordBits + bits.TrailingZeros64(word))
		}
	}
}

// inBlock visits the states in hand if those of another block are about to follow, or if
// there are many.
func (h *worker) inBlock(block int) {
	if len(h.numbers) > batchNumbers || block != h.block && h.expander == nil {
		h.visit()
	}
	h.block = block
}

// visit accounts for the states in hand, and expands them.
func (h *worker) visit() {
	n := len(h.numbers)
	if n == 0 {
		return
	}
	s := h.search
	if h.kept != nil {
		h.keep()
	}
	links := h.links
	if h.depth == 0 {
		links = nil
	}
	weight := s.space.Weight(h.block)
	if h.expander == nil {
		h.items = h.items[:0]
		for _, number := range h.numbers {
			h.items = append(h.items, uint16(number-s.number(h.block, 0)))
		}
		h.keys = s.space.Ranks.AppendKeys(h.keys[:0], h.block, h.items)
	}
	h.sum.Edges += h.expand(links, h.depth+1) * weight
	h.sum.States += int64(n) * weight
	if h.sum.States <= notedMax && s.space.Ranks.Fold == nil {
		h.noted.Keys, h.noted.Moves = append(h.noted.Keys, h.keys...), append(h.noted.Moves, h.links...)
	}
	if s.o.Replay == nil || s.o.Counted {
		h.account()
	}
	h.numbers, h.links, h.moves = h.numbers[:0], h.links[:0], h.moves[:0]
}

// keep remembers the states in hand for Each.
func (h *worker) keep() {
	for i, number := range h.numbers {
		page := int(number >> h.pageBits)
		c := candidate(number&(1<<h.pageBits-1)) | candidate(h.links[i])<<placeBits
		if h.kept.add(page, c) {
			continue
		}
		if err := h.search.disk.Spill(Found, h.depth, h.kept.append); err != nil {
			h.search.err.set(err)
		}
		h.kept.reset()
		h.kept.add(page, c)
	}
}

// account adds the states in hand to digest, parts and goals.
func (h *worker) account() {
	space := h.search.space
	add := func(key uint64, link puzzle.Move) {
		h.sum.Digest.AddNarrow(h.salt, key, link)
		part, _ := space.Scheme.RecordNarrow(key, 0)
		h.sum.PartStates[part]++
	}
	if space.Ranks.Fold == nil {
		for i, key := range h.keys {
			add(key, h.links[i])
		}
		h.countGoals(h.keys)
		return
	}
	h.keys = space.Ranks.Fold.EachImage(h.keys, h.block, h.items, func(symmetry int, plus []uint16, keys []uint64) {
		for k, key := range keys {
			by := symmetry
			if plus != nil {
				by += int(plus[k])
			}
			moves := h.moves[k]
			if h.depth == 0 {
				moves = 0
			}
			link := space.FoldLink(by, moves)
			add(key, link)
			if h.sum.States <= notedMax {
				h.noted.Keys, h.noted.Moves = append(h.noted.Keys, key), append(h.noted.Moves, link)
			}
		}
		h.countGoals(keys)
	})
}

// countGoals counts the goals among states, if the puzzle is to be asked.
func (h *worker) countGoals(keys []uint64) {
	if !h.ask {
		return
	}
	h.marks = slices.Grow(h.marks[:0], len(keys))[:len(keys)]
	h.search.space.Puzzle.Goals(keys, h.marks)
	for _, goal := range h.marks {
		if goal {
			h.sum.Goals++
		}
	}
}

// expand puts the successors of the states in hand, whose links are nil if they are not
// known, with the candidates for a depth. It returns how many successors they have.
func (h *worker) expand(links []puzzle.Move, depth uint32) int64 {
	space := h.search.space
	switch {
	case h.expander != nil:
		return h.expandNumbers(links, depth)
	case h.search.flips != nil:
		return h.flip(links, depth)
	case space.Ranks.Fold != nil:
		return h.expandFolded(depth)
	}
	edges := int64(0)
	for i := range space.Ranks.Actions {
		a := &space.Ranks.Actions[i]
		if a.Blocks[h.block] < 0 {
			continue
		}
		first, row := h.search.number(int(a.Blocks[h.block]), 0), space.Ranks.Rows[a.Row(h.block)]
		skips := h.search.skips[i]
		for k, item := range h.items {
			to := row[item]
			if to == puzzle.NoItem {
				continue
			}
			edges++
			if len(links) > 0 && skips[links[k]] {
				continue
			}
			h.put(depth, first+uint64(to), a.Move)
		}
	}
	return edges
}

// expandNumbers is expand where moves are made state by state.
func (h *worker) expandNumbers(links []puzzle.Move, depth uint32) int64 {
	h.out.Reset()
	var pruned int
	if h.search.phase == table.FromGoals && (links != nil || depth == 1) {
		h.keys, pruned = h.expander.Leave(h.keys[:0], h.numbers, links, depth-1, &h.out)
	} else {
		h.keys, pruned = h.expander.Expand(h.keys[:0], h.numbers, links, &h.out)
	}
	for i, number := range h.out.Keys {
		h.put(depth, number, h.out.Moves[i])
	}
	return int64(h.out.Len() + pruned)
}

// flip is expand where moves flip bits of numbers.
func (h *worker) flip(links []puzzle.Move, depth uint32) int64 {
	edges := int64(0)
	for i, f := range h.search.flips {
		skips := h.search.skips[i]
		for k, number := range h.numbers {
			if !f.Possible(number) {
				continue
			}
			edges++
			if len(links) > 0 && skips[links[k]] {
				continue
			}
			h.put(depth, number^f.Bits, puzzle.Move(i))
		}
	}
	return edges
}

// expandFolded is expand where ranks are folded. A move that leads to the block that stands
// for the true one is not the one that leads to the true one: as in a pass over the table,
// it is the one whose inverse leads back.
func (h *worker) expandFolded(depth uint32) int64 {
	space := h.search.space
	r := space.Ranks
	edges := int64(0)
	h.targets = h.targets[:0]
	for i := range r.Actions {
		a := &r.Actions[i]
		if a.Blocks[h.block] < 0 {
			continue
		}
		h.targets = append(h.targets, a.Blocks[h.block])
		row := r.Rows[a.Row(h.block)]
		for _, item := range h.items {
			if row[item] != puzzle.NoItem {
				edges++
			}
		}
	}
	slices.Sort(h.targets)
	h.targets = slices.Compact(h.targets)
	for _, to := range h.targets {
		first := h.search.number(int(to), 0)
		for i := range r.Actions {
			back := &r.Actions[r.Actions[i].Inverse]
			if int(back.Blocks[to]) != h.block {
				continue
			}
			row := space.Ranks.Fold.Inverted[back.Row(int(to))]
			for _, item := range h.items {
				if at := row[item]; at != puzzle.NoItem {
					h.put(depth, first+uint64(at), r.Actions[i].Move)
				}
			}
		}
	}
	return edges
}

// put adds a candidate.
func (h *worker) put(depth uint32, number uint64, move puzzle.Move) {
	page, c := int(number>>h.pageBits), candidate(number&(1<<h.pageBits-1))|candidate(move)<<placeBits
	p := h.found[generation(depth)]
	if p.add(page, c) {
		return
	}
	if err := h.spill(depth, 0); err != nil {
		h.search.err.set(err)
		p.reset()
	}
	p.add(page, c)
}

// spill puts the candidates of a depth, for pages from one on, on the Disk.
func (h *worker) spill(depth uint32, from int) error {
	p := h.found[generation(depth)]
	if p.taken == 0 {
		return nil
	}
	err := h.search.disk.Spill(Candidates, depth, func(at int, b []byte) []byte {
		if at < from {
			return b
		}
		return p.append(at, b)
	})
	p.reset()
	return err
}

// adopt takes over a page of a table, and makes the candidates that its states of the last
// layer, and of the part that has been made of the next one, lead to.
func (h *worker) adopt(page int, from table.Pages) error {
	s, pageWords := h.search, len(h.next)
	words, stays, err := s.load(page, h.words)
	if err != nil {
		return err
	}
	if err := from.ReadPage(page, words); err != nil {
		return err
	}
	for _, depth := range []uint32{s.depth, s.depth + 1} {
		lowCode, highCode := table.Planes(depth)
		for w := range pageWords {
			at := page*pageWords + w
			if depth > s.depth && int64(at) >= s.begun.Words {
				break
			}
			word := ^((words[w] ^ lowCode) | (words[pageWords+w] ^ highCode))
			if word == 0 {
				continue
			}
			if block := at / s.words; block != h.block || len(h.numbers) > batchNumbers {
				h.leave(depth)
				h.block = block
			}
			for ; word != 0; word &= word - 1 {
				h.numbers = append(h.numbers, uint64(at*wordBits+bits.TrailingZeros64(word)))
			}
		}
		h.leave(depth)
	}
	if stays {
		s.dirty[page] = true
		return s.err.get()
	}
	if err := s.disk.WritePage(page, words); err != nil {
		return err
	}
	return s.err.get()
}

// leave expands the states in hand, of which nothing but their depth is known.
func (h *worker) leave(depth uint32) {
	if len(h.numbers) == 0 {
		return
	}
	h.items = h.items[:0]
	for _, number := range h.numbers {
		h.items = append(h.items, uint16(number-h.search.number(h.block, 0)))
	}
	h.expand(nil, depth+1)
	h.numbers = h.numbers[:0]
}
