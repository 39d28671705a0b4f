package history

// Span names consecutive layers of a phase: those at depths from First up to but
// excluding End.
type Span struct {
	Phase      Phase
	First, End uint32
}

// SpansMax is the maximum number of spans that name layers, which bounds the
// orders to workers.
const SpansMax = 4096

// Span returns the layers that a span names, which must have been committed. The
// caller must not change them.
func (h *History) Span(s Span) []Layer { return h.layers[s.Phase][s.First:s.End] }

// SpanStates returns the number of states of the layers that spans name.
func (h *History) SpanStates(spans []Span) int64 {
	var n int64
	for _, s := range spans {
		for _, l := range h.Span(s) {
			n += l.States
		}
	}
	return n
}
