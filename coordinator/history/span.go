package history

// Span names layers of a phase that follow one another: those at the depths from
// First up to, but without, End.
type Span struct {
	Phase      Phase
	First, End uint32
}

// SpansMax is the number of spans that name layers at the most, which bounds the
// orders that workers are given.
const SpansMax = 4096

// Span returns the committed layers that a span names. They must have been
// committed, and the caller must not change them.
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
