package narrow

import "sort"

// Whether a number is a goal depends on one line alone. If that makes blocks, all numbers of a
// block are goals or none. Otherwise the line's placement is one digit of the numbers of a
// block, so that goals come in runs of the same length, at the same distance.

// goalRuns are the goals among the numbers of a block: those from first on, and after each
// period again.
type goalRuns struct{ first, run, period uint64 }

// MarkGoals sets the bits of goals: bit i of words is for the number from + i.
func (n *numbering) MarkGoals(from uint64, words []uint64) {
	end := min(from+uint64(len(words))*64, n.count)
	at := sort.Search(len(n.blocks), func(i int) bool { return n.blocks[i].first > from }) - 1
	for ; at < len(n.blocks) && n.blocks[at].first < end; at++ {
		first, last := n.blocks[at].first, n.count
		if at+1 < len(n.blocks) {
			last = n.blocks[at+1].first
		}
		n.eachGoalRuns(at, last-first, func(r goalRuns) {
			run := first + r.first
			if run < from { // the last that begins there or before
				run += (from - run) / r.period * r.period
			}
			for ; run < min(end, last); run += r.period {
				setBits(words, max(run, from)-from, max(min(run+r.run, end), from)-from)
			}
		})
	}
}

// eachGoalRuns calls f with the goals of a block of some size.
func (n *numbering) eachGoalRuns(block int, size uint64, f func(goalRuns)) {
	b, goal := &n.blocks[block], &n.goal
	all := goalRuns{0, size, size}
	if goal.Line < 0 {
		if goal.Ways[0].Steps == 0 {
			f(all)
		}
		return
	}
	for i := range n.blockLines {
		if n.blockLines[i].line != goal.Line {
			continue
		}
		if goal.Ways[uint8(b.ranks>>(8*i))].Steps == 0 {
			f(all)
		}
		return
	}
	unit := uint64(1) // what a placement of the half adds to a number
	for i := range n.halves {
		l := &n.halves[i].lists[b.lists[i]]
		for k := range n.halves[i].lines {
			if n.halves[i].lines[k].line == goal.Line {
				n.halves[i].eachGoalRuns(l, k, goal.Ways, func(r goalRuns) {
					f(goalRuns{r.first * unit, r.run * unit, r.period * unit})
				})
			}
		}
		unit *= uint64(len(l.places))
	}
}

// eachGoalRuns calls f with the goals among the placements of a list, which a line decides.
func (h *half) eachGoalRuns(l *list, line int, ways []Way, f func(goalRuns)) {
	run := uint64(1)
	for i := range line {
		run *= possible(h.lines[i].slotTerms(l))
	}
	terms := h.lines[line].slotTerms(l)
	for rank, term := range terms {
		if term != noTerm && ways[rank].Steps == 0 {
			f(goalRuns{uint64(term), run, run * possible(terms)})
		}
	}
}

// slotTerms returns what the placements of a line add.
func (l *itemLine) slotTerms(of *list) []uint32 { return of.terms[l.terms:][:len(l.slots)] }

// possible returns how many placements are possible.
func possible(terms []uint32) (n uint64) {
	for _, term := range terms {
		if term != noTerm {
			n++
		}
	}
	return n
}

// setBits sets bits from first to end.
func setBits(words []uint64, first, end uint64) {
	for first < end {
		w, bit := first/64, first%64
		n := min(64-bit, end-first)
		words[w] |= ^uint64(0) >> (64 - n) << bit
		first += n
	}
}
