package stored

import (
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// firstStates is how many states layers near the starts have at most, together, to be
// generated again without the table.
const firstStates = 1 << 16

// fromFirst returns a layer of the forward phase that is near the starts, or nil. The caller
// holds t.mu.
func (t *Tables) fromFirst(layer history.Layer, part partition.ID) (*sorted, error) {
	if layer.Phase != history.Forward || t.read[layer.Phase] != nil {
		return nil, nil
	}
	states := int64(0)
	for _, l := range t.history.Layers(layer.Phase)[:layer.Depth+1] {
		states += l.States
	}
	if states > firstStates {
		return nil, nil
	}
	keys, links := firstLayer(t.puzzle, layer.Depth)
	if int64(len(keys)) != layer.States {
		return nil, nil // damage, which reading the table finds
	}
	return t.sort(func(f func(keys []uint64, link func(i int) puzzle.Move)) error {
		f(keys, func(i int) puzzle.Move { return links[i] })
		return nil
	}, layer, part)
}

// firstLayer generates the layer at a depth: its states, and the least moves that lead there
// from the layer before.
func firstLayer(p puzzle.Puzzle, depth uint32) (keys []uint64, links []puzzle.Move) {
	seen := make(map[uint64]int) // place in the layer being made, or -1
	for _, key := range p.Starts() {
		if _, known := seen[key]; !known {
			seen[key] = -1
			keys, links = append(keys, key), append(links, 0)
		}
	}
	var out puzzle.Edges
	for range depth {
		out.Reset()
		p.Successors(keys, &out)
		keys, links = nil, nil
		for i, key := range out.Keys {
			move := out.Moves[i]
			at, known := seen[key]
			switch {
			case !known:
				seen[key] = len(keys)
				keys, links = append(keys, key), append(links, move)
			case at >= 0:
				links[at] = min(links[at], move)
			}
		}
		for _, key := range keys {
			seen[key] = -1
		}
	}
	return keys, links
}
