// Package families is the table of the puzzle families that Everystate knows, and
// reads a text of any of them. It must never contain rules of a family, nor keep
// state: a new family is one more entry of [All].
package families

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/blocks"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/hanoi"
	"github.com/everystate/everystate/puzzle/murphi"
	"github.com/everystate/everystate/puzzle/peg"
	"github.com/everystate/everystate/puzzle/permutation"
	"github.com/everystate/everystate/puzzle/puzzlescript"
	"github.com/everystate/everystate/puzzle/rushhour"
	"github.com/everystate/everystate/puzzle/sokoban"
	"github.com/everystate/everystate/puzzle/sudoku"
	"github.com/everystate/everystate/puzzle/tiles"
)

// Metric is a way to count moves.
type Metric struct {
	Name    string
	Aliases []string
	Summary string

	// FromGoals means that the space is explored from all goals, by undoing moves.
	FromGoals bool
}

// Format is a way to write a board. The example is complete; it has a header "puzzle:"
// only if it would be recognised as something else without it.
type Format struct {
	Name    string
	Example string
}

// Family is a kind of puzzle.
type Family struct {
	Name    string
	Aliases []string // other values of the header "puzzle:"
	Summary string
	Formats []Format
	Metrics []Metric // the default first

	// Symmetries lists the groups under which states can be merged, the usual one
	// first; nil if there are none.
	Symmetries []Symmetry

	// Prunes reports whether moves after which no goal can be reached can be left out.
	Prunes bool

	// Levels reports whether a text holds a game with levels, among which the family's
	// Read chooses. For other families, Read of this package chooses a board.
	Levels bool

	// Looks reports whether a file without a header "puzzle:" looks like one of this
	// family. The first family in the table whose Looks reports true reads it; nil
	// means never.
	Looks func(f *boardfile.File) bool

	// Read reads all boards of a text of this family.
	Read func(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error)
}

// All returns the families. The first is the default, which reads what looks like none
// of the others. If a text looks like two families, the more specific one must come
// first.
func All() []Family {
	return []Family{{
		Name:    rushhour.Family,
		Aliases: []string{"rushhour", "rush hour", "rush-letters", "rush36", "rush-types", "rush-bird"},
		Summary: "vehicles on a rectangle move along their own row or column until the goal vehicle touches the exit",
		Formats: []Format{
			{"letters", "AA.B..\n...B..\n.CCB.."},
			{"line", "IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM"},
			{"database", "60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332"},
			{"types", "333BCC\nB22BCC\nB.XXCC\n22B...\n.BB.22\n.B2222"},
			{"pairs", "[(17,18),(1,15),(2,9),(3,10),(12,19)]"},
		},
		Metrics: []Metric{
			{Name: "step", Aliases: []string{"unit"}, Summary: "one vehicle moves one cell"},
			{Name: "slide", Aliases: []string{"move"}, Summary: "one vehicle moves any distance in one direction"},
		},
		Symmetries: symmetries("reflections about the middle row or column"),
		Read:       rushhour.Read,
	}, {
		Name:    puzzlescript.Family,
		Summary: "a game described in PuzzleScript: objects, layers, rules, win conditions, levels",
		Formats: []Format{{"puzzlescript", strings.Join([]string{
			"OBJECTS", "Background", "black", "", "Target", "blue", "", "Wall", "grey", "", "Player", "white", "", "Crate", "orange",
			"", "LEGEND", ". = Background", "# = Wall", "P = Player", "* = Crate", "O = Target", "", "SOUNDS",
			"", "COLLISIONLAYERS", "Background", "Target", "Player, Wall, Crate",
			"", "RULES", "[ > Player | Crate ] -> [ > Player | > Crate ]",
			"", "WINCONDITIONS", "All Target on Crate",
			"", "LEVELS", "", "#######", "#..O..#", "#.*.*.#", "#..P.O#", "#######",
		}, "\n")}},
		Metrics:    []Metric{{Name: puzzlescript.Metric, Summary: "one of the inputs: up, left, down, right or action"}},
		Symmetries: symmetries("reflections and rotations of the board, if the rules are the same under them,"),
		Levels:     true,
		Looks:      puzzlescript.Looks,
		Read:       puzzlescript.Read,
	}, {
		Name:    murphi.Family,
		Summary: "variables and rules described in Murphi: start states, guarded rules, a goal, invariants",
		Formats: []Format{{"murphi", strings.Join([]string{
			"const five: 5; three: 3;", "var big: 0 .. five; small: 0 .. three;", "",
			"startstate begin clear big; clear small; end;", "",
			`rule "fill" begin big := five; end;`, `rule "empty" begin small := 0; end;`, "",
			`rule "pour" big > 0 & small < three ==> begin`,
			"  if big + small <= three then small := small + big; big := 0;",
			"  else big := big - (three - small); small := three; end;", "end;", "",
			`goal "one litre" big = 1;`,
		}, "\n")}},
		Metrics: []Metric{{Name: murphi.Metric, Summary: "one rule, with values for its parameters"}},
		Looks:   murphi.Looks,
		Read:    murphi.Read,
	}, {
		Name:    sokoban.Family,
		Aliases: []string{"xsb", "sok"},
		Summary: "a player pushes boxes, one at a time, until every box stands on a target",
		Formats: []Format{
			{"xsb", "#######\n#.   .#\n# $ $ #\n#  @  #\n#     #\n#######"},
			{"sok", "Title: Two steps\n######\n# @$.#\n######"},
			{"rle", "6#|#-@$.#|6#"},
		},
		Metrics: []Metric{
			{Name: "push", Aliases: []string{"pushes"}, Summary: "one box is pushed one cell"},
			{Name: "move", Aliases: []string{"moves", "step"}, Summary: "the player makes one step, pushing or not"},
			{Name: "backward-push", Aliases: []string{"pull"}, Summary: "from all solved states, one push is undone", FromGoals: true},
		},
		Symmetries: symmetries("rotations and reflections of the room"),
		Prunes:     true,
		Looks: func(f *boardfile.File) bool { // a definition's comments may look like walls
			return sokoban.Looks(f) && !permutation.LooksDefined(f)
		},
		Read: sokoban.Read,
	}, {
		Name:    tiles.Family,
		Aliases: []string{"sliding-tiles", "sliding tiles", "8-puzzle", "15-puzzle"},
		Summary: "numbered tiles on a rectangle slide into the hole until they are in order",
		Formats: []Format{
			{"rows", "8 6 7\n2 5 4\n3 0 1"},
		},
		Metrics: []Metric{
			{Name: "tile", Summary: "one tile moves one cell"},
			{Name: "line", Summary: "any number of tiles of the hole's row or column move together by one cell"},
		},
		Symmetries: symmetries("rotations and reflections, with the tiles renamed,"),
		Looks:      tiles.Looks,
		Read:       tiles.Read,
	}, {
		Name:    peg.Family,
		Aliases: []string{"peg-solitaire", "peg-square", "peg-tri"},
		Summary: "a peg jumps over its neighbour, which is removed, until one is left",
		Formats: []Format{
			{"peg-square", "  ooo\n  ooo\nooooooo\nooo.ooo\nooooooo\n  ooo\n  ooo"},
			{"peg-tri", "    .\n   o o\n  o o o\n o o o o\no o o o o"},
		},
		Metrics: []Metric{{Name: peg.Metric, Summary: "one jump over one peg"}},
		Symmetries: []Symmetry{
			{Name: symmetryOn, Summary: "turns and reflections that map the goal to itself; from the start and all its images"},
			{Name: "start", Summary: "those of them that map the start to itself"},
		},
		Looks: peg.Looks,
		Read:  peg.Read,
	}, {
		Name:    sudoku.Family,
		Summary: "a grid is filled with digits, none twice in a row, column or box",
		Formats: []Format{{"sudoku", "12..\n..12\n....\n...."}},
		Metrics: []Metric{
			{Name: "row-major", Summary: "one digit in the first empty cell"},
			{Name: "any-cell", Summary: "one digit in any empty cell"},
		},
		Looks: sudoku.Looks,
		Read:  sudoku.Read,
	}, {
		Name:    blocks.Family,
		Aliases: []string{"klotski", "sliding-blocks"},
		Summary: "pieces of any shape slide on a board, without turning, until the goal pieces are in place",
		Formats: []Format{{"blocks", "puzzle: blocks\ngoal: A at r4c2\n\nBAAC\nBAAC\nDEEF\nDGHF\nI..J"}},
		Metrics: []Metric{
			{Name: "step", Summary: "one piece moves one cell"},
			{Name: "slide", Summary: "one piece moves any distance in one direction"},
			{Name: "move", Summary: "one piece moves along any path of steps"},
		},
		Symmetries: symmetries("rotations and reflections of the board"),
		Read:       blocks.Read,
	}, {
		Name:    hanoi.Family,
		Aliases: []string{"towers", "tower of hanoi"},
		Summary: "discs of different sizes move between pegs, never onto a smaller one",
		Formats: []Format{
			{"hanoi", "3 pegs 4 discs"},
		},
		Metrics: []Metric{
			{Name: "disc", Summary: "one disc moves to another peg"},
		},
		Symmetries: symmetries("permutations of the pegs"),
		Looks:      hanoi.Looks,
		Read:       hanoi.Read,
	}, {
		Name:    permutation.Pancake,
		Aliases: []string{"burnt-pancake", "pancakes"},
		Summary: "the top of a stack of pancakes is flipped until they lie in order",
		Formats: []Format{
			{"pancake", "3 1 4 2"},
			{"burnt-pancake", "-2 3 1"},
		},
		Metrics: []Metric{
			{Name: "flip", Summary: "the top pancakes, any number of them, are turned over"},
		},
		Symmetries: symmetriesOfPieces(),
		Looks:      permutation.LooksPancake,
		Read:       permutation.ReadPancake,
	}, {
		Name:    permutation.TopSpin,
		Aliases: []string{"top-spin"},
		Summary: "neighbouring tokens of a ring are reversed until they are in order",
		Formats: []Format{
			{"topspin", "7 4: 1 2 3 4 5 6 7"},
		},
		Metrics: []Metric{
			{Name: "turn", Summary: "a fixed number of neighbouring tokens is reversed"},
		},
		Symmetries: symmetriesOfPieces(),
		Looks:      permutation.LooksTopSpin,
		Read:       permutation.ReadTopSpin,
	}, {
		Name:    permutation.PocketCube,
		Aliases: []string{"cube-scramble", "cube2"},
		Summary: "the faces of a 2x2x2 cube turn until each has one colour",
		Formats: []Format{
			{"cube-scramble", "R U2 F' R"},
			{"corners", "URF UFL ULB UBR DFR DLF DRB"},
		},
		Metrics: []Metric{
			{Name: "htm", Summary: "a quarter or half turn of a face"},
			{Name: "qtm", Summary: "a quarter turn of a face"},
		},
		Symmetries: symmetriesOfPieces(),
		Looks:      permutation.LooksPocketCube,
		Read:       permutation.ReadPocketCube,
	}, {
		Name:    permutation.Family,
		Aliases: []string{"permutations", "tws", "ksolve", "kpuzzle"},
		Summary: "pieces at places, permuted by moves that the file defines",
		Formats: []Format{
			{"moves", "pieces: 4\nstart: 2 1 4 3\n\nmove A, A': (1 2 3)\nmove B: (3 4)"},
			{"tws", "Name Four\nSet CORNERS 4 3\n\nSolved\nCORNERS\n1 2 3 4\nEnd\n\nMove A\nCORNERS\n3 1 2 4\n1 2 0 0\nEnd\n\nMove B\nCORNERS\n1 2 4 3\nEnd"},
			{"kpuzzle", strings.Join([]string{
				`{"name": "Four",`, ` "orbits": [{"orbitName": "CORNERS", "numPieces": 4, "numOrientations": 3}],`,
				` "defaultPattern": {"CORNERS": {"pieces": [0, 1, 2, 3], "orientation": [0, 0, 0, 0]}},`,
				` "moves": {"A": {"CORNERS": {"permutation": [2, 0, 1, 3], "orientationDelta": [0, 1, 2, 0]}},`,
				`  "B": {"CORNERS": {"permutation": [0, 1, 3, 2], "orientationDelta": [0, 0, 0, 0]}}},`,
				` "derivedMoves": {"C": "[A: B]"}}`,
			}, "\n")},
		},
		Metrics: []Metric{
			{Name: "move", Summary: "one of the moves of the file; not the usual one of tws and kpuzzle"},
			{Name: "htm", Summary: "one of them, or any multiple of it"},
			{Name: "qtm", Summary: "one of them, or its inverse"},
		},
		Symmetries: symmetriesOfPieces(),
		Looks:      permutation.Looks,
		Read:       permutation.Read,
	}}
}

// ByName returns the family with a name or alias.
func ByName(name string) (Family, bool) {
	for _, f := range All() {
		for _, known := range append([]string{f.Name}, f.Aliases...) {
			if strings.EqualFold(name, known) {
				return f, true
			}
		}
	}
	return Family{}, false
}

// Read reads all boards of a text. The family is named by the first header "puzzle:",
// or is the one that the text looks like. An error is a *puzzle.InputError.
func Read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	return read(text, opts, false)
}

// read is Read, of a text that a user wrote or a run stored.
func read(text []byte, opts puzzle.ReadOptions, stored bool) ([]puzzle.Board, error) {
	var family Family
	if name, line, column := header(text); line > 0 {
		var known bool
		if family, known = ByName(name); !known {
			return nil, &puzzle.InputError{Line: line, Column: column, What: fmt.Sprintf("unknown puzzle %.40q; the puzzles are %s", name, names())}
		}
	} else {
		family = recognise(text)
	}
	if opts.Prune && !family.Prunes {
		return nil, &OptionError{&puzzle.InputError{What: "the puzzle " + family.Name + " has no pruning rules"}}
	}
	if opts.Moves != "" && family.Name != permutation.Family {
		return nil, &OptionError{&puzzle.InputError{What: "the puzzle " + family.Name + " has fixed moves: they can be chosen only in a permutation puzzle"}}
	}
	if opts.FromGoals {
		i := slices.IndexFunc(family.Metrics, func(m Metric) bool { return m.FromGoals })
		if i < 0 {
			return nil, &OptionError{&puzzle.InputError{What: "the puzzle " + family.Name + " cannot be explored from its goals"}}
		}
		opts.Metric = family.Metrics[i].Name
	}
	text, symmetric := takeSymmetry(text)
	boards, err := family.Read(text, opts)
	if err != nil {
		return nil, err
	}
	if !family.Levels {
		if boards, err = chosen(boards, opts); err != nil {
			return nil, err
		}
	}
	for i := range boards {
		if err := family.mergeSymmetric(&boards[i], symmetric, stored); err != nil {
			return nil, err
		}
	}
	return boards, nil
}

// chosen returns the boards that the options ask for.
func chosen(boards []puzzle.Board, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	names := make([]string, len(boards))
	for i := range boards {
		names[i] = boards[i].Name
	}
	i, fault := opts.LevelIndex(names)
	if fault == nil && i >= 0 {
		boards, fault = boards[i:i+1], boards[i].Fault
	}
	if fault != nil {
		return nil, fault
	}
	return boards, nil
}

// recognise returns the family that a text without a header "puzzle:" looks like.
func recognise(text []byte) Family {
	all := All()
	if f, fault := boardfile.Parse(text); fault == nil {
		// Its states look like a row of tiles, but the header is nobody else's.
		if _, pegs := f.Value("pegs"); pegs && hanoi.Looks(f) {
			return all[slices.IndexFunc(all, func(family Family) bool { return family.Name == hanoi.Family })]
		}
		for _, family := range all {
			if family.Looks != nil && family.Looks(f) {
				return family
			}
		}
	}
	return all[0]
}

// ReadStored reads the board of a run from its stored text. above is its Board.Above: the
// headers of the text are not those of its file.
func ReadStored(text string, above int) (puzzle.Board, error) {
	var opts puzzle.ReadOptions
	if head, _, found := strings.Cut(text, "\n\n"); found {
		opts.Added = strings.Count(head, "\n") + 2 - above
	}
	boards, err := read([]byte(text), opts, true)
	if err == nil && len(boards) != 1 {
		err = fmt.Errorf("%d boards", len(boards))
	}
	if err == nil && boards[0].Text != text {
		err = errors.New("an earlier version read it as a different board: explore it again")
	}
	if err != nil {
		return puzzle.Board{}, fmt.Errorf("the stored puzzle cannot be read: %w", err)
	}
	return boards[0], nil
}

// header returns the value of the first header "puzzle:" and its position; line is 0
// if there is none.
func header(text []byte) (name string, line, column int) {
	const byteOrderMark = "\uFEFF"
	start := 1
	if rest, marked := bytes.CutPrefix(text, []byte(byteOrderMark)); marked {
		text, start = rest, 1+len(byteOrderMark)
	}
	for line = 1; len(text) > 0; line++ {
		var raw []byte
		raw, text, _ = bytes.Cut(text, []byte("\n"))
		key, value, found := bytes.Cut(raw, []byte(":"))
		if found && strings.EqualFold(string(bytes.TrimSpace(key)), "puzzle") {
			blanks := len(value) - len(bytes.TrimLeft(value, " \t\r"))
			return string(bytes.TrimSpace(value)), line, start + len(key) + len(":") + blanks
		}
		start = 1
	}
	return "", 0, 0
}

// names lists the families.
func names() string {
	var list []string
	for _, f := range All() {
		list = append(list, f.Name)
	}
	return strings.Join(list, ", ")
}
