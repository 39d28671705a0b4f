package core

import "github.com/everystate/everystate/coordinator/history"

// How far the copy in the bucket may lag before the next layer waits for it. Layers that
// the copy lacks are made again when a worker's disk is lost.
const (
	LagBytesMax  = 64 << 20
	LagLayersMax = 64
)

// lags reports whether the next layer has to wait for the copy. The newest layer has
// only just been made, so its size does not count. A copy that is stuck is not waited
// for.
func lags(h *history.History, copied *Durable) bool {
	if copied == nil || copied.Stuck {
		return false
	}
	forward := missing(h.Layers(history.Forward), copied.Forward)
	goal := missing(h.Layers(history.Goal), copied.Goal)
	if len(forward)+len(goal) > LagLayersMax {
		return true
	}
	var bytes, newest int64
	for _, layers := range [][]history.Layer{forward, goal} {
		for _, l := range layers {
			bytes += l.Bytes
			newest = l.Bytes
		}
	}
	return bytes-newest > LagBytesMax
}

// missing returns the layers after the first n.
func missing(layers []history.Layer, n int) []history.Layer {
	return layers[min(max(n, 0), len(layers)):]
}
