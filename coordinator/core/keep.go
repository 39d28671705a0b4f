package core

import "github.com/everystate/everystate/coordinator/history"

// Drops reports whether a run of such a puzzle can drop layers: whether there is a layer
// that no later one needs.
func Drops(opts Options) bool {
	const later = 8 // any depth at which all layers made before are far enough away
	return neededFrom(&history.History{}, opts, later) > 0
}

// keptFrom returns history.Layer.KeptFrom of the layer about to be committed. The plan
// of the next layer decides: what it does not read no later plan reads, because plans
// only move on. Goal distances read every layer, so only runs without a goal phase drop
// any.
func keptFrom(h *history.History, opts Options, l history.Layer) uint32 {
	if !h.Keep().Frontier && !history.Divides(h) || l.Phase != history.Forward {
		return 0
	}
	return neededFrom(h, opts, l.Depth)
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
