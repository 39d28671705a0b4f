package draw

import (
	"encoding/binary"
	"fmt"

	"github.com/everystate/everystate/puzzle"
)

// PartsEnd closes what Parts.Of returns, after the pieces.
const PartsEnd = "</g>\n</svg>\n"

// partsMax bounds what is remembered: parts beyond are drawn anew.
const partsMax = 1 << 16

// Parts draws boards as SVG in parts: what lies still, and each piece. It remembers them:
// thousands of boards of a space have a few hundred different parts. It is not safe for
// concurrent use.
type Parts struct {
	options Options
	grounds map[string]drawn
	pieces  map[string]string
}

// drawn is a ground, and its number.
type drawn struct {
	svg    string
	number int
}

// NewParts returns what draws boards in parts.
func NewParts(o Options) *Parts {
	o.Pieces = true
	return &Parts{options: o, grounds: map[string]drawn{}, pieces: map[string]string{}}
}

// Of draws a board: its ground, and its pieces in the order of Picture.Pieces. The ground,
// some pieces and PartsEnd after one another are the picture of a board with these pieces,
// as [SVG] draws it with Options.Pieces.
func (d *Parts) Of(p *puzzle.Picture) (ground string, pieces []string) {
	l := layOut(p)
	id := l.id()
	still, ok := d.grounds[string(id)]
	if !ok {
		whole := string(l.scene(d.options).SVG(d.options))
		still = drawn{whole[:len(whole)-len(PartsEnd)], len(d.grounds)}
		if len(d.grounds) < partsMax {
			d.grounds[string(id)] = still
		}
	}
	for i := range p.Pieces {
		id = pieceID(id[:0], still.number, i, &p.Pieces[i])
		svg, ok := d.pieces[string(id)]
		if !ok || still.number == partsMax {
			w := &svgWriter{}
			w.itemList(l.pieceItems(i, d.options))
			svg = w.String()
			if len(d.pieces) < partsMax {
				d.pieces[string(id)] = svg
			}
		}
		pieces = append(pieces, svg)
	}
	return still.svg, pieces
}

// id is all that a picture depends on beside its pieces.
func (l *layout) id() []byte {
	var b []byte
	for _, n := range []int{l.Rows, l.Cols, l.colours, int(l.plate), int(l.textSize * 1e6), int(l.left * 1e6), int(l.top * 1e6), len(l.Ground), len(l.Regions), len(l.Tiles)} {
		b = binary.AppendVarint(b, int64(n))
	}
	for _, g := range l.Ground {
		b = append(b, byte(g))
	}
	for _, n := range l.Regions {
		b = binary.AppendVarint(b, int64(n))
	}
	for _, stack := range l.Tiles {
		b = append(b, byte(len(stack)))
		for _, s := range stack {
			b = spriteID(b, s)
		}
	}
	return fmt.Append(b, l.words, l.bricks, l.Numbered, l.exits, l.Spots, l.Rings, l.Facets) // a map is written in the order of its keys
}

func spriteID(b []byte, s *puzzle.Sprite) []byte {
	for _, pixel := range s {
		b = binary.LittleEndian.AppendUint32(b, pixel)
	}
	return b
}

func pieceID(b []byte, ground, i int, p *puzzle.Piece) []byte {
	for _, n := range []int{ground, i, int(p.Kind), p.Colour, len(p.Cells)} {
		b = binary.AppendVarint(b, int64(n))
	}
	for _, c := range p.Cells {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(c.Row)), int64(c.Col))
	}
	if p.Goal {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	if p.Sprite != nil {
		b = spriteID(b, p.Sprite)
	}
	return append(b, p.Label...)
}
