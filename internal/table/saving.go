package table

import "sync/atomic"

// Saving is what Search.Save has set.
type Saving struct {
	Pause func() bool // nil if nothing is to be saved
	Keep  func(part Part) error
}

// Save makes Next save what has been done of a layer.
func (s *Saving) Save(pause func() bool, save func(part Part) error) {
	s.Pause, s.Keep = pause, save
}

// Told is where progress within a layer is told: what Search.Tell has set.
type Told struct {
	frontier        int64
	expanded, found *atomic.Int64
}

// Tell makes Next tell its progress.
func (t *Told) Tell(frontier int64, expanded, found *atomic.Int64) {
	*t = Told{frontier, expanded, found}
}

// Blocks tells that some more of all blocks have been seen to.
func (t *Told) Blocks(from, to, of int, states int64) {
	if t.expanded == nil {
		return
	}
	share := func(blocks int) int64 { return int64(float64(t.frontier) * float64(blocks) / float64(of)) }
	t.expanded.Add(share(to) - share(from))
	t.found.Add(states)
}
