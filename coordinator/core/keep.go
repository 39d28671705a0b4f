package core

import "github.com/everystate/everystate/coordinator/history"

// Drops reports whether a run of such a puzzle can drop layers: whether there is a layer
// that no later one needs.
func Drops(opts Options) bool {
	const later = 8 // any depth at which all layers made before are far enough away
	return neededFrom(&history.History{}, opts, later) > 0
}

// keptFrom returns history.Layer.KeptFrom of the layer about to be committed. The plan
// of the next layer decides: what it does not read no later plan of the forward phase reads,
// because plans only move on. The first layer of goal distances is made from all layers, so a
// run that drops some has none, unless it divides a table, which has their states.
//
// While workers fetch partitions of a table ahead, nothing is dropped: the table they fetch
// ends at one layer, and they need the records of all later ones.
func keptFrom(c *Core, l history.Layer) uint32 {
	h := &c.history
	switch {
	case !h.Keep().Frontier && !history.Divides(h) || l.Phase != history.Forward:
		return 0
	case len(c.ahead.has) > 0: // also where some of them began again, or are gone
		return h.KeptFrom()
	default:
		return neededFrom(h, c.opts, l.Depth)
	}
}

// While partitions are fetched ahead, at most one in aheadShare of all states is kept as a
// record only for that; workers gather about as many before they put them into the table.
const aheadShare = 4

// keepsTooMuch reports whether more than that is kept, so that the partitions should move now.
func keepsTooMuch(c *Core) bool {
	h := &c.history
	layers := h.Layers(history.Forward)
	if !history.Divides(h) || len(layers) == 0 || h.End(history.Forward) != nil { // then it does not grow
		return false
	}
	var states int64
	for _, l := range layers[h.KeptFrom():neededFrom(h, c.opts, uint32(len(layers)-1))] {
		states += l.States
	}
	return states > h.States(history.Forward)/aheadShare
}

// neededFrom returns the depth of the first layer that is read to make the one after the
// forward layer at a depth.
func neededFrom(h *history.History, opts Options, depth uint32) uint32 {
	next := planAfter(h, opts, history.Forward, 0, depth+1)
	from := depth
	for _, spans := range [][]history.Span{next.Expand, next.Exclude, next.Within} {
		for _, s := range spans {
			from = min(from, s.First)
		}
	}
	return from
}
