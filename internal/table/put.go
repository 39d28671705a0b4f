package table

import "github.com/everystate/everystate/puzzle"

// Put marks a state as being at a depth that is given modulo three. It reports false if the
// state has no rank or is in the table already. It is not safe for concurrent use.
func (t *Table) Put(key uint64, depth uint32) bool {
	block, item, ok := t.space.Ranks.Rank(key)
	if !ok || item == puzzle.NoItem || t.at(block, item) != 0 {
		return false
	}
	t.mark(block*t.space.words+int(item)/wordBits, 1<<(item%wordBits), codeOf(depth))
	return true
}
