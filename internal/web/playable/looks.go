package playable

import (
	"encoding/binary"
	"math"

	"github.com/everystate/everystate/internal/draw"
	"github.com/everystate/everystate/puzzle"
)

// looks holds the pictures of boards, in parts: a space of thousands of boards has only
// a few hundred different pieces at their places.
type looks struct {
	drawn   *draw.Parts
	grounds []ground
	parts   []part
	width   int // the largest number of pieces on a board
	// Look i has the ground of[i], and its pieces begin at from[i]. The first looks are
	// those of the states.
	of      []uint32
	from    []uint32
	pieces  []uint32
	ground  map[string]uint32
	part    map[partID]uint32
	known   map[string]uint32 // looks beyond those of the states
	pending []uint32          // looks of moves, which follow those of all states
	beyond  []look
}

// ground is the part of a board that does not move.
type ground struct {
	SVG  string `json:"svg"`
	Rows int    `json:"rows"`
	Cols int    `json:"cols"`
	// Spots are the middles of the cells if they are no grid.
	Spots [][2]float64 `json:"spots,omitempty"`
	Solid []int        `json:"solid,omitempty"`
}

// Spots returns the middles of the cells of a picture, to a hundredth of a cell.
func Spots(pic *puzzle.Picture) [][2]float64 {
	var spots [][2]float64
	for _, at := range pic.Spots {
		spots = append(spots, [2]float64{math.Round(100*at.X) / 100, math.Round(100*at.Y) / 100})
	}
	return spots
}

// Solid returns the cells of a picture that nothing enters, as row*cols + column.
func Solid(pic *puzzle.Picture) []int {
	var cells []int
	for i, g := range pic.Ground {
		if g == puzzle.GroundNone || g == puzzle.GroundWall {
			cells = append(cells, i)
		}
	}
	return cells
}

// part is a piece at its place, drawn, with what dragging needs to know of it.
type part struct {
	SVG    string `json:"svg"`
	Kind   int    `json:"kind"`
	Label  string `json:"label,omitempty"`
	Colour int    `json:"colour"`
	Cells  []int  `json:"cells"` // row*cols + column
}

// partID distinguishes parts: those of one shape at different places are drawn
// differently.
type partID struct {
	svg, label string
	kind       puzzle.PieceKind
	colour     int
	first      puzzle.Cell
}

// look is a board in parts.
type look struct {
	ground uint32
	pieces []uint32
}

func newLooks(title string) looks {
	return looks{drawn: draw.NewParts(draw.Options{Labels: true, Title: title}), ground: map[string]uint32{}, part: map[partID]uint32{}, known: map[string]uint32{}}
}

// add adds the look of the next state.
func (l *looks) add(pic *puzzle.Picture) error {
	look, err := l.take(pic)
	l.append(look)
	return err
}

func (l *looks) append(k look) {
	l.of, l.from = append(l.of, k.ground), append(l.from, uint32(len(l.pieces)))
	l.pieces = append(l.pieces, k.pieces...)
	l.width = max(l.width, len(k.pieces))
}

// addStaged adds the look after the next move. finish numbers it after those of the
// states.
func (l *looks) addStaged(pic *puzzle.Picture) error {
	k, err := l.take(pic)
	if err != nil {
		return err
	}
	id := binary.LittleEndian.AppendUint32(nil, k.ground)
	for _, p := range k.pieces {
		id = binary.LittleEndian.AppendUint32(id, p)
	}
	i, ok := l.known[string(id)]
	if !ok {
		i = uint32(len(l.beyond)) // at most MovesMax
		l.known[string(id)], l.beyond = i, append(l.beyond, k)
	}
	l.pending = append(l.pending, i)
	return nil
}

// finish appends the looks after moves to those of all states, and returns the look of
// each move.
func (l *looks) finish() []uint32 {
	states := uint32(len(l.of))
	for _, k := range l.beyond {
		l.append(k)
	}
	for i := range l.pending {
		l.pending[i] += states
	}
	return l.pending
}

// take splits a picture into parts.
func (l *looks) take(pic *puzzle.Picture) (look, error) {
	svg, pieces := l.drawn.Of(pic)
	var k look
	var ok bool
	if k.ground, ok = l.ground[svg]; !ok {
		k.ground = uint32(len(l.grounds)) // at most looksMax
		l.ground[svg], l.grounds = k.ground, append(l.grounds, ground{svg, pic.Rows, pic.Cols, Spots(pic), Solid(pic)})
	}
	for i, svg := range pieces {
		from := &pic.Pieces[i]
		id := partID{svg, from.Label, from.Kind, from.Colour, from.Cells[0]}
		n, ok := l.part[id]
		if !ok {
			p := part{SVG: svg, Kind: int(from.Kind), Label: from.Label, Colour: from.Colour}
			for _, c := range from.Cells {
				p.Cells = append(p.Cells, c.Row*pic.Cols+c.Col)
			}
			n = uint32(len(l.parts)) // at most looksMax
			l.part[id], l.parts = n, append(l.parts, p)
		}
		k.pieces = append(k.pieces, n)
	}
	if most := max(len(l.parts), len(l.grounds)); most > looksMax {
		return k, &TooLargeError{int64(most), "different pieces at their places", looksMax}
	}
	return k, nil
}
