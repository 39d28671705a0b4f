package stored

import (
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
)

// Give sets the table of the forward phase of a run, which is then not read from a file.
func (t *Tables) Give(h *history.History, what *table.Table) {
	t.history, t.given = h, what
}

// unknownEdges stands for a number of successors that nobody recorded.
const unknownEdges = -1

// readGiven is Read of a table that was given.
func (t *Tables) readGiven() (*table.Table, int64, error) {
	if end := t.history.End(history.Forward); end != nil {
		return t.given, end.Generated, nil
	}
	return t.given, unknownEdges, nil
}
