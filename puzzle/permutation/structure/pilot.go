package structure

import "slices"

// A Ranking numbers the ways in which the pieces of an orbit lie at its places, in
// lexicographic order. Items are indices into Labels, which ascend.
type Ranking struct {
	Places []int
	Labels []uint8
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

// Fits reports whether Best can be asked about so many ranks.
func Fits(list []Automorphism, size uint64) bool {
	return len(list) <= bestSymmetriesMax && size <= bestRanksMax && size*uint64(len(list)) <= bestImagesMax
}

// Leads reports whether Best can be asked about the pieces at some places, with as many
// ranks: all automorphisms must map the places to themselves, so that the image of the
// pieces does not depend on the rest of a state.
func Leads(list []Automorphism, places []int, size uint64) bool {
	if !Fits(list, size) {
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
// bits, and that rank. inverse holds the inverse of each symmetry, and images writes the rank
// of the image of a rank under each.
//
// The first rank of each orbit is its least, and the inverse of what leads from there to
// another one leads back.
func Best(inverse []int, size uint64, images func(ranks []uint64, of uint64)) (best []uint64, least []uint32) {
	best, least = make([]uint64, size), make([]uint32, size)
	ranks := make([]uint64, len(inverse))
	for rank := range size {
		if best[rank] != 0 {
			continue
		}
		images(ranks, rank)
		for i, image := range ranks {
			best[image] |= 1 << inverse[i]
			least[image] = uint32(rank) // below bestRanksMax
		}
	}
	return best, least
}

// Images returns the images of ranks under symmetries, for Best.
func (r *Ranking) Images(list []Automorphism) func(ranks []uint64, of uint64) {
	var local [256]uint8
	for item, label := range r.Labels {
		local[label] = uint8(item)
	}
	to := make([][]int, len(list)) // by symmetry and index of a place: the index of its image
	for i := range list {
		for _, place := range r.Places {
			to[i] = append(to[i], slices.Index(r.Places, int(list[i].To[place])))
		}
	}
	items, moved := make([]uint8, len(r.Places)), make([]uint8, len(r.Places))
	return func(ranks []uint64, of uint64) {
		r.Unrank(items, of)
		for i := range list {
			for k, item := range items {
				moved[to[i][k]] = local[list[i].Pieces[r.Labels[item]]]
			}
			ranks[i] = r.Rank(moved)
		}
	}
}

// Inverses returns the inverse of each symmetry of a group.
func Inverses(list []Automorphism, s *System) (inverse []int) {
	for i := range list {
		inverse = append(inverse, slices.IndexFunc(list, func(t Automorphism) bool { return list[i].Inverts(&t, s) }))
	}
	return inverse
}
