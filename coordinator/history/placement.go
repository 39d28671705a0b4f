package history

import "math"

// WorkerID names a worker for as long as it is a member.
type WorkerID uint32

// NoWorker is not a worker's ID.
const NoWorker = WorkerID(math.MaxUint32)

// Placement says which worker keeps each partition, where workers have disks of
// their own.
type Placement struct {
	// Workers holds the lasting names of the workers. A worker's WorkerID is its
	// index.
	Workers []string
	// Homes holds the WorkerID for each partition.
	Homes []WorkerID
}

// valid reports whether every partition has a home that is there.
func (p *Placement) valid() bool {
	for _, h := range p.Homes {
		if int64(h) >= int64(len(p.Workers)) {
			return false
		}
	}
	seen := make(map[string]bool, len(p.Workers))
	for _, w := range p.Workers {
		if w == "" || seen[w] {
			return false
		}
		seen[w] = true
	}
	return len(p.Homes) > 0
}

// Placement returns where the partitions are kept, or nil if all workers share
// one store or nobody keeps any yet.
func (h *History) Placement() *Placement { return h.placement }

// AddPlacement settles where the partitions are kept from now on. It reports
// whether that can be settled so.
func (h *History) AddPlacement(p Placement) bool {
	if !p.valid() || h.placement != nil && len(p.Homes) != len(h.placement.Homes) {
		return false
	}
	h.placement = &p
	return true
}

// SetHomes settles which worker keeps each partition. Who the workers are is
// recorded by whoever drives the core and knows their names.
func (h *History) SetHomes(homes []WorkerID) {
	place := Placement{Homes: homes}
	if h.placement != nil {
		place.Workers = h.placement.Workers
	}
	h.placement = &place
}
