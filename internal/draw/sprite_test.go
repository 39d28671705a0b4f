package draw

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// TestSprites draws pixels over one another: what is transparent shows what lies
// below, and touching pixels of one colour are one rectangle.
func TestSprites(t *testing.T) {
	const red, blue = puzzle.Opaque | 0xff0000, puzzle.Opaque | 0x0000ff
	var full, dot puzzle.Sprite
	for i := range full {
		full[i] = red
	}
	dot[12] = blue
	p := &puzzle.Picture{
		Rows: 1, Cols: 2, Ground: make([]puzzle.Ground, 2),
		Tiles:  [][]*puzzle.Sprite{{&full}, {&full, &dot}},
		Pieces: []puzzle.Piece{{Kind: puzzle.PieceBox, Cells: []puzzle.Cell{{Row: 0, Col: 0}}, Sprite: &dot}},
	}
	s := Board(p, Options{})
	body, err := s.PNG(1)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	const rim = 2
	for _, c := range []struct {
		x, y int
		r, b uint32
	}{{4, 4, 0xffff, 0}, {20, 20, 0, 0xffff}, {60, 20, 0, 0xffff}, {60, 4, 0xffff, 0}, {75, 35, 0xffff, 0}} {
		if r, g, b, _ := img.At(c.x+rim, c.y+rim).RGBA(); r != c.r || g != 0 || b != c.b {
			t.Errorf("at %d, %d: %x %x %x, want %x 0 %x", c.x, c.y, r, g, b, c.r, c.b)
		}
	}
	if svg := string(s.SVG(Options{})); strings.Count(svg, "<path")+strings.Count(svg, "<rect") != 3 {
		t.Errorf("three shapes were to be drawn:\n%s", svg)
	}
}
