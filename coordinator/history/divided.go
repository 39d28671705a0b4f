package history

// SetDivided says whether a run divides a table among its workers (DividedTable). It is
// part of the spec and set before the first layer.
func SetDivided(h *History, divided bool) { h.divided = divided }

// Divides reports whether a run divides a table among its workers.
func Divides(h *History) bool { return h.divided }

// InTable reports whether a committed layer of such a run is in the table: its records
// may be gone, and its states have two bits each.
func InTable(h *History, l Layer) bool {
	return h.divided && l.Phase == Forward && l.Depth < h.KeptFrom()
}
