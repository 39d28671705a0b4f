package permutation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/permutation/flat"
	"github.com/everystate/everystate/puzzle/permutation/source"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// TopSpin is the name of the TopSpin family.
const TopSpin = "topspin"

func topSpins() source.Family {
	return source.Family{
		Name: TopSpin, Aliases: []string{"top-spin"},
		Metrics: []string{"turn"}, Notations: []string{TopSpin}, Keys: []string{"goal"},
	}
}

// ring is the notation of a ring of tokens. Token 1 comes first and is not a piece:
// pieces and places are those after it.
type ring struct {
	tokens int
	labels []string // of all tokens
	names  []string
}

// tokensMin is the least number of tokens of a ring that differs from its mirror
// image.
const tokensMin = 3

// LooksTopSpin reports whether a file is one line with two numbers before a colon.
func LooksTopSpin(f *boardfile.File) bool {
	if len(f.Body) != 1 {
		return false
	}
	sizes, _, found := strings.Cut(f.Body[0].Text, ":")
	return found && len(strings.Fields(sizes)) == 2 && strings.Trim(sizes, "0123456789 \t") == ""
}

// ReadTopSpin reads a ring of tokens.
func ReadTopSpin(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	return result(readTopSpin(text, opts))
}

func readTopSpin(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, *puzzle.InputError) {
	s, fault := topSpins().Open(text, opts)
	if fault != nil {
		return nil, fault
	}
	line, fault := s.Line()
	if fault != nil {
		return nil, fault
	}
	i := strings.IndexByte(line.Text, ':')
	if i < 0 {
		return nil, line.Faultf("%s is not a ring: write tokens, how many are reversed and the ring, as in 5 3: 1 2 3 4 5", boardfile.Quote(line.Text))
	}
	sizes := boardfile.Piece{Text: line.Text[:i], Line: line.Line, Column: line.Column}.Fields()
	if len(sizes) != 2 {
		return nil, line.Faultf("%s before the colon: write how many tokens there are and how many are reversed, as in 5 3: 1 2 3 4 5", plural(len(sizes), "number"))
	}
	tokens, fault := sizes[0].Number("tokens", tokensMin, placesMax+1)
	if fault != nil {
		return nil, fault
	}
	reversed, fault := sizes[1].Number("reversed tokens", 2, tokens)
	if fault != nil {
		return nil, fault
	}
	sys, n := reversals(tokens, reversed)
	if sys.start, fault = n.read(line.From(i + 1).Trim()); fault != nil {
		return nil, fault
	}
	goal := sys.start
	if v, ok := s.Value("goal"); ok {
		if goal, fault = n.read(v); fault != nil {
			return nil, fault
		}
	}
	sys.goals = []arrangement{goal}
	goalText := strings.Join(n.words(goal), " ")
	canonical := fmt.Sprintf("puzzle: %s\nmetric: %s\ngoal: %s\n\n%d %d: %s\n",
		TopSpin, s.Metric, goalText, tokens, reversed, strings.Join(n.words(sys.start), " "))
	note := fmt.Sprintf("%d tokens, %d are reversed; goal %s", tokens, reversed, goalText)
	return finish(s, sys, n, canonical, note)
}

// reversals returns the moves of a ring, by the place of the first reversed token.
// With the ring rotated until token 1 is first again, each has the same effect on the
// other tokens in every state.
func reversals(tokens, reversed int) (system, *ring) {
	sys := system{moduli: slices.Repeat([]uint8{1}, tokens-1)}
	n := &ring{tokens: tokens, labels: counted(tokens)}
	for first := range tokens {
		from := make([]int, tokens) // of the whole ring
		for i := range from {
			from[i] = i
		}
		for i := range reversed {
			from[(first+i)%tokens] = (first + reversed - 1 - i) % tokens
		}
		one := slices.Index(from, 0)
		t := structure.Still(tokens - 1)
		for i := range t.From {
			t.From[i] = uint8(from[(one+1+i)%tokens] - 1)
		}
		if slices.ContainsFunc(sys.moves, t.Equal) {
			continue // if nearly all are reversed, several moves do the same
		}
		sys.moves = append(sys.moves, t)
		n.names = append(n.names, fmt.Sprintf("%d-%d", first+1, (first+reversed-1)%tokens+1))
	}
	return sys, n
}

func (n *ring) words(a arrangement) []string {
	words := []string{n.labels[0]}
	for _, piece := range a.pieces {
		words = append(words, n.labels[piece+1])
	}
	return words
}

func (n *ring) line(a arrangement) string { return strings.Join(n.words(a), " ") }

// read reads a ring, from any token on.
func (n *ring) read(line boardfile.Piece) (arrangement, *puzzle.InputError) {
	a := newArrangement(n.tokens - 1)
	words := line.Fields()
	if len(words) != n.tokens {
		return a, line.Faultf("%s, but the ring has %d", plural(len(words), "token"), n.tokens)
	}
	numbers := make([]int, n.tokens)
	for i, w := range words {
		number, fault := w.Number("token", 1, n.tokens)
		if fault != nil {
			return a, fault
		}
		if slices.Contains(numbers[:i], number) {
			return a, w.Faultf("token %d is in the ring twice", number)
		}
		numbers[i] = number
	}
	one := slices.Index(numbers, 1)
	for i := range a.pieces {
		a.pieces[i] = uint8(numbers[(one+1+i)%n.tokens] - 2)
	}
	return a, nil
}

func (n *ring) moveName(id int) string { return n.names[id] }

func (n *ring) draw(a arrangement) string { return strings.Join(n.words(a), " ") }

// picture shows the ring with token 1 at the top.
func (n *ring) picture(a arrangement) *puzzle.Picture {
	colours := []uint8{0}
	for _, piece := range a.pieces {
		colours = append(colours, piece+1)
	}
	return flat.Ring(n.tokens).Picture(n.words(a), colours)
}
