package draw

import (
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// capHeight is the height of capitals and digits, as a fraction of the font size.
const capHeight = 0.72

// typeface is a font whose outlines serve the formats without fonts.
type typeface struct {
	font *sfnt.Font
	upem fixed.Int26_6
	unit float64

	mu     sync.Mutex // guards what follows
	buf    sfnt.Buffer
	glyphs map[rune]glyph
}

// glyph is the outline of a character for a font size of 1.
type glyph struct {
	outline path
	advance float64
	missing bool
}

func newTypeface(ttf []byte) *typeface {
	f, err := sfnt.Parse(ttf)
	if err != nil {
		panic("draw: cannot read a built-in font: " + err.Error())
	}
	upem := fixed.Int26_6(f.UnitsPerEm())
	return &typeface{font: f, upem: upem, unit: 1 / float64(upem), glyphs: map[rune]glyph{}}
}

var (
	boldFace    = sync.OnceValue(func() *typeface { return newTypeface(gobold.TTF) })
	regularFace = sync.OnceValue(func() *typeface { return newTypeface(goregular.TTF) })
)

func faceOf(regular bool) *typeface {
	if regular {
		return regularFace()
	}
	return boldFace()
}

// glyph returns the outline of a character, empty if the font lacks it.
func (t *typeface) glyph(r rune) glyph {
	t.mu.Lock()
	defer t.mu.Unlock()
	if g, ok := t.glyphs[r]; ok {
		return g
	}
	g := glyph{missing: true}
	if index, err := t.font.GlyphIndex(&t.buf, r); err == nil && index != 0 {
		g = t.load(index)
	}
	t.glyphs[r] = g
	return g
}

func (t *typeface) load(index sfnt.GlyphIndex) glyph {
	// At one pixel per font unit, nothing is rounded.
	segments, err := t.font.LoadGlyph(&t.buf, index, t.upem, nil)
	if err != nil {
		return glyph{}
	}
	at := func(p fixed.Point26_6) point { return point{float64(p.X) * t.unit, float64(p.Y) * t.unit} }
	var g glyph
	var from point
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if len(g.outline) > 0 {
				g.outline.close()
			}
			from = at(s.Args[0])
			g.outline.move(from.x, from.y)
		case sfnt.SegmentOpLineTo:
			from = at(s.Args[0])
			g.outline.line(from.x, from.y)
		case sfnt.SegmentOpQuadTo:
			c, to := at(s.Args[0]), at(s.Args[1])
			g.outline.curve(from.towards(c, 2.0/3), to.towards(c, 2.0/3), to)
			from = to
		case sfnt.SegmentOpCubeTo:
			to := at(s.Args[2])
			g.outline.curve(at(s.Args[0]), at(s.Args[1]), to)
			from = to
		}
	}
	if len(g.outline) > 0 {
		g.outline.close()
	}
	if a, err := t.font.GlyphAdvance(&t.buf, index, t.upem, font.HintingNone); err == nil {
		g.advance = float64(a) * t.unit
	}
	return g
}

// outlineOf returns the outline of a text.
func outlineOf(it *item) path {
	face := faceOf(it.regular)
	x := startOf(it)
	var out path
	for _, r := range it.text {
		g := face.glyph(r)
		place := func(p point) point { return point{x + p.x*it.size, it.at.y + p.y*it.size} }
		for _, s := range g.outline {
			out = append(out, segment{op: s.op, ctrl: [2]point{place(s.ctrl[0]), place(s.ctrl[1])}, to: place(s.to)})
		}
		x += g.advance * it.size
	}
	return out
}

// startOf returns where a text begins, as the built-in fonts write it.
func startOf(it *item) float64 {
	w := 0.0
	for _, r := range it.text {
		w += faceOf(it.regular).glyph(r).advance * it.size
	}
	switch it.anchor {
	case anchorMiddle:
		return it.at.x - w/2
	case anchorEnd:
		return it.at.x - w
	case anchorStart:
	}
	return it.at.x
}

// textWidth returns the width of a text.
func textWidth(text string, size float64, regular bool) float64 {
	w := 0.0
	for _, r := range text {
		g := faceOf(regular).glyph(r)
		w += g.advance
		if g.missing { // a browser will have it, perhaps as wide as it is high
			w++
		}
	}
	return w * size
}
