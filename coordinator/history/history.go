package history

import (
	"slices"

	"github.com/everystate/everystate/puzzle/digest"
)

// History is what has been committed.
type History struct {
	layers    [Goal + 1][]Layer
	states    [Goal + 1]int64 // in all layers of the phase
	widest    int64           // states of the largest layer of all phases
	goals     int64           // in all forward layers
	firstGoal int             // one more than the depth of the first goal state, 0 if there is none
	ends      [Goal + 1]*PhaseEnd
	identity  Identity
	session   uint32 // first epoch of the present session, 0 before there is one
	placement *Placement
	units     UnitSet // the completed units of a sweep
	unitsDone int
	keep      Keep
	divided   bool
}

// Layers returns the committed layers of a phase, in order of depth. The caller
// must not change them.
func (h *History) Layers(p Phase) []Layer { return h.layers[p] }

// End returns the end of a phase, or nil if it is not exhausted.
func (h *History) End(p Phase) *PhaseEnd { return h.ends[p] }

// States returns the number of states of a phase.
func (h *History) States(p Phase) int64 { return h.states[p] }

// Widest returns the number of states of the largest layer, of whichever phase.
func Widest(h *History) int64 { return h.widest }

// Generated returns the number of successors generated in a phase.
func (h *History) Generated(p Phase) int64 {
	var n int64
	for _, l := range h.layers[p] {
		n += l.Generated
	}
	if end := h.ends[p]; end != nil {
		n += end.Generated
	}
	return n
}

// Represented returns the number of states of the full space that the states of
// the forward phase stand for, or 0 if each stands for itself.
func (h *History) Represented() int64 {
	var n int64
	for _, l := range h.layers[Forward] {
		n += l.Represented
	}
	return n
}

// Pruned returns the number of moves of the states of the forward phase that the
// puzzle prunes.
func (h *History) Pruned() int64 {
	var n int64
	for _, l := range h.layers[Forward] {
		n += l.Pruned
	}
	return n
}

// Goals returns the number of goal states found in the forward phase.
func (h *History) Goals() int64 { return h.goals }

// FirstGoal returns the depth of the first goal state, or -1.
func (h *History) FirstGoal() int { return h.firstGoal - 1 }

// Nanos returns the time that a phase took, in nanoseconds.
func (h *History) Nanos(p Phase) int64 {
	var n int64
	for _, l := range h.layers[p] {
		n += l.Nanos
	}
	if end := h.ends[p]; end != nil {
		n += end.Nanos
	}
	return n
}

// Digest returns the digest of all layers of all phases.
func (h *History) Digest() digest.Digest {
	var d digest.Digest
	for _, layers := range h.layers {
		for _, l := range layers {
			d.Add(l.Digest)
		}
	}
	return d
}

// AddLayer appends a layer. It reports whether it could: the layer must be the next
// of its phase, from a later attempt than all before it, and drop no layer that the run
// keeps.
func (h *History) AddLayer(l Layer) bool {
	if !h.open(l.Phase) || int(l.Depth) != len(h.layers[l.Phase]) || l.Epoch <= h.LastEpoch() || !h.drops(l) {
		return false
	}
	h.layers[l.Phase] = append(h.layers[l.Phase], l)
	h.states[l.Phase] += l.States
	h.widest = max(h.widest, l.States)
	if l.Phase != Forward {
		return true
	}
	h.goals += l.Goals
	if l.Goals > 0 && h.firstGoal == 0 {
		h.firstGoal = int(l.Depth) + 1
	}
	return true
}

// Cut forgets the layer of a phase and depth, if there is one, and whatever was made
// after it: later layers, the end of the phase, and the goal phase if the phase is the
// forward one.
func (h *History) Cut(p Phase, depth uint32) {
	if int64(depth) >= int64(len(h.layers[p])) {
		return
	}
	for later := p; later <= Goal; later++ {
		for _, l := range h.layers[later][depth:] {
			h.states[later] -= l.States
			if later == Forward {
				h.goals -= l.Goals
			}
		}
		h.layers[later], h.ends[later] = slices.Clip(h.layers[later][:depth]), nil
		depth = 0
	}
	if p == Forward && h.firstGoal > len(h.layers[Forward]) {
		h.firstGoal = 0
	}
	h.widest = 0
	for _, layers := range h.layers {
		for _, l := range layers {
			h.widest = max(h.widest, l.States)
		}
	}
}

// Has reports whether a layer is one of the history, and not one that was made again
// since.
func (h *History) Has(l Layer) bool {
	layers := h.layers[l.Phase]
	return int64(l.Depth) < int64(len(layers)) && layers[l.Depth].Epoch == l.Epoch
}

// Units returns the completed units of a sweep and how many there are. The caller
// must not change the set.
func (h *History) Units() (done UnitSet, n int) { return h.units, h.unitsDone }

// Session returns the first epoch of the present session, 0 before there is one.
func (h *History) Session() uint32 { return h.session }

// AddUnit notes that a unit of a sweep is done. It reports whether it could: the
// unit must not be done yet, and the first epoch of its session must not be later
// than the present session's.
func (h *History) AddUnit(unit, epoch uint32) bool {
	if epoch > h.session || !h.units.Add(unit) {
		return false
	}
	h.unitsDone++
	return true
}

// AddEnd ends a phase. It reports whether it could: the phase must be open and have
// e.Layers layers.
func (h *History) AddEnd(e PhaseEnd) bool {
	if !h.open(e.Phase) || int(e.Layers) != len(h.layers[e.Phase]) {
		return false
	}
	h.ends[e.Phase] = &e
	return true
}

// open reports whether a phase can continue: the goal phase begins when the forward
// phase has ended.
func (h *History) open(p Phase) bool {
	return p == Forward && h.ends[Forward] == nil ||
		p == Goal && h.ends[Forward] != nil && h.ends[Goal] == nil
}

// sessionEpochs is the number of epochs reserved for a session. A session that
// needs more continues into those of the next, which then begins after them if a
// layer was committed with them.
const sessionEpochs = 1 << 20

// NextSession returns the first epoch of a new session, greater than any that an
// earlier session may have used and than one that others know of, or 0 if there is
// none left.
func (h *History) NextSession(known uint32) uint32 {
	return (max(h.LastEpoch(), known)/sessionEpochs + 1) * sessionEpochs // wraps to 0
}

// AddSession begins a session. It reports whether it could: the first epoch must be
// later than all before.
func (h *History) AddSession(firstEpoch uint32) bool {
	if firstEpoch <= h.LastEpoch() {
		return false
	}
	h.session = firstEpoch
	return true
}

// Empty reports whether nothing has been found yet.
func (h *History) Empty() bool { return len(h.layers[Forward]) == 0 }

// Exhausted reports whether a run has nothing left to find, including goal
// distances if distances is set.
func (h *History) Exhausted(distances bool) bool {
	return h.ends[Forward] != nil && (!distances || h.ends[Goal] != nil)
}

// LastEpoch returns the greatest epoch of a session or a committed layer. Epochs
// only rise.
func (h *History) LastEpoch() uint32 {
	epoch := h.session
	for _, layers := range h.layers {
		if len(layers) > 0 {
			epoch = max(epoch, layers[len(layers)-1].Epoch)
		}
	}
	return epoch
}
