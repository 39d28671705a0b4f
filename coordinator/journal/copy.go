package journal

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/store/bucket"
)

// A Copy tracks how far the log in a bucket has followed a journal. The log has an
// entry only after everything before it and, if the entry commits a layer, all objects
// of the layer. A Copy tells what may be written next; callers write. The zero value
// has no entries. It is not safe for concurrent use.
type Copy struct {
	logged  int // entries in the log
	dropped Dropped
	layers  [history.Goal + 1]int // layers of each phase in the log
	pending []*Uncopied
}

// Uncopied is a layer of the journal that the log does not have.
type Uncopied struct {
	Entry    int // number of the journal entry that commits it
	Layer    history.Layer
	Identity history.Identity // of the run when the layer was made; part of the names of its objects
	Since    time.Time
	Shares   []Share // in order of Writer
}

// Share is the object of a layer that one writer makes.
type Share struct {
	Writer     string
	Partitions []uint32 // that hold states, in increasing order
	Begun      bool     // the object is being written, or is written
	Written    bool
	Bytes      int64 // of the object that was written, 0 if the layer was dropped before: there is none
}

// Name returns the name of a writer's object.
func (u *Uncopied) Name(writer string) string {
	return bucket.ObjectName(uint8(u.Layer.Phase), u.Layer.Depth, u.Layer.Epoch, u.Identity.Writer(writer))
}

// Share returns a writer's share of the layer, or nil if it keeps none of it.
func (u *Uncopied) Share(writer string) *Share {
	i, ok := slices.BinarySearchFunc(u.Shares, writer, func(s Share, writer string) int { return cmp.Compare(s.Writer, writer) })
	if !ok {
		return nil
	}
	return &u.Shares[i]
}

// Follow resets c to follow a journal, of which the log has the first logged entries. A
// writer that works alone keeps all partitions, whatever workers the journal names; alone
// is empty if there is none. Layers that were made again later get no objects: nobody has
// them any more.
func (c *Copy) Follow(entries Entries, partitions, logged int, id history.Identity, alone string, now time.Time) error {
	*c = Copy{logged: logged}
	replaced, err := replacedFrom(entries, logged, partitions)
	if err != nil {
		return err
	}
	var place *history.Placement
	for i, body := range entries {
		e, err := ReadEntry(body, partitions)
		if err != nil {
			return fmt.Errorf("journal entry %d: %w", i, err)
		}
		switch {
		case replaced[i]:
		case e.Placement != nil && alone == "":
			place = e.Placement
		case e.Layer != nil && i < logged:
			c.Cut(e.Layer.Phase, e.Layer.Depth)
			c.has(e.Layer)
		case e.Layer != nil && place == nil && alone == "":
			return fmt.Errorf("journal entry %d: no worker has this layer", i)
		case e.Layer != nil:
			c.Await(i, *e.Layer, place, id, alone, now)
		}
	}
	return nil
}

// replacedFrom returns which of the entries, from number from on, commit layers that later
// ones replace.
func replacedFrom(entries Entries, from, partitions int) (map[int]bool, error) {
	replaced := make(map[int]bool)
	least := [history.Goal + 1]uint64{history.Forward: math.MaxUint64, history.Goal: math.MaxUint64} // depth of the later layers
	for i := len(entries) - 1; i >= from; i-- {
		e, err := ReadEntry(entries[i], partitions)
		if err != nil {
			return nil, fmt.Errorf("journal entry %d: %w", i, err)
		}
		l := e.Layer
		if l == nil {
			continue
		}
		if uint64(l.Depth) >= least[l.Phase] {
			replaced[i] = true
			continue
		}
		least[l.Phase] = uint64(l.Depth)
		if l.Phase == history.Forward {
			least[history.Goal] = 0
		}
	}
	return replaced, nil
}

// Await adds a layer that a journal entry commits, and returns what the keepers of its
// partitions must write: the workers named by place or, if that is nil, the writer
// alone.
func (c *Copy) Await(entry int, l history.Layer, place *history.Placement, id history.Identity, alone string, now time.Time) *Uncopied {
	parts := make(map[string][]uint32)
	for part, n := range l.PartStates {
		if n > 0 {
			writer := alone
			if place != nil {
				writer = place.Workers[place.Homes[part]]
			}
			parts[writer] = append(parts[writer], uint32(part))
		}
	}
	c.Cut(l.Phase, l.Depth)
	u := &Uncopied{Entry: entry, Layer: l, Identity: id, Since: now}
	for writer, p := range parts {
		u.Shares = append(u.Shares, Share{Writer: writer, Partitions: p})
	}
	slices.SortFunc(u.Shares, func(a, b Share) int { return cmp.Compare(a.Writer, b.Writer) })
	c.pending = append(c.pending, u)
	return u
}

// Cut notes that the layer of a phase and depth is made again, although the log may have
// it, and so is whatever was made after it.
func (c *Copy) Cut(p history.Phase, depth uint32) {
	if int64(depth) >= int64(c.layers[p]) {
		return
	}
	c.layers[p] = int(depth)
	if p == history.Forward {
		c.layers[history.Goal], c.dropped = 0, Dropped{}
	}
}

// has notes that the log has a layer.
func (c *Copy) has(l *history.Layer) {
	c.layers[l.Phase]++
	if l.Phase == history.Forward {
		c.dropped = Dropped{l.KeptFrom, l.Epoch}
	}
}

// Dropped is which layers of the forward phase a log has dropped: those above KeptFrom,
// made by attempts up to Epoch, but for those that the run names. Nobody needs their
// records or objects any more.
type Dropped struct{ KeptFrom, Epoch uint32 }

// Dropped returns which layers the log has dropped.
func (c *Copy) Dropped() Dropped { return c.dropped }

// Logged returns how many entries the log has.
func (c *Copy) Logged() int { return c.logged }

// Layers returns how many layers of a phase the log has.
func (c *Copy) Layers(p history.Phase) int { return c.layers[p] }

// Pending returns the layers that the log does not have, oldest first.
func (c *Copy) Pending() []*Uncopied { return c.pending }

// Bytes returns the size in bytes of the pending layers, as the journal counts it.
func (c *Copy) Bytes() (bytes int64) {
	for _, u := range c.pending {
		bytes += u.Layer.Bytes
	}
	return bytes
}

// nextLayer returns the layer that the next entry commits, or nil if it commits none.
func (c *Copy) nextLayer() *Uncopied {
	if len(c.pending) == 0 || c.pending[0].Entry != c.logged {
		return nil
	}
	return c.pending[0]
}

// Missing returns the writers that the next entry waits for.
func (c *Copy) Missing() (writers []string) {
	u := c.nextLayer()
	if u == nil {
		return nil
	}
	for i := range u.Shares {
		if !u.Shares[i].Written {
			writers = append(writers, u.Shares[i].Writer)
		}
	}
	return writers
}

// Next returns the first journal entry that the log does not have in the form in which
// it goes to the log. It returns nil if the entry must still wait for objects.
func (c *Copy) Next(entry []byte) ([]byte, error) {
	u := c.nextLayer()
	switch {
	case u == nil:
		return entry, nil
	case len(c.Missing()) > 0:
		return nil, nil
	}
	var objects []Object
	for _, s := range u.Shares {
		if s.Bytes == 0 {
			continue
		}
		objects = append(objects, Object{Name: u.Name(s.Writer), Bytes: s.Bytes, Partitions: s.Partitions})
	}
	return WithObjects(entry, objects)
}

// Appended notes that the log has the next entry.
func (c *Copy) Appended() {
	if u := c.nextLayer(); u != nil {
		c.has(&u.Layer)
		c.pending = c.pending[1:]
	}
	c.logged++
}
