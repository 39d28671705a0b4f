package draw

import "github.com/everystate/everystate/puzzle"

// sprite draws pixels at the top left corner of a cell.
func (l *layout) sprite(p pen, at puzzle.Cell, s *puzzle.Sprite) {
	c := newCanvas(1, 1)
	c.lay(0, 0, s)
	c.fill(p, float64(at.Col)*l.pitch.x, float64(at.Row)*l.pitch.y)
}

// tiles draws the static parts of a board that brings its own sprites.
func (l *layout) tiles(p pen) {
	c := newCanvas(l.Rows, l.Cols)
	for i, stack := range l.Tiles {
		for _, s := range stack {
			c.lay(i/l.Cols, i%l.Cols, s)
		}
	}
	c.fill(p, 0, 0)
}

// canvas holds the pixels of some cells.
type canvas struct {
	rows, cols int // of pixels
	pixels     []uint32
}

func newCanvas(rows, cols int) *canvas {
	c := &canvas{rows: rows * puzzle.SpriteSize, cols: cols * puzzle.SpriteSize}
	c.pixels = make([]uint32, c.rows*c.cols)
	return c
}

// lay draws a sprite over what is there.
func (c *canvas) lay(row, col int, s *puzzle.Sprite) {
	for i, colour := range s {
		if colour != 0 {
			y, x := row*puzzle.SpriteSize+i/puzzle.SpriteSize, col*puzzle.SpriteSize+i%puzzle.SpriteSize
			c.pixels[y*c.cols+x] = colour
		}
	}
}

// fill draws the pixels: one shape per colour, in which adjacent pixels of a row are
// one rectangle.
func (c *canvas) fill(p pen, left, top float64) {
	const side = float64(Cell) / puzzle.SpriteSize
	var order []uint32
	shapes := map[uint32]*path{}
	for y := range c.rows {
		for x := 0; x < c.cols; {
			colour, begin := c.pixels[y*c.cols+x], x
			for x < c.cols && c.pixels[y*c.cols+x] == colour {
				x++
			}
			if colour == 0 {
				continue
			}
			if shapes[colour] == nil {
				shapes[colour] = &path{}
				order = append(order, colour)
			}
			x0, x1 := left+float64(begin)*side, left+float64(x)*side
			y0, y1 := top+float64(y)*side, top+float64(y+1)*side
			shapes[colour].polygon(point{x0, y0}, point{x1, y0}, point{x1, y1}, point{x0, y1})
		}
	}
	for _, colour := range order {
		p.fill(*shapes[colour], rgb(colour&^puzzle.Opaque))
	}
}
