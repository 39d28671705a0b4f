package table

import "github.com/everystate/everystate/puzzle"

// linker finds links where states are numbered: by the states around one, of which the table
// tells how deep they are. It is not safe for concurrent use.
type linker struct {
	table  *Table
	key    []uint64
	near   puzzle.Edges
	around puzzle.Edges
}

func (t *Table) newLinker() *linker {
	return &linker{table: t}
}

// link returns the least move that leads to a state from one with the code before, and where
// that is.
func (l *linker) link(block int, item uint16, before code) (move puzzle.Move, fromBlock int, fromItem uint16, ok bool) {
	p, coder := l.table.space.Puzzle, l.table.space.Ranks
	l.key = coder.AppendKeys(l.key[:0], block, []uint16{item})
	l.near.Reset()
	p.Successors(l.key, &l.near)
	for _, near := range l.near.Keys {
		b, at, ranked := coder.Rank(near)
		if !ranked || l.table.at(b, at) != before {
			continue
		}
		if by, leads := l.leads(near); leads && (!ok || by < move) {
			move, fromBlock, fromItem, ok = by, b, at, true
		}
	}
	return move, fromBlock, fromItem, ok
}

// leads returns the least move from a state to the one at hand.
func (l *linker) leads(from uint64) (puzzle.Move, bool) {
	l.around.Reset()
	l.table.space.Puzzle.Successors([]uint64{from}, &l.around)
	for i, key := range l.around.Keys {
		if key == l.key[0] {
			return l.around.Moves[i], true
		}
	}
	return 0, false
}
