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
