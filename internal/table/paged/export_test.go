package paged

import "github.com/everystate/everystate/internal/table"

// NewSmall returns a search whose candidates are mostly spilled, and whose pages are not kept.
func NewSmall(space *table.Space, phase uint8, disk Disk, o Options) *Search {
	s := New(space, phase, disk, o)
	for _, h := range s.crew {
		for i := range h.found {
			h.found[i] = newPool(space.Pages(), int64(poolChunkBytes*(space.Pages()+64)))
		}
	}
	return s
}

// ListKept makes Each list what was kept of a layer, not what was noted.
func (s *Search) ListKept() {
	for _, h := range s.crew {
		h.noted.Reset()
	}
}
