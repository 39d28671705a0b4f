package history

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
)

// BeginsAs reports whether the layers of a history, if there are any, begin with the starts
// of a puzzle: another version may have read the same board with other keys.
func BeginsAs(h *History, p puzzle.Puzzle) bool {
	if h.Empty() {
		return true
	}
	var starts digest.Digest
	salt := digest.LayerSalt(uint8(Forward), 0)
	for key := range slices.Chunk(p.Starts(), p.Layout().Words()) {
		starts.AddState(salt, key, 0)
	}
	return starts == h.layers[Forward][0].Digest || puzzle.Err(p) != nil
}
