// Package definition reads and writes definitions of permutation puzzles in the
// formats of other programs: the text of ksolve and twsearch (.def, .tws), and the
// KPuzzle JSON of cubing.js and twips, with patterns.
//
// It knows the text of definitions and not their effect: it multiplies no moves, and
// keeps sequences as the steps they name. It must never read a file, and it bounds its
// allocations by the length of the text and by [PlacesMax].
package definition

import (
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Bounds of a definition.
const (
	PlacesMax       = 64
	OrientationsMax = 16
	MovesMax        = 1024

	setsMax      = PlacesMax
	nameBytesMax = 64
)

// Unknown is the number of pieces written "?", which are alike.
const Unknown = 255

// Definition is a puzzle as its file describes it. Places and pieces are numbered from
// 0 across all sets.
type Definition struct {
	Name   string
	Sets   []Set
	Solved []Piece // by place
	Moves  []Move  // what counts as a move
	Words  []Move  // rotations and aliases: names that are not moves

	// Blocked lists pieces that must not be at a place, by their numbers in Solved.
	Blocked []Blocked
}

// Set is a set of places whose pieces never leave it.
type Set struct {
	Name         string
	First        int // place
	Places       int
	Orientations int
}

// Piece is the piece at a place of the solved state.
type Piece struct {
	Number int // from 1 within its set; pieces with the same number are alike
	Turn   int
	// Modulus is the number of orientations that are distinguished: 1 if the
	// orientation is ignored, otherwise a divisor of the set's.
	Modulus int
}

// Blocked means that a piece must not come to a place.
type Blocked struct {
	Place, Number int
}

// Move is a named move, defined by steps or by images.
type Move struct {
	Name     boardfile.Piece
	Rotation bool // of the whole puzzle
	Alias    bool

	// The piece that comes to place i was at place From[i], and is turned by By[i].
	From, By []uint8

	// Steps are moves done one after another.
	Steps []Step
}

// Looks reports whether a file is a definition.
func Looks(f *boardfile.File) bool { return looksText(f) || looksJSON(f) }

// Read reads a definition in any of the formats.
func Read(f *boardfile.File) (*Definition, *puzzle.InputError) {
	if len(f.Body) > 0 && strings.HasPrefix(f.Body[0].Trim().Text, "{") {
		return readJSON(f)
	}
	return readText(f)
}

// Places returns the number of places.
func (d *Definition) Places() int { return len(d.Solved) }

// addSet adds a set.
func (d *Definition) addSet(name boardfile.Piece, places, orientations int) *puzzle.InputError {
	if fault := checkName(name, "a set"); fault != nil {
		return fault
	}
	if d.set(name.Text) != nil {
		return name.Faultf("set %s is already defined", name.Text)
	}
	if len(d.Sets) == setsMax || len(d.Solved)+places > PlacesMax {
		return name.Faultf("%d places with set %s: there are at most %d in all", len(d.Solved)+places, name.Text, PlacesMax)
	}
	d.Sets = append(d.Sets, Set{Name: name.Text, First: len(d.Solved), Places: places, Orientations: orientations})
	for i := range places {
		d.Solved = append(d.Solved, Piece{Number: i + 1, Modulus: orientations})
	}
	return nil
}

// set returns the set of a name, or nil.
func (d *Definition) set(name string) *Set {
	for i := range d.Sets {
		if d.Sets[i].Name == name {
			return &d.Sets[i]
		}
	}
	return nil
}

// still returns a move with a name and no effect yet.
func (d *Definition) still(name boardfile.Piece) Move {
	m := Move{Name: name, Rotation: IsRotation(name.Text), From: make([]uint8, len(d.Solved)), By: make([]uint8, len(d.Solved))}
	for i := range m.From {
		m.From[i] = uint8(i)
	}
	return m
}

// add adds a move to the list it belongs to.
func (d *Definition) add(m Move) *puzzle.InputError {
	if fault := checkName(m.Name, "a move"); fault != nil {
		return fault
	}
	for _, list := range [][]Move{d.Moves, d.Words} {
		for i := range list {
			if list[i].Name.Text == m.Name.Text {
				return m.Name.Faultf("move %s is already defined in line %d", m.Name.Text, list[i].Name.Line)
			}
		}
	}
	if len(d.Moves)+len(d.Words) == MovesMax {
		return m.Name.Faultf("more than %d moves", MovesMax)
	}
	if m.Rotation || m.Alias {
		d.Words = append(d.Words, m)
	} else {
		d.Moves = append(d.Moves, m)
	}
	return nil
}

// checkSolved checks that alike pieces have the same number of orientations.
func (d *Definition) checkSolved(at boardfile.Piece) *puzzle.InputError {
	for i := range d.Sets {
		s := &d.Sets[i]
		moduli := map[int]int{}
		for _, p := range d.Solved[s.First : s.First+s.Places] {
			if m, known := moduli[p.Number]; known && m != p.Modulus {
				return at.Faultf("the pieces %d of set %s are alike, but the orientations of only some are ignored: ignore those of all or of none", p.Number, s.Name)
			}
			moduli[p.Number] = p.Modulus
		}
	}
	return nil
}

// complete reports what a definition lacks.
func (d *Definition) complete() *puzzle.InputError {
	switch {
	case len(d.Sets) == 0:
		return boardfile.Piece{}.Faultf("no sets of pieces: write one line per set, as in Set CORNERS 8 3")
	case len(d.Moves) == 0:
		return boardfile.Piece{}.Faultf("no moves: write what each does, from Move to End")
	}
	return nil
}

// checkName checks the name of a set or a move.
func checkName(name boardfile.Piece, what string) *puzzle.InputError {
	if !IsName(name.Text) {
		return name.Faultf("%s is not a name of %s: must be 1 to %d letters, digits and _ ' - with a letter among them", boardfile.Quote(name.Text), what, nameBytesMax)
	}
	return nil
}

// IsName reports whether a word names a set or a move.
func IsName(word string) bool {
	letters := 0
	for i := range len(word) {
		c := word[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		case c >= '0' && c <= '9' || c == '_':
		case i > 0 && (c == '\'' || c == '-'):
		default:
			return false
		}
	}
	return letters > 0 && len(word) <= nameBytesMax
}

// IsRotation reports whether a move of this name turns the whole puzzle: x, y, z, or a
// grip in capitals followed by v.
func IsRotation(name string) bool {
	switch strings.TrimRight(name, "2'") {
	case "x", "y", "z":
		return true
	}
	grip, ok := strings.CutSuffix(name, "v")
	return ok && grip != "" && strings.Trim(grip, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// IsLabel reports whether a word consists of at most bytesMax letters, digits and
// underscores.
func IsLabel(word string, bytesMax int) bool {
	for _, r := range word {
		if !IsLetter(r) && !(r >= '0' && r <= '9') && r != '_' {
			return false
		}
	}
	return word != "" && len(word) <= bytesMax
}

// IsLetter reports whether a rune is a letter that names may have.
func IsLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// Numbered splits the number off the end of a name; it is 1 if there is none.
func Numbered(name string) (stem string, amount int) {
	stem = strings.TrimRight(name, "0123456789")
	amount, err := strconv.Atoi(name[len(stem):])
	if err != nil {
		return name, 1
	}
	return stem, amount
}

// Multiple names a repeated move, in the shorter direction.
func Multiple(stem string, times, order int) string {
	times = (times%order + order) % order
	prime := ""
	if order-times < times {
		times, prime = order-times, "'"
	}
	if times == 1 {
		return stem + prime
	}
	return stem + strconv.Itoa(times) + prime
}
