package sokoban

import "slices"

// An advisor compares two hauls from a position with the given features: it returns a
// positive number if it prefers the first one. It never advises a haul that it does
// not prefer to staying.
type advisor struct {
	useful func(now *features, room uint16, k *haul) bool
	prefer func(a, b *haul) int
}

// advisors returns the advisors. Each advises at most one haul of a position.
func advisors() []advisor {
	return []advisor{
		{ // Pack a box, in the order of packing.
			func(now *features, _ uint16, k *haul) bool { return k.packed > now.packed && k.away <= now.away },
			func(a, b *haul) int {
				return first(int(a.packed)-int(b.packed), int(b.away)-int(a.away), int(a.rank)-int(b.rank), int(b.regions)-int(a.regions), int(b.pushes)-int(a.pushes))
			},
		},
		{ // Bring back a box that the packing would leave behind.
			func(now *features, _ uint16, k *haul) bool { return k.away < now.away },
			func(a, b *haul) int {
				return first(int(b.away)-int(a.away), int(a.packed)-int(b.packed), int(b.regions)-int(a.regions), int(b.pushes)-int(a.pushes))
			},
		},
		{ // Clear the way of the box to be packed next.
			func(now *features, _ uint16, k *haul) bool { return k.blocked < now.blocked && k.packed >= now.packed },
			func(a, b *haul) int {
				return first(int(b.blocked)-int(a.blocked), int(b.away)-int(a.away), int(a.packed)-int(b.packed), int(b.regions)-int(a.regions), int(b.pushes)-int(a.pushes))
			},
		},
		{ // Join parts of the level.
			func(now *features, _ uint16, k *haul) bool { return k.regions < now.regions },
			func(a, b *haul) int {
				return first(int(b.regions)-int(a.regions), int(b.away)-int(a.away), int(a.packed)-int(b.packed), int(b.links)-int(a.links), int(b.pushes)-int(a.pushes))
			},
		},
		{ // Clear a link between rooms.
			func(now *features, _ uint16, k *haul) bool { return k.links < now.links },
			func(a, b *haul) int {
				return first(int(b.links)-int(a.links), int(b.away)-int(a.away), int(a.packed)-int(b.packed), int(b.regions)-int(a.regions), int(b.pushes)-int(a.pushes))
			},
		},
		{ // Give the player more room.
			func(_ *features, room uint16, k *haul) bool { return k.room > room+1 },
			func(a, b *haul) int {
				return first(int(a.room)-int(b.room), int(b.away)-int(a.away), int(a.packed)-int(b.packed), int(b.regions)-int(a.regions), int(b.pushes)-int(a.pushes))
			},
		},
	}
}

// first returns the first number that is not 0.
func first(numbers ...int) int {
	for _, n := range numbers {
		if n != 0 {
			return n
		}
	}
	return 0
}

// advise returns the indices of the advised hauls.
func advise(all []advisor, now *features, room uint16, hauls []haul, to []int) []int {
	for i := range all {
		a := &all[i]
		best := none
		for j := range hauls {
			if k := &hauls[j]; a.useful(now, room, k) && (best == none || a.prefer(k, &hauls[best]) > 0) {
				best = j
			}
		}
		if best != none && !slices.Contains(to, best) {
			to = append(to, best)
		}
	}
	return to
}

// inOrder compares hauls that no advisor proposes.
func inOrder(a, b haul) int {
	return -first(int(b.away)-int(a.away), int(a.packed)-int(b.packed), int(b.regions)-int(a.regions), int(b.links)-int(a.links), int(b.pushes)-int(a.pushes))
}
