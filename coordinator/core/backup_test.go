package core

import (
	"reflect"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// An entry is one of a journal: exactly one of the fields is set.
type entry struct {
	session   *session
	placement *history.Placement
	layer     *history.Layer
	end       *history.PhaseEnd
}

// A session names the process that began it: without that, two processes that
// begin the same session would both take it for their own.
type session struct {
	epoch uint32
	by    int
}

func (e entry) same(other entry) bool { return reflect.DeepEqual(e, other) }

// historyOf returns what a journal tells. It reports whether its entries can
// follow each other so.
func historyOf(journal []entry) (h history.History, ok bool) {
	ok = true
	for _, e := range journal {
		switch {
		case e.session != nil:
			ok = ok && h.AddSession(e.session.epoch)
		case e.placement != nil:
			ok = ok && h.AddPlacement(*e.placement)
		case e.layer != nil:
			ok = ok && h.AddLayer(*e.layer)
		case e.end != nil:
			ok = ok && h.AddEnd(*e.end)
		}
	}
	return h, ok
}

// A made layer is a committed one, with the names of the workers that had each
// partition when it was made.
type made struct {
	history.Layer
	homes []string
}

func madeIn(journal []entry) []made {
	var layers []made
	var homes []string
	for _, e := range journal {
		if e.placement != nil {
			homes = namesOf(*e.placement)
		}
		if e.layer != nil {
			layers = append(layers, made{*e.layer, homes})
		}
	}
	return layers
}

// namesOf returns the name of each partition's home.
func namesOf(p history.Placement) []string {
	names := make([]string, len(p.Homes))
	for part, id := range p.Homes {
		names[part] = p.Workers[id]
	}
	return names
}

// makers returns the workers that wrote states of a layer.
func (m made) makers() []string {
	var names []string
	for part, name := range m.homes {
		if m.PartStates[part] > 0 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (m made) key(part uint32) runKey { return runKey{m.Phase, m.Depth, m.Epoch, part} }

// object returns the name of what a worker uploads of a layer.
func (m made) object(worker string) objectKey { return objectKey{m.Phase, m.Depth, m.Epoch, worker} }

type objectKey struct {
	phase        history.Phase
	depth, epoch uint32
	worker       string
}

// A bucket is the backup: a log, whose entries are each created once, and what
// workers uploaded of the layers.
type bucket struct {
	log      []entry
	creators []*process // by entry
	objects  map[objectKey]map[uint32]states
	away     bool
}

// create appends an entry, unless there is one in its place. It reports whether
// the entry there is this one.
func (b *bucket) create(n int, e entry, by *process) bool {
	if n < len(b.log) {
		return b.log[n].same(e)
	}
	b.log = append(b.log, e)
	b.creators = append(b.creators, by)
	return true
}

// missing returns the workers that have not uploaded yet what they wrote of a
// layer.
func (b *bucket) missing(m made) []string {
	return slices.DeleteFunc(m.makers(), func(name string) bool { return b.objects[m.object(name)] != nil })
}

// upload stores what a worker wrote of a layer.
func (b *bucket) upload(m made, worker string, disk map[runKey]states) bool {
	object := make(map[uint32]states)
	for part, name := range m.homes {
		if name == worker {
			recs, found := disk[m.key(uint32(part))]
			if !found {
				return false
			}
			object[uint32(part)] = recs
		}
	}
	b.objects[m.object(worker)] = object
	return true
}

// restore returns the records of a partition of a layer.
func (b *bucket) restore(m made, part uint32) (recs states, found bool) {
	recs, found = b.objects[m.object(m.homes[part])][part]
	return recs, found
}
