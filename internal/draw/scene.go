package draw

import "image/color"

// A Scene is a picture made of shapes. The side of a cell is [Cell] units. Later
// shapes lie on top.
type Scene struct {
	Width, Height float64
	// Title describes the picture to those who cannot see it.
	Title string

	background color.NRGBA // none if it is transparent
	items      []item
}

// Cell is the side of a cell of a board.
const Cell = 40

// itemKind is the kind of an item.
type itemKind uint8

const (
	itemPath itemKind = iota
	itemText
	itemGroup
)

// form marks a path as a shape that SVG has a shorter element for.
type form uint8

const (
	formPath form = iota
	formRect
	formCircle
)

// item is a filled or stroked path, a text, or a group of items.
type item struct {
	kind   itemKind
	form   form
	path   path
	fill   color.NRGBA
	stroke color.NRGBA // of width; none if it is transparent
	width  float64
	dash   float64 // 0 is a solid line; dashed paths consist of lines and turns

	text    string
	at      point // of the text's baseline
	size    float64
	anchor  anchor
	regular bool // not bold

	group  []item
	dx, dy float64 // of a group
	scale  float64 // of a group; 0 is 1
	piece  int     // of a group that is a piece: its number, from 1
	motion *motion // of a group in an animation
}

// anchor is where a text is anchored.
type anchor uint8

const (
	anchorMiddle anchor = iota
	anchorStart
	anchorEnd
)

// pen adds items to a list.
type pen struct{ items *[]item }

func (p pen) add(it item) { *p.items = append(*p.items, it) }

func (p pen) rect(x, y, w, h, r float64, fill color.NRGBA) {
	var out path
	out.roundRect(x, y, w, h, r)
	p.add(item{form: formRect, path: out, fill: fill})
}

func (p pen) circle(x, y, r float64, fill color.NRGBA) {
	var out path
	out.circle(x, y, r)
	p.add(item{form: formCircle, path: out, fill: fill})
}

func (p pen) fill(out path, fill color.NRGBA) {
	if len(out) > 0 {
		p.add(item{path: out, fill: fill})
	}
}

func (p pen) stroke(out path, width float64, stroke color.NRGBA) {
	if len(out) > 0 {
		p.add(item{path: out, stroke: stroke, width: width})
	}
}

func (p pen) text(x, y, size float64, a anchor, fill color.NRGBA, text string) {
	if text != "" {
		p.add(item{kind: itemText, text: text, at: point{x, y}, size: size, anchor: a, fill: fill})
	}
}

// plain is text that is not bold.
func (p pen) plain(x, y, size float64, a anchor, fill color.NRGBA, text string) {
	if text != "" {
		p.add(item{kind: itemText, text: text, at: point{x, y}, size: size, anchor: a, fill: fill, regular: true})
	}
}

// centred writes a text with its capitals centred on (x, y).
func (p pen) centred(x, y, size float64, fill color.NRGBA, text string) {
	p.text(x, y+size*capHeight/2, size, anchorMiddle, fill, text)
}

// put adds a scene as a group.
func (p pen) put(s *Scene, x, y, scale float64) {
	p.add(item{kind: itemGroup, group: s.items, dx: x, dy: y, scale: scale})
}
