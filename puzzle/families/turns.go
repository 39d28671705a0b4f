package families

import (
	"strconv"
	"strings"
)

// turnsMax bounds how many turns a line with groups may stand for.
const turnsMax = 1000

// grouped writes out the groups of turns in a line: (R U)3 repeats, (R U)' inverts,
// [R, U] is the commutator R U R' U', and [R: U] the conjugate R U R'. A line that is
// anything else, or has no group, is returned as it is.
func grouped(line string) string {
	if !strings.ContainsAny(line, "([") {
		return line
	}
	g := groupReader{rest: strings.TrimSpace(line)}
	turns, ok := g.sequence()
	if !ok || g.rest != "" || len(turns) == 0 {
		return line
	}
	return strings.Join(turns, " ")
}

// groupReader reads what is left of a line.
type groupReader struct {
	rest  string
	depth int
}

// sequence reads turns and groups, as far as they go.
func (g *groupReader) sequence() (turns []string, ok bool) {
	for {
		g.rest = strings.TrimLeft(g.rest, " \t")
		var next []string
		switch {
		case g.rest == "" || !strings.ContainsRune("URFDLB([", rune(g.rest[0])):
			return turns, true
		case g.rest[0] == '(' || g.rest[0] == '[':
			next, ok = g.group()
		default:
			next, ok = []string{g.rest[:1]}, true
			g.rest = g.rest[1:]
		}
		if !ok {
			return nil, false
		}
		if next, ok = g.times(next); !ok || len(turns)+len(next) > turnsMax {
			return nil, false
		}
		turns = append(turns, next...)
	}
}

// group reads from a bracket to the one that closes it.
func (g *groupReader) group() (turns []string, ok bool) {
	const depthMax = 20
	open := g.rest[0]
	if g.rest, g.depth = g.rest[1:], g.depth+1; g.depth > depthMax {
		return nil, false
	}
	defer func() { g.depth-- }()
	if turns, ok = g.sequence(); !ok || len(turns) == 0 {
		return nil, false
	}
	if open == '(' {
		return turns, g.take(")")
	}
	conjugate := g.take(":")
	if !conjugate && !g.take(",") {
		return nil, false
	}
	other, ok := g.sequence()
	if !ok || len(other) == 0 || !g.take("]") {
		return nil, false
	}
	whole := append(append([]string{}, turns...), other...)
	whole = append(whole, inverse(turns)...)
	if !conjugate {
		whole = append(whole, inverse(other)...)
	}
	return whole, len(whole) <= turnsMax
}

// times applies the number and the prime after a turn or a group.
func (g *groupReader) times(turns []string) ([]string, bool) {
	back := g.take("'")
	digits := len(g.rest) - len(strings.TrimLeft(g.rest, "0123456789"))
	n := 1
	if digits > 0 {
		var err error
		if n, err = strconv.Atoi(g.rest[:digits]); err != nil || n < 1 || n > turnsMax {
			return nil, false
		}
		g.rest = g.rest[digits:]
		back = g.take("'") || back
	}
	if len(turns) == 1 { // R3 is R'
		turns = turned(turns[0], n)
		n = 1
	}
	if back {
		turns = inverse(turns)
	}
	if len(turns)*n > turnsMax {
		return nil, false
	}
	var all []string
	for range n {
		all = append(all, turns...)
	}
	return all, true
}

// take removes a text from the front of the rest, if it is there.
func (g *groupReader) take(text string) bool {
	rest, ok := strings.CutPrefix(g.rest, text)
	if ok {
		g.rest = rest
	}
	return ok
}

// turned returns a turn made n times.
func turned(turn string, n int) []string {
	quarters := map[string]int{"": 1, "2": 2, "'": 3}[turn[1:]] * n % 4
	if quarters == 0 {
		return nil
	}
	return []string{turn[:1] + [...]string{"", "", "2", "'"}[quarters]}
}

// inverse returns the turns that undo others.
func inverse(turns []string) []string {
	back := make([]string, 0, len(turns))
	for i := len(turns) - 1; i >= 0; i-- {
		back = append(back, turned(turns[i], 3)...)
	}
	return back
}
