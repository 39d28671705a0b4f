package history

import (
	"encoding/binary"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Keep is which layers of a run stay when no later layer needs them. The zero value
// keeps all.
type Keep struct {
	// Frontier drops the states of a layer as soon as no later layer needs them. Its
	// counts and its digest stay.
	Frontier bool
	// Named are layers of the forward phase that stay all the same. It is empty
	// without Frontier.
	Named Depths
}

// String returns the value as users give it: all, frontier, or frontier,3,7.
func (k Keep) String() string {
	if !k.Frontier {
		return "all"
	}
	text := []string{"frontier"}
	for _, d := range k.Named.All() {
		text = append(text, strconv.FormatUint(uint64(d), 10))
	}
	return strings.Join(text, ",")
}

// Depths is a set of depths. Like the whole spec it never changes and can be compared:
// it holds each depth in four bytes, big-endian, in increasing order.
type Depths string

// DepthsMax is the greatest number of depths in a set.
const DepthsMax = 4096

// DepthsOf returns a set of depths.
func DepthsOf(depths []uint32) Depths {
	depths = slices.Clone(depths)
	slices.Sort(depths)
	var set []byte
	for _, d := range slices.Compact(depths) {
		set = binary.BigEndian.AppendUint32(set, d)
	}
	return Depths(set)
}

// Len returns how many depths there are.
func (s Depths) Len() int { return len(s) / 4 }

// at returns the i-th depth.
func (s Depths) at(i int) uint32 { return binary.BigEndian.Uint32([]byte(s[4*i : 4*i+4])) }

// All returns the depths in increasing order.
func (s Depths) All() []uint32 {
	var all []uint32
	for i := range s.Len() {
		all = append(all, s.at(i))
	}
	return all
}

// Has reports whether a depth is in the set.
func (s Depths) Has(depth uint32) bool {
	i := sort.Search(s.Len(), func(i int) bool { return s.at(i) >= depth })
	return i < s.Len() && s.at(i) == depth
}

// SetKeep sets which layers stay. It is part of the spec and set before the first layer.
func (h *History) SetKeep(k Keep) { h.keep = k }

// Keep returns which layers stay.
func (h *History) Keep() Keep { return h.keep }

// KeptFrom returns the depth of the first forward layer whose records stay, besides those
// that are named.
func (h *History) KeptFrom() uint32 {
	if layers := h.layers[Forward]; len(layers) > 0 {
		return layers[len(layers)-1].KeptFrom
	}
	return 0
}

// Dropped reports whether the states of a committed layer have been dropped.
func (h *History) Dropped(l Layer) bool {
	return l.Phase == Forward && l.Depth < h.KeptFrom() && !h.keep.Named.Has(l.Depth) && !h.divided
}

// DroppedLayers returns how many layers have been dropped.
func (h *History) DroppedLayers() int {
	if h.divided {
		return 0
	}
	n := int(h.KeptFrom())
	for _, d := range h.keep.Named.All() {
		if d < h.KeptFrom() {
			n--
		}
	}
	return n
}

// DroppedSpans returns the layers that have been dropped, of those at depths from first
// up to but excluding end.
func (h *History) DroppedSpans(first, end uint32) []Span {
	return DroppedSpans(h.keep, first, min(end, h.KeptFrom()))
}

// DroppedSpans returns the layers at depths from one up to but excluding end that are not
// named.
func DroppedSpans(keep Keep, from, end uint32) []Span {
	var spans []Span
	for _, named := range append(keep.Named.All(), end) {
		if first, to := from, min(named, end); first < to {
			spans = append(spans, Span{Phase: Forward, First: first, End: to})
		}
		from = max(from, named+1)
	}
	return spans
}

// drops reports whether a layer may drop what it says: layers above it, in a run that
// does not keep the records of all, and never fewer than the layer before.
func (h *History) drops(l Layer) bool {
	if l.Phase != Forward || !h.keep.Frontier && !h.divided {
		return l.KeptFrom == 0
	}
	return l.KeptFrom >= h.KeptFrom() && l.KeptFrom <= l.Depth
}
