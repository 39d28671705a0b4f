package permutation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// PocketCube is the name of the family of the cube of 2x2x2.
const PocketCube = "pocket-cube"

const (
	cubeScramble = "cube-scramble"
	cubeCorners  = "corners"
	metricHalf   = "htm" // a half turn is a move
	metricQuart  = "qtm" // it is two
)

func cubes() family {
	return family{
		name: PocketCube, aliases: []string{cubeScramble, "cube2"},
		metrics: []string{metricHalf, metricQuart}, notations: []string{cubeScramble, cubeCorners}, keys: []string{"fixed"},
	}
}

// corners are the names of the places and of the pieces that belong there: the
// faces clockwise, up or down first. The last one stays where it is if one is
// fixed.
var corners = [...]string{"URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DRB", "DBL"}

// cornerTurns is the number of ways in which a corner can lie: turned clockwise
// by so many thirds.
const cornerTurns = 3

// faces are the faces in the order of their colours, each with its clockwise
// quarter turn, as the name of what is seen at each place of the solved cube
// after it. Those that leave the last corner alone come first.
var faces = [...]struct {
	letter byte
	seen   string
}{
	{'U', "UBR URF UFL ULB DFR DLF DRB DBL"},
	{'R', "FRD UFL ULB FUR BDR DLF BRU DBL"},
	{'F', "LUF LFD ULB UBR RFU RDF DRB DBL"},
	{'D', "URF UFL ULB UBR DLF DBL DFR DRB"},
	{'L', "URF BUL BLD UBR DFR FLU DRB FDL"},
	{'B', "URF UFL RUB RBD DFR DLF LDB LBU"},
}

// facesFree is the number of faces that turn if a corner is fixed.
const facesFree = 3

// cube is the notation of the corners: at each place the colours that are seen
// there, in the order of the place's name.
type cube struct {
	places   int
	quarters []turn // clockwise, by face
	names    []string
	moduli   []uint8
}

// LooksPocketCube reports whether a file is one line of turns, or of corners.
func LooksPocketCube(f *boardfile.File) bool {
	if len(f.Body) != 1 {
		return false
	}
	words := f.Body[0].Fields()
	for _, w := range words {
		_, _, isCorner := corner(w.Text)
		rest := w.Text[1:]
		isTurn := colourOf(w.Text[0]) < len(faces) && (rest == "" || rest == "2" || rest == "'")
		if !isCorner && !isTurn {
			return false
		}
	}
	return len(words) > 1
}

// ReadPocketCube reads a scramble, or the corners at their places.
func ReadPocketCube(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	return result(readPocketCube(text, opts))
}

func readPocketCube(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, *puzzle.InputError) {
	s, fault := cubes().open(text, opts)
	if fault != nil {
		return nil, fault
	}
	fixed := "yes"
	if v, ok := s.Value("fixed"); ok {
		if fixed, fault = oneOf("fixed", v, []string{"yes", "no"}); fault != nil {
			return nil, fault
		}
	}
	line, fault := s.line()
	if fault != nil {
		return nil, fault
	}
	n := newCube(fixed == "yes")
	sys := system{moduli: n.moduli}
	for face, quarter := range n.quarters {
		half := quarter.then(quarter, n.moduli)
		letter := string(faces[face].letter)
		sys.turns = append(sys.turns, quarter)
		n.names = append(n.names, letter)
		if s.metric == metricHalf {
			sys.turns = append(sys.turns, half)
			n.names = append(n.names, letter+"2")
		}
		sys.turns = append(sys.turns, half.then(quarter, n.moduli))
		n.names = append(n.names, letter+"'")
	}
	if sys.start, fault = n.readAs(s.notation, line); fault != nil {
		return nil, fault
	}
	sys.goals = n.solved()
	canonical := fmt.Sprintf("puzzle: %s\nnotation: %s\nmetric: %s\nfixed: %s\n\n%s\n",
		PocketCube, cubeCorners, s.metric, fixed, strings.Join(n.words(sys.start), " "))
	note := "corner DBL stays in its place; U, R and F turn"
	if fixed == "no" {
		note = "every face turns; solved in any of 24 positions"
	}
	return s.finish(sys, n, canonical, note)
}

// newCube returns a cube with a corner fixed, or with none.
func newCube(fixed bool) *cube {
	n := &cube{places: len(corners)}
	free := len(faces)
	if fixed {
		n.places, free = len(corners)-1, facesFree
	}
	n.moduli = slices.Repeat([]uint8{cornerTurns}, n.places)
	for _, face := range faces[:free] {
		t := identity(n.places)
		for i, word := range strings.Fields(face.seen)[:n.places] {
			t.from[i], t.by[i], _ = corner(word)
		}
		n.quarters = append(n.quarters, t)
	}
	return n
}

// corner returns which corner shows such faces, and how it is turned.
func corner(seen string) (piece, by uint8, ok bool) {
	for piece, name := range corners {
		for by := range cornerTurns {
			if seen == name[cornerTurns-by:]+name[:cornerTurns-by] {
				return uint8(piece), uint8(by), true
			}
		}
	}
	return 0, 0, false
}

// solved returns the solved cube; without a fixed corner, in all positions: two
// opposite faces that turn together turn the whole cube.
func (n *cube) solved() []arrangement {
	list := []arrangement{ordered(n.places)}
	if n.places < len(corners) {
		return list
	}
	for at := 0; at < len(list); at++ {
		for face := range facesFree {
			a := list[at]
			back := n.quarters[face+facesFree].inverse(n.moduli)
			b := newArrangement(n.places)
			n.quarters[face].then(back, n.moduli).apply(b, a, n.moduli)
			if !slices.ContainsFunc(list, b.equal) {
				list = append(list, b)
			}
		}
	}
	return list
}

func (n *cube) words(a arrangement) []string {
	words := make([]string, n.places)
	for i, piece := range a.pieces {
		name, cut := corners[piece], cornerTurns-a.turns[i]
		words[i] = name[cut:] + name[:cut]
	}
	return words
}

// read reads corners or a scramble.
func (n *cube) read(line boardfile.Piece) (arrangement, *puzzle.InputError) {
	return n.readAs("", line)
}

// readAs reads a notation. If it is not known, words of three letters are
// corners.
func (n *cube) readAs(notation string, line boardfile.Piece) (arrangement, *puzzle.InputError) {
	words := line.Fields()
	asCorners := notation == cubeCorners
	if notation == "" && len(words) > 0 {
		_, _, asCorners = corner(strings.ToUpper(words[0].Text))
	}
	if asCorners {
		return n.readCorners(line, words)
	}
	return n.readScramble(words)
}

func (n *cube) readCorners(line boardfile.Piece, words []boardfile.Piece) (arrangement, *puzzle.InputError) {
	a := newArrangement(n.places)
	if len(words) != n.places {
		return a, line.Faultf("%s: write what is seen at the places %s", plural(len(words), "corner"), strings.Join(corners[:n.places], " "))
	}
	total := 0
	for i, w := range words {
		piece, by, ok := corner(strings.ToUpper(w.Text))
		if !ok || int(piece) >= n.places {
			return a, w.Faultf("%s is not a corner: must be one of %s, perhaps turned, as in RFU", boardfile.Quote(w.Text), strings.Join(corners[:n.places], " "))
		}
		if slices.Contains(a.pieces[:i], piece) {
			return a, w.Faultf("corner %s is at two places", corners[piece])
		}
		a.pieces[i], a.turns[i] = piece, by
		total += int(by)
	}
	if total%cornerTurns != 0 {
		return a, line.Faultf("a corner is twisted: no turn of the faces leads from the solved cube there")
	}
	return a, nil
}

// scrambleMax bounds the turns of a scramble.
const scrambleMax = 10_000

func (n *cube) readScramble(words []boardfile.Piece) (arrangement, *puzzle.InputError) {
	a, b := ordered(n.places), newArrangement(n.places)
	if len(words) > scrambleMax {
		return a, words[0].Faultf("a scramble of %d turns: it has at most %d", len(words), scrambleMax)
	}
	for _, w := range words {
		face := -1
		for i := range n.quarters {
			if w.Text[0] == faces[i].letter {
				face = i
			}
		}
		quarters := slices.Index([]string{"", "2", "'"}, w.Text[1:]) + 1
		if face < 0 || quarters == 0 {
			return a, w.Faultf("%s is not a turn: must be a face of %s, alone or with 2 or '", boardfile.Quote(w.Text), n.letters())
		}
		for range quarters {
			n.quarters[face].apply(b, a, n.moduli)
			a, b = b, a
		}
	}
	return a, nil
}

// letters lists the faces that turn.
func (n *cube) letters() string {
	letters := ""
	for i := range n.quarters {
		letters += string(faces[i].letter)
	}
	return strings.Join(strings.Split(letters, ""), " ")
}

func (n *cube) moveName(id int) string { return n.names[id] }

// net is the unfolded cube: where each face lies, and the corners at its cells,
// row by row.
var net = [...]struct {
	letter   byte
	row, col int
	corners  [4]string
}{
	{'U', 0, 2, [4]string{"ULB", "UBR", "UFL", "URF"}},
	{'L', 2, 0, [4]string{"ULB", "UFL", "DBL", "DLF"}},
	{'F', 2, 2, [4]string{"UFL", "URF", "DLF", "DFR"}},
	{'R', 2, 4, [4]string{"URF", "UBR", "DFR", "DRB"}},
	{'B', 2, 6, [4]string{"UBR", "ULB", "DRB", "DBL"}},
	{'D', 4, 2, [4]string{"DLF", "DFR", "DBL", "DRB"}},
}

const netRows, netCols = 6, 8

// unfold calls visit with every cell of the net and the colour that is seen
// there.
func (n *cube) unfold(a arrangement, visit func(row, col int, colour byte)) {
	words := append(n.words(a), corners[n.places:]...)
	for _, side := range &net {
		for i, name := range side.corners {
			place := slices.Index(corners[:], name)
			colour := words[place][strings.IndexByte(name, side.letter)]
			visit(side.row+i/2, side.col+i%2, colour)
		}
	}
}

// draw unfolds the cube.
func (n *cube) draw(a arrangement) string {
	var cells [netRows][netCols]byte
	for i := range cells {
		copy(cells[i][:], strings.Repeat(" ", netCols))
	}
	n.unfold(a, func(row, col int, colour byte) { cells[row][col] = colour })
	var lines []string
	for i := range cells {
		lines = append(lines, strings.TrimRight(string(cells[i][:]), " "))
	}
	return strings.Join(lines, "\n")
}

// picture unfolds the cube.
func (n *cube) picture(a arrangement) *puzzle.Picture {
	p := &puzzle.Picture{Rows: netRows, Cols: netCols, Ground: slices.Repeat([]puzzle.Ground{puzzle.GroundNone}, netRows*netCols)}
	n.unfold(a, func(row, col int, colour byte) {
		p.Ground[row*netCols+col] = puzzle.GroundFloor
		p.Pieces = append(p.Pieces, puzzle.Piece{
			Kind: puzzle.PieceTile, Cells: []puzzle.Cell{{Row: row, Col: col}}, Label: string(colour), Colour: colourOf(colour),
		})
	})
	return p
}

func colourOf(letter byte) int {
	for i, face := range faces {
		if face.letter == letter {
			return i
		}
	}
	return len(faces)
}
