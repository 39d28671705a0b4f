package permutation

import (
	"maps"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/permutation/definition"
	"github.com/everystate/everystate/puzzle/permutation/structure"
	"github.com/everystate/everystate/puzzle/permutation/whole"
)

// described is the notation of a puzzle whose file defines its pieces and moves: a
// state is its pieces set by set, or the moves that lead to it from the solved state.
type described struct {
	labelled
	sets     []set
	of       []int           // by piece: its set
	known    map[string]move // by name of move, rotation or alias
	solution arrangement     // where scrambles begin
	turns    *whole.Turns    // of the whole puzzle; nil if they are told apart
}

// set is a range of places whose pieces have labels of their own. Its name may be
// empty.
type set struct {
	name          string
	first, places int
}

// setOf returns the index of a place's set.
func (n *described) setOf(place int) int {
	i := len(n.sets) - 1
	for n.sets[i].first > place {
		i--
	}
	return i
}

// piece returns the piece with a label in a set, or -1.
func (n *described) piece(set int, label string) int {
	for piece, other := range n.labels {
		if other == label && n.of[piece] == set {
			return piece
		}
	}
	return -1
}

func (n *described) line(a arrangement) string {
	words := n.words(a)
	var parts []string
	for _, s := range n.sets {
		parts = append(parts, strings.Join(words[s.first:s.first+s.places], " "))
	}
	return strings.Join(parts, " / ")
}

func (n *described) draw(a arrangement) string { return n.line(a) }

// read reads an arrangement, or moves from the solved state.
func (n *described) read(line boardfile.Piece) (arrangement, *puzzle.InputError) {
	words := slices.DeleteFunc(line.Fields(), func(w boardfile.Piece) bool { return w.Text == "/" })
	if len(words) > 0 {
		label, _, _ := strings.Cut(words[0].Text, "+")
		if n.piece(0, label) < 0 && n.isScramble(words[0].Text) {
			t, fault := n.product(line, n.noSuchMove)
			a := newArrangement(len(n.moduli))
			apply(t, a, n.solution, n.moduli)
			return n.held(a, line, fault)
		}
	}
	a := newArrangement(len(n.moduli))
	if len(words) != len(n.moduli) {
		return a, line.Faultf("%s, but the puzzle has %s", plural(len(words), "piece"), plural(len(n.moduli), "place"))
	}
	for i, w := range words {
		label, by, fault := splitTurn(w, int(n.moduli[i]))
		if fault != nil {
			return a, fault
		}
		piece := n.piece(n.setOf(i), label)
		if piece < 0 {
			return a, w.Faultf("unknown piece %s; the pieces are %s", boardfile.Quote(label), strings.Join(n.labelsOf(n.setOf(i)), " "))
		}
		a.pieces[i], a.orients[i] = uint8(piece), uint8(by)
	}
	return n.held(a, line, nil)
}

// held returns an arrangement, turned as a whole so that the held piece is in its place.
func (n *described) held(a arrangement, line boardfile.Piece, fault *puzzle.InputError) (arrangement, *puzzle.InputError) {
	if fault == nil && n.turns != nil && !n.turns.Turn(structure.Arrangement{Pieces: a.pieces, Orients: a.orients}) {
		piece, _ := n.turns.Held()
		return a, line.Faultf("piece %s is where no turn of the whole puzzle brings it", n.labels[piece])
	}
	return a, fault
}

// labelsOf lists the labels of a set.
func (n *described) labelsOf(set int) []string {
	var labels []string
	for piece, label := range n.labels {
		if n.of[piece] == set {
			labels = append(labels, label)
		}
	}
	return labels
}

// isScramble reports whether a word begins like moves.
func (n *described) isScramble(word string) bool {
	return word[0] == '[' || word[0] == '(' || n.prefix(word) > 0
}

// prefix returns the length of the longest known name at the start of a text.
func (n *described) prefix(text string) int {
	longest := 0
	for name := range n.known {
		if len(name) > longest && strings.HasPrefix(text, name) {
			longest = len(name)
		}
	}
	return longest
}

// product reads a sequence of moves. unknown returns the fault of a name without a move.
func (n *described) product(text boardfile.Piece, unknown func(boardfile.Piece) *puzzle.InputError) (move, *puzzle.InputError) {
	steps, fault := definition.ParseSteps(text.Fields(), n.prefix)
	if fault != nil {
		return structure.Still(len(n.moduli)), fault
	}
	return n.perform(steps, unknown)
}

// perform returns the effect of a sequence of steps. unknown returns the fault of a name
// without a move.
func (n *described) perform(steps []definition.Step, unknown func(boardfile.Piece) *puzzle.InputError) (move, *puzzle.InputError) {
	t := structure.Still(len(n.moduli))
	for _, s := range steps {
		u, ok := n.resolve(s.Name.Text)
		if !ok {
			return t, unknown(s.Name)
		}
		t = t.Then(u.Power(s.Amount, n.moduli), n.moduli)
	}
	return t, nil
}

// noSuchMove is the fault of a name in a state.
func (n *described) noSuchMove(name boardfile.Piece) *puzzle.InputError {
	const listed = 24
	all := slices.Sorted(maps.Keys(n.known))
	more := ""
	if len(all) > listed {
		all, more = all[:listed], ", ..."
	}
	return name.Faultf("%s is not a move of this puzzle: the moves are %s%s", boardfile.Quote(name.Text), strings.Join(all, ", "), more)
}

// notAbove is the fault of a name in the line of a move.
func notAbove(name boardfile.Piece) *puzzle.InputError {
	return name.Faultf("no line above defines move %s: moves are written with moves of the lines above", boardfile.Quote(name.Text))
}

// resolve returns the effect of a name, which may end with a repeat count.
func (n *described) resolve(name string) (move, bool) {
	if t, ok := n.known[name]; ok {
		return t, true
	}
	stem, amount := definition.Numbered(name)
	t, ok := n.known[stem]
	if !ok {
		return move{}, false
	}
	return t.Power(amount, n.moduli), true
}
