package sokoban

import "math/bits"

// placesInWord assigns places in a word to at most 64 cells, in their order.
// Horizontal neighbours are one bit apart, and vertical neighbours as few different
// distances as it can find. If the bounding rectangle of the cells fits the word, it
// is laid out as drawn, with one distance. Otherwise each run of cells in a row goes
// where it needs the fewest new distances to the row above.
func (l *level) placesInWord() []uint8 {
	first, last := l.places[0], l.places[0]
	for _, p := range l.places {
		first.Col, last.Col, last.Row = min(first.Col, p.Col), max(last.Col, p.Col), p.Row
	}
	width := last.Col - first.Col + 1
	if width*(last.Row-first.Row+1) <= 64 {
		placeOf := make([]uint8, len(l.places))
		for c, p := range l.places {
			placeOf[c] = uint8((p.Row-first.Row)*width + p.Col - first.Col)
		}
		return placeOf
	}
	var best []uint8
	least := 0
	for by := range 32 {
		placeOf, distances := l.placesByRuns(by)
		if best == nil || distances < least {
			best, least = placeOf, distances
		}
	}
	return best
}

// placesByRuns places the cells, given one distance that is already used, and returns
// the number of distances.
func (l *level) placesByRuns(by int) (placeOf []uint8, distances int) {
	known := uint64(1) << by
	placeOf = make([]uint8, len(l.places))
	slack, next := 64-len(l.places), 0
	for c := 0; c < len(l.places); {
		end := c + 1
		for end < len(l.places) && int(l.next[left][end]) == end-1 {
			end++
		}
		skip, fewest := 0, -1
		for s := range slack + 1 {
			if n := bits.OnesCount64(l.distances(placeOf, c, end, next+s) &^ known); fewest < 0 || n < fewest {
				skip, fewest = s, n
			}
		}
		known |= l.distances(placeOf, c, end, next+skip)
		slack -= skip
		next += skip
		for ; c < end; c++ {
			placeOf[c] = uint8(next)
			next++
		}
	}
	used := uint64(0)
	for c := range l.places {
		used |= l.distances(placeOf, c, c+1, int(placeOf[c]))
	}
	return placeOf, bits.OnesCount64(used)
}

// distances returns, as bits, the distances from a run of cells whose first is at
// place to the cells above it.
func (l *level) distances(placeOf []uint8, from, to, place int) uint64 {
	set := uint64(0)
	for c := from; c < to; c++ {
		if above := l.next[up][c]; above >= 0 {
			set |= 1 << (place + c - from - int(placeOf[above]))
		}
	}
	return set
}
