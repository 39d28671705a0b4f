package definition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Words that begin statements.
const (
	wordName           = "Name"
	wordSet            = "Set"
	wordSolved         = "Solved"
	wordStart          = "StartState" // numbers from 0
	wordMove           = "Move"
	wordTransformation = "MoveTransformation" // numbers from 0, turns by destination
	wordSequence       = "MoveSequence"
	wordAlias          = "MoveAlias"
	wordIllegal        = "Illegal"
	wordEnd            = "End"
)

// looksText reports whether a file has the words that every definition contains.
func looksText(f *boardfile.File) bool {
	seen := map[string]bool{}
	for i := range f.Body {
		word, _, _ := strings.Cut(strings.TrimSpace(f.Body[i].Text), " ")
		if len(seen) == 0 && word != "" && word[0] != '#' && word != wordName && word != wordSet {
			return false
		}
		if word != "" && word[0] != '#' {
			seen[word] = true
		}
	}
	return seen[wordSet] && (seen[wordSolved] || seen[wordStart])
}

// text is the reader of a definition.
type text struct {
	*Definition
	lines  []boardfile.Piece
	solved bool
}

func readText(f *boardfile.File) (*Definition, *puzzle.InputError) {
	t := &text{Definition: &Definition{}}
	for _, line := range f.Body {
		if trimmed := line.Trim(); trimmed.Text != "" && !strings.HasPrefix(line.Text, "#") {
			t.lines = append(t.lines, trimmed)
		}
	}
	for len(t.lines) > 0 {
		line := t.lines[0]
		t.lines = t.lines[1:]
		if fault := t.statement(line, line.Fields()); fault != nil {
			return nil, fault
		}
	}
	if len(t.Sets) > 0 && !t.solved {
		return nil, boardfile.Piece{}.Faultf("no solved state: write it after the sets, from Solved to End")
	}
	return t.Definition, t.complete()
}

// statement reads a statement, given its first line.
func (t *text) statement(line boardfile.Piece, words []boardfile.Piece) *puzzle.InputError {
	word := words[0].Text
	switch word {
	case wordName, wordSet:
		if t.solved {
			return line.Faultf("%s after the solved state: must be before it", word)
		}
	case wordSolved, wordStart:
		if len(t.Sets) == 0 || t.solved {
			return line.Faultf("%s is out of place: must come once, after the sets", word)
		}
	case wordMove, wordTransformation, wordSequence, wordAlias, wordIllegal:
		if !t.solved {
			return line.Faultf("%s before the solved state: must be after it", word)
		}
	default:
		return line.Faultf("%s is not a statement: the statements are %s", boardfile.Quote(word),
			strings.Join([]string{wordName, wordSet, wordSolved, wordMove, wordSequence, wordAlias, wordIllegal}, ", "))
	}
	switch word {
	case wordName:
		if len(words) < 2 {
			return line.Faultf("no name: write it after Name")
		}
		t.Name = line.From(len(wordName)).Trim().Text
	case wordSet:
		return t.readSet(line, words)
	case wordSolved, wordStart:
		if fault := t.readSolved(line, word == wordStart); fault != nil {
			return fault
		}
		t.solved = true
		return t.checkSolved(line)
	case wordIllegal:
		return t.readIllegal(line, words)
	case wordSequence, wordAlias:
		if len(words) < 3 {
			return line.Faultf("%s without moves: write its name and the moves that it stands for", word)
		}
		steps, fault := ParseSteps(words[2:], nil)
		if fault != nil {
			return fault
		}
		return t.add(Move{Name: words[1], Rotation: IsRotation(words[1].Text), Alias: word == wordAlias, Steps: steps})
	default:
		return t.readMove(line, words, word == wordTransformation)
	}
	return nil
}

// readSet reads "Set NAME PLACES ORIENTATIONS".
func (t *text) readSet(line boardfile.Piece, words []boardfile.Piece) *puzzle.InputError {
	if len(words) != 4 {
		return line.Faultf("%s: write the name of the set, how many pieces it has and in how many ways each can lie, as in Set CORNERS 8 3", boardfile.Quote(line.Text))
	}
	places, fault := words[2].Number("pieces", 1, PlacesMax)
	if fault != nil {
		return fault
	}
	orientations, fault := words[3].Number("orientations", 1, OrientationsMax)
	if fault != nil {
		return fault
	}
	return t.addSet(words[1], places, orientations)
}

// readIllegal reads "Illegal SET PLACE NUMBER...".
func (t *text) readIllegal(line boardfile.Piece, words []boardfile.Piece) *puzzle.InputError {
	if len(words) < 4 {
		return line.Faultf("%s: write a set, a place and the pieces that must not be there, as in Illegal SLICE 3 17", boardfile.Quote(line.Text))
	}
	s := t.set(words[1].Text)
	if s == nil {
		return t.noSet(words[1])
	}
	place, fault := words[2].Number("place", 1, s.Places)
	if fault != nil {
		return fault
	}
	for _, w := range words[3:] {
		number, fault := w.Number("piece", 1, Unknown)
		if fault != nil {
			return fault
		}
		b := Blocked{s.First + place - 1, number}
		if !slices.Contains(t.Blocked, b) {
			t.Blocked = append(t.Blocked, b)
		}
	}
	return nil
}

func (d *Definition) noSet(name boardfile.Piece) *puzzle.InputError {
	var names []string
	for _, s := range d.Sets {
		names = append(names, s.Name)
	}
	return name.Faultf("unknown set %s; the sets are %s", boardfile.Quote(name.Text), strings.Join(names, ", "))
}

// readSolved reads the solved state.
func (t *text) readSolved(line boardfile.Piece, fromZero bool) *puzzle.InputError {
	first := 1
	if fromZero {
		first = 0
	}
	return t.rows(line, func(s *Set, rows [][]boardfile.Piece) *puzzle.InputError {
		for i, w := range rows[0] {
			number := Unknown
			if w.Text != "?" {
				var fault *puzzle.InputError
				if number, fault = w.Number("piece", first, Unknown-1+first); fault != nil {
					return fault
				}
				number += 1 - first
			}
			t.Solved[s.First+i].Number = number
		}
		if len(rows) < 2 {
			return nil
		}
		for i, w := range rows[1] {
			p := &t.Solved[s.First+i]
			if w.Text == "?" {
				p.Modulus = 1
				continue
			}
			var fault *puzzle.InputError
			if p.Turn, fault = w.Number("orientation", 0, s.Orientations-1); fault != nil {
				return fault
			}
		}
		return nil
	})
}

// readMove reads a move. Turns are listed by destination in a transformation,
// otherwise by origin.
func (t *text) readMove(line boardfile.Piece, words []boardfile.Piece, transformation bool) *puzzle.InputError {
	if len(words) != 2 {
		return line.Faultf("%s: write one name after %s", boardfile.Quote(line.Text), words[0].Text)
	}
	m := t.still(words[1])
	first := 1
	if transformation {
		first = 0
	}
	fault := t.rows(line, func(s *Set, rows [][]boardfile.Piece) *puzzle.InputError {
		used := make([]bool, s.Places)
		for i, w := range rows[0] {
			from, fault := w.Number("place", first, s.Places-1+first)
			if fault != nil {
				return fault
			}
			from -= first
			if used[from] {
				return w.Faultf("place %d of set %s is in the move twice", from+first, s.Name)
			}
			used[from], m.From[s.First+i] = true, uint8(s.First+from)
		}
		if len(rows) < 2 {
			return nil
		}
		for i := range rows[1] {
			w := rows[1][i]
			if !transformation {
				w = rows[1][int(m.From[s.First+i])-s.First]
			}
			by, fault := w.Number("orientation", 0, s.Orientations-1)
			if fault != nil {
				return fault
			}
			m.By[s.First+i] = uint8(by)
		}
		return nil
	})
	if fault != nil {
		return fault
	}
	return t.add(m)
}

// rows reads up to End, and calls take with the rows of each set: pieces, and
// orientations if there are any.
func (t *text) rows(opening boardfile.Piece, take func(s *Set, rows [][]boardfile.Piece) *puzzle.InputError) *puzzle.InputError {
	var seen []string
	for len(t.lines) > 0 {
		line := t.lines[0]
		t.lines = t.lines[1:]
		if line.Text == wordEnd {
			return nil
		}
		s := t.set(line.Text)
		if s == nil {
			return t.noSet(line)
		}
		if slices.Contains(seen, s.Name) {
			return line.Faultf("set %s is already defined", s.Name)
		}
		seen = append(seen, s.Name)
		var rows [][]boardfile.Piece
		for len(t.lines) > 0 && isRow(t.lines[0]) {
			row := t.lines[0].Fields()
			if len(rows) == 2 {
				return t.lines[0].Faultf("a third row of set %s: a set has two, pieces and orientations", s.Name)
			}
			if len(row) != s.Places {
				return t.lines[0].Faultf("%s numbers, but set %s has %d places", strconv.Itoa(len(row)), s.Name, s.Places)
			}
			rows = append(rows, row)
			t.lines = t.lines[1:]
		}
		if len(rows) == 0 {
			return line.Faultf("no numbers of set %s: write a row of %d, and one of orientations", s.Name, s.Places)
		}
		if fault := take(s, rows); fault != nil {
			return fault
		}
	}
	return opening.Faultf("no End: must follow what begins here")
}

// isRow reports whether a line begins with a number or a question mark.
func isRow(line boardfile.Piece) bool {
	c := line.Text[0]
	return c >= '0' && c <= '9' || c == '?'
}
