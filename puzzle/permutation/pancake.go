package permutation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/permutation/flat"
	"github.com/everystate/everystate/puzzle/permutation/source"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// Pancake is the name of the pancake family.
const Pancake = "pancake"

const burntPancake = "burnt-pancake"

func pancakes() source.Family {
	return source.Family{
		Name: Pancake, Aliases: []string{burntPancake, "pancakes"},
		Metrics: []string{"flip"}, Notations: []string{Pancake, burntPancake}, Keys: []string{"goal"},
	}
}

// stack is the notation of a stack of pancakes.
type stack struct{ labelled }

// LooksPancake reports whether a file is one line of the numbers from 1 on, in any
// order and with any signs.
func LooksPancake(f *boardfile.File) bool {
	if len(f.Body) != 1 {
		return false
	}
	words := f.Body[0].Fields()
	seen := make([]bool, len(words))
	for _, w := range words {
		n, err := strconv.Atoi(w.Text)
		if n = max(n, -n); err != nil || n < 1 || n > len(seen) || seen[n-1] {
			return false
		}
		seen[n-1] = true
	}
	return len(words) > 1
}

// ReadPancake reads a stack of pancakes. It is burnt if the file says so, or if the
// file does not say and one pancake has a sign.
func ReadPancake(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	return result(readPancake(text, opts))
}

// result turns a fault into an error.
func result(boards []puzzle.Board, fault *puzzle.InputError) ([]puzzle.Board, error) {
	if fault != nil {
		return nil, fault
	}
	return boards, nil
}

func readPancake(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, *puzzle.InputError) {
	s, fault := pancakes().Open(text, opts)
	if fault != nil {
		return nil, fault
	}
	line, fault := s.Line()
	if fault != nil {
		return nil, fault
	}
	size := len(line.Fields())
	if size < 2 || size > placesMax {
		return nil, line.Faultf("%s: a stack has 2 to %d, written top to bottom as in 3 1 2", plural(size, "pancake"), placesMax)
	}
	goalLine, hasGoal := s.Value("goal")
	if s.Notation == "" {
		s.Notation = Pancake
		signed := func(w boardfile.Piece) bool { return strings.ContainsAny(w.Text[:1], "+-") }
		if slices.ContainsFunc(append(line.Fields(), goalLine.Fields()...), signed) {
			s.Notation = burntPancake
		}
	}
	burnt := s.Notation == burntPancake
	sys, n := flips(size, burnt)
	if sys.start, fault = n.readStack(line); fault != nil {
		return nil, fault
	}
	goal := ordered(size)
	if hasGoal {
		if goal, fault = n.readStack(goalLine); fault != nil {
			return nil, fault
		}
	}
	sys.goals = []arrangement{goal}
	goalText := strings.Join(n.words(goal), " ")
	canonical := fmt.Sprintf("puzzle: %s\nnotation: %s\nmetric: %s\ngoal: %s\n\n%s\n",
		Pancake, s.Notation, s.Metric, goalText, strings.Join(n.words(sys.start), " "))
	note := plural(size, "pancake")
	if burnt {
		note = plural(size, "burnt pancake")
	}
	if !goal.equal(ordered(size)) {
		note += "; goal " + goalText
	}
	return finish(s, sys, n, canonical, note)
}

// flips returns the moves of a stack.
func flips(size int, burnt bool) (system, *stack) {
	modulus, least := uint8(1), 2
	if burnt {
		modulus, least = 2, 1
	}
	moduli := slices.Repeat([]uint8{modulus}, size)
	sys := system{moduli: moduli}
	n := &stack{labelled{labels: counted(size), moduli: moduli, signed: burnt}}
	for k := least; k <= size; k++ {
		t := structure.Still(size)
		slices.Reverse(t.From[:k])
		for i := range k {
			t.By[i] = modulus - 1
		}
		sys.moves = append(sys.moves, t)
		n.names = append(n.names, strconv.Itoa(k))
	}
	return sys, n
}

// readStack reads a stack in which every pancake occurs once.
func (n *stack) readStack(line boardfile.Piece) (arrangement, *puzzle.InputError) {
	a, fault := n.read(line)
	if fault != nil {
		return a, fault
	}
	if i := a.repeated(); i >= 0 {
		return a, line.Fields()[i].Faultf("pancake %s is in the stack twice", n.labels[a.pieces[i]])
	}
	return a, nil
}

func (n *stack) picture(a arrangement) *puzzle.Picture { return flat.Stack(n.words(a), a.pieces) }
