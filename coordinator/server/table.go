package server

import (
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// table numbers the workers of a run: a worker's core.WorkerID is its place. It
// only grows.
type table []string

// id returns the number of a worker, a new one if it has none.
func (t *table) id(name string) history.WorkerID {
	i := slices.Index(*t, name)
	if i < 0 {
		i = len(*t)
		*t = append(*t, name)
	}
	return history.WorkerID(i)
}

// adopt renumbers the workers of a history that was read from a journal.
func (t *table) adopt(h *history.History) {
	place := h.Placement()
	if place == nil {
		return
	}
	homes := make([]history.WorkerID, len(place.Homes))
	for p, home := range place.Homes {
		homes[p] = t.id(place.Workers[home])
	}
	// It was valid, and so it is now.
	h.AddPlacement(history.Placement{Workers: slices.Clone(*t), Homes: homes})
}
