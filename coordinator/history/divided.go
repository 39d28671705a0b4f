package history

// SetDivided says that the run divides a table among its workers (DividedTable). It is part
// of the spec and set before the first layer.
func (h *History) SetDivided(divided bool) { h.divided = divided }

// Divided reports whether the run divides a table among its workers.
func (h *History) Divided() bool { return h.divided }

// InTable reports whether a committed layer of such a run is in the table: its records
// may be gone, and its states have two bits each.
func (h *History) InTable(l Layer) bool {
	return h.divided && l.Phase == Forward && l.Depth < h.KeptFrom()
}
