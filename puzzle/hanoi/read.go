package hanoi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Family is the name of the family.
const Family = "hanoi"

const (
	metricName   = "disc"
	notationName = "hanoi"
)

// aliases are the other values of the header "puzzle".
var aliases = []string{"towers", "tower of hanoi"}

// Looks reports whether a file gives a number of pegs.
func Looks(f *boardfile.File) bool {
	_, pegs := f.Value("pegs")
	if len(f.Body) != 1 {
		return false
	}
	words := f.Body[0].Fields()
	return pegs || len(words) == 4 && named(words[1].Text, "peg")
}

// Read reads the board of a text.
func Read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	b, fault := read(text, opts)
	if fault != nil {
		return nil, fault
	}
	return []puzzle.Board{b}, nil
}

func read(text []byte, opts puzzle.ReadOptions) (b puzzle.Board, fault *puzzle.InputError) {
	f, fault := boardfile.Parse(text)
	if fault != nil {
		return b, fault
	}
	if fault = f.CheckKeys("puzzle", "name", "metric", "notation", "rule", "pegs", "goal", "moves", "states"); fault != nil {
		return b, fault
	}
	if fault = checkNames(f, opts); fault != nil {
		return b, fault
	}
	if b.Name, fault = f.Name(); fault != nil {
		return b, fault
	}
	if b.Expect, fault = f.Expect(); fault != nil {
		return b, fault
	}
	s, fault := readSetup(f)
	if fault != nil {
		return b, fault
	}
	b.Family, b.Metric = Family, metricName
	b.Text = fmt.Sprintf("puzzle: %s\nmetric: %s\nrule: %s\npegs: %d\ngoal: %s\n\n%s\n",
		Family, metricName, s.rule, s.pegs, formatPegs(s.goal), formatPegs(s.start))
	b.Note = note(s)
	b.Puzzle = newPuzzle(s)
	return b, nil
}

// checkNames checks headers and options that have only one possible value.
func checkNames(f *boardfile.File, opts puzzle.ReadOptions) *puzzle.InputError {
	for _, c := range []struct{ key, want, option string }{
		{"puzzle", Family, ""},
		{"metric", metricName, opts.Metric},
		{"notation", notationName, opts.Notation},
	} {
		if v, ok := f.Value(c.key); ok && !strings.EqualFold(v.Text, c.want) &&
			(c.key != "puzzle" || !slices.Contains(aliases, strings.ToLower(v.Text))) {
			return v.Faultf("unknown %s %s: must be %s", c.key, boardfile.Quote(v.Text), c.want)
		}
		if c.option != "" && !strings.EqualFold(strings.TrimSpace(c.option), c.want) {
			return boardfile.Piece{}.Faultf("unknown %s %s: must be %s", c.key, boardfile.Quote(c.option), c.want)
		}
	}
	return nil
}

// readSetup reads everything that describes the puzzle.
func readSetup(f *boardfile.File) (s setup, fault *puzzle.InputError) {
	if s.rule, fault = readRule(f); fault != nil {
		return s, fault
	}
	line, fault := onlyLine(f)
	if fault != nil {
		return s, fault
	}
	if v, ok := f.Value("pegs"); ok {
		if s.pegs, fault = v.Number("pegs", pegsMin, pegsMax); fault != nil {
			return s, fault
		}
	}
	if strings.IndexFunc(line.Text, letter) >= 0 {
		fault = s.readSize(line)
	} else {
		fault = s.readStart(line)
	}
	if fault != nil {
		return s, fault
	}
	if most := discsFit(s.pegs); len(s.start) > most {
		return s, line.Faultf("%d discs: with %d pegs at most %d are allowed", len(s.start), s.pegs, most)
	}
	s.goal = slices.Repeat([]uint8{uint8(s.pegs - 1)}, len(s.start))
	if v, ok := f.Value("goal"); ok {
		if s.goal, fault = readPegs(v, s.pegs); fault != nil {
			return s, fault
		}
		if len(s.goal) != len(s.start) {
			return s, v.Faultf("a goal of %s, but the start has %d", plural(len(s.goal), "disc"), len(s.start))
		}
	}
	return s, nil
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func readRule(f *boardfile.File) (rule, *puzzle.InputError) {
	v, ok := f.Value("rule")
	if !ok {
		return ruleAny, nil
	}
	for r := range rules {
		if strings.EqualFold(v.Text, r.String()) {
			return r, nil
		}
	}
	return 0, v.Faultf("unknown rule %s: must be any, adjacent or cyclic", boardfile.Quote(v.Text))
}

// onlyLine returns the line of the body.
func onlyLine(f *boardfile.File) (boardfile.Piece, *puzzle.InputError) {
	if len(f.Body) == 0 {
		return boardfile.Piece{}, boardfile.Piece{}.Faultf("no discs: write 3 pegs 4 discs, or the peg of each disc, the largest first")
	}
	if len(f.Body) > 1 {
		return boardfile.Piece{}, f.Body[1].Faultf("a second line: the discs are one line")
	}
	return f.Body[0].Trim(), nil
}

// readSize reads a line such as "3 pegs 4 discs".
func (s *setup) readSize(line boardfile.Piece) *puzzle.InputError {
	words := line.Fields()
	if len(words) != 4 || !named(words[1].Text, "peg") || !named(words[3].Text, "disc", "disk") {
		return line.Faultf("%s is not a size: write 3 pegs 4 discs", boardfile.Quote(line.Text))
	}
	pegs, fault := words[0].Number("pegs", pegsMin, pegsMax)
	if fault != nil {
		return fault
	}
	if s.pegs != 0 && s.pegs != pegs {
		return words[0].Faultf("%d pegs, but the header says %d", pegs, s.pegs)
	}
	discs, fault := words[2].Number("discs", 1, discsMax)
	if fault != nil {
		return fault
	}
	s.pegs, s.start = pegs, make([]uint8, discs)
	return nil
}

// named reports whether a word is one of the names, in singular or plural.
func named(word string, names ...string) bool {
	word = strings.TrimSuffix(strings.ToLower(word), "s")
	return slices.Contains(names, word)
}

// readStart reads an arrangement, and infers the number of pegs if it is not given.
func (s *setup) readStart(line boardfile.Piece) (fault *puzzle.InputError) {
	pegs := s.pegs
	if pegs == 0 {
		pegs = pegsMax
	}
	if s.start, fault = readPegs(line, pegs); fault != nil {
		return fault
	}
	if s.pegs == 0 {
		s.pegs = max(pegsMin, int(slices.Max(s.start))+1)
	}
	return nil
}

// readPegs reads the peg of each disc.
func readPegs(line boardfile.Piece, pegs int) ([]uint8, *puzzle.InputError) {
	words := line.Fields()
	if len(words) == 0 || len(words) > discsMax {
		return nil, line.Faultf("%d discs: must be 1 to %d", len(words), discsMax)
	}
	list := make([]uint8, len(words))
	for i, w := range words {
		peg, fault := w.Number("peg", 1, pegs)
		if fault != nil {
			return nil, fault
		}
		list[i] = uint8(peg - 1)
	}
	return list, nil
}

// note describes a puzzle in one line.
func note(s setup) string {
	text := fmt.Sprintf("%d pegs, %s", s.pegs, plural(len(s.start), "disc"))
	switch s.rule {
	case ruleAdjacent:
		text += ", moves to a neighbouring peg"
	case ruleCyclic:
		text += ", moves to the next peg"
	default:
	}
	last := uint8(s.pegs - 1)
	if slices.ContainsFunc(s.goal, func(peg uint8) bool { return peg != last }) {
		return text + "; goal " + formatPegs(s.goal)
	}
	return text + "; goal all on peg " + fmt.Sprint(s.pegs)
}

// plural formats a count of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
