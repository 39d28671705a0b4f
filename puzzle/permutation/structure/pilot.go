package structure

import "slices"

// A Ranking numbers the ways in which the pieces of an orbit lie at its places, in
// lexicographic order. Items are indices into Labels, which ascend.
type Ranking struct {
	Places []int
	Labels []uint8
	Size   uint64
	Rank   func(items []uint8) uint64
	Unrank func(items []uint8, rank uint64)
}

// Bounds of the table of Best: its symmetries, its ranks, and the images computed to
// make it.
const (
	bestSymmetriesMax = 64
	bestRanksMax      = 1 << 20
	bestImagesMax     = 1 << 22
)

// Leads reports whether Best can be asked about the pieces at some places, with as many
// ranks: all automorphisms must map the places to themselves, so that the image of the
// pieces does not depend on the rest of a state.
func Leads(list []Automorphism, places []int, size uint64) bool {
	if len(list) > bestSymmetriesMax || size > bestRanksMax || size*uint64(len(list)) > bestImagesMax {
		return false
	}
	for i := range list {
		for _, place := range places {
			if !slices.Contains(places, int(list[i].To[place])) {
				return false
			}
		}
	}
	return true
}

// Best returns, by rank, the symmetries under which the image has the least rank, as
// bits, and that rank.
func Best(list []Automorphism, r Ranking) (best []uint64, ranks []uint32) {
	best, ranks = make([]uint64, r.Size), make([]uint32, r.Size)
	var local [256]uint8
	for item, label := range r.Labels {
		local[label] = uint8(item)
	}
	items, moved := make([]uint8, len(r.Places)), make([]uint8, len(r.Places))
	for rank := range r.Size {
		r.Unrank(items, rank)
		least := r.Size
		for i := range list {
			t := &list[i]
			for k, place := range r.Places {
				moved[slices.Index(r.Places, int(t.To[place]))] = local[t.Pieces[r.Labels[items[k]]]]
			}
			switch image := r.Rank(moved); {
			case image < least:
				least, best[rank] = image, 1<<i
			case image == least:
				best[rank] |= 1 << i
			}
		}
		ranks[rank] = uint32(least) // below bestRanksMax
	}
	return best, ranks
}
