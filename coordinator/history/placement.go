package history

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// WorkerID identifies a worker while it is a member.
type WorkerID uint32

// NoWorker is not a worker's ID.
const NoWorker = WorkerID(math.MaxUint32)

// Placement records which worker keeps each partition if workers have disks of
// their own.
type Placement struct {
	// Workers holds the permanent names of the workers. A worker's WorkerID is
	// its index.
	Workers []string
	// Homes holds the WorkerID for each partition.
	Homes []WorkerID
}

// KeptBy returns how many partitions a worker keeps.
func (p *Placement) KeptBy(id WorkerID) int {
	n := 0
	for _, home := range p.Homes {
		if home == id {
			n++
		}
	}
	return n
}

// On reports whether partitions are on a worker; if p is nil, none are.
func (p *Placement) On(worker string) bool {
	if p == nil {
		return false
	}
	id := slices.Index(p.Workers, worker)
	return id >= 0 && slices.Contains(p.Homes, WorkerID(id))
}

// Keepers returns the workers that keep partitions, none if p is nil.
func (p *Placement) Keepers() []WorkerID {
	if p == nil {
		return nil
	}
	return slices.Compact(slices.Sorted(slices.Values(p.Homes)))
}

// Shares returns how many partitions each worker keeps, for people.
func (p *Placement) Shares() string {
	var out []string
	for id, name := range p.Workers {
		if n := p.KeptBy(WorkerID(id)); n > 0 {
			out = append(out, fmt.Sprintf("%s %d", name, n))
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// valid reports whether there are partitions, each at a worker of the list, and
// the names of the workers are distinct and not empty.
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
// one store or none are kept yet.
func (h *History) Placement() *Placement { return h.placement }

// AddPlacement records where the partitions are kept from now on. It reports
// whether it could: the placement must be valid and have as many partitions as
// before.
func (h *History) AddPlacement(p Placement) bool {
	if !p.valid() || h.placement != nil && len(p.Homes) != len(h.placement.Homes) {
		return false
	}
	h.placement = &p
	return true
}

// SetHomes records which worker keeps each partition. The names of the workers
// are recorded by the core's driver, which knows them.
func (h *History) SetHomes(homes []WorkerID) {
	place := Placement{Homes: homes}
	if h.placement != nil {
		place.Workers = h.placement.Workers
	}
	h.placement = &place
}
