package history

import (
	"slices"
)

// Names numbers the workers of a run: a worker's WorkerID is its place. It
// only grows.
type Names []string

// ID returns the number of a worker, a new one if it has none.
func (t *Names) ID(name string) WorkerID {
	i := slices.Index(*t, name)
	if i < 0 {
		i = len(*t)
		*t = append(*t, name)
	}
	return WorkerID(i)
}

// Adopt renumbers the workers of a history that was read from a journal.
func (t *Names) Adopt(h *History) {
	place := h.Placement()
	if place == nil {
		return
	}
	homes := make([]WorkerID, len(place.Homes))
	for p, home := range place.Homes {
		homes[p] = t.ID(place.Workers[home])
	}
	// It was valid, and so it is now.
	h.AddPlacement(Placement{Workers: slices.Clone(*t), Homes: homes})
}
