package draw

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// pdfFont is a font of a document, made of the characters that are used: their outlines
// as drawing commands (Type 3), and what they mean, so that text can be searched and
// copied.
type pdfFont struct {
	face  *typeface
	codes map[rune]byte
	runes []rune // by code, from 1
}

// pdfFontChars is how many characters a font has: codes are bytes, and 0 is unused.
const pdfFontChars = 255

// pdfFonts are the fonts of a document. A typeface with more characters than a font can
// have becomes several.
type pdfFonts struct{ all []*pdfFont }

// code returns the font of a character, by number, and its code there.
func (f *pdfFonts) code(face *typeface, r rune) (font int, code byte) {
	room := -1
	for i, one := range f.all {
		if one.face != face {
			continue
		}
		if c, ok := one.codes[r]; ok {
			return i, c
		}
		if len(one.runes) < pdfFontChars {
			room = i
		}
	}
	if room < 0 {
		room = len(f.all)
		f.all = append(f.all, &pdfFont{face: face, codes: map[rune]byte{}})
	}
	one := f.all[room]
	one.runes = append(one.runes, r)
	c := byte(len(one.runes)) // at most pdfFontChars
	one.codes[r] = c
	return room, c
}

// fontScale is the number of units of a font per size.
const fontScale = 1000

// write writes the fonts as objects, and returns the dictionary that names them.
func (f *pdfFonts) write(w *pdfWriter) (string, error) {
	names := "<<"
	for i, one := range f.all {
		var procs, differences, widths []string
		all := emptyBox()
		for k, r := range one.runes {
			g := one.face.glyph(r)
			c := pdfContent{}
			var shape path
			for _, s := range g.outline { // in a font, y points upwards
				up := func(p point) point { return point{p.x * fontScale, -p.y * fontScale} }
				shape = append(shape, segment{op: s.op, ctrl: [2]point{up(s.ctrl[0]), up(s.ctrl[1])}, to: up(s.to)})
			}
			b := shape.bounds()
			if len(shape) == 0 {
				b = box{}
			}
			all.add(point{b.x0, b.y0})
			all.add(point{b.x1, b.y1})
			fmt.Fprintf(&c.out, "%s 0 %s %s %s %s d1\n", pdfNumber(g.advance*fontScale), pdfNumber(b.x0), pdfNumber(b.y0), pdfNumber(b.x1), pdfNumber(b.y1))
			if len(shape) > 0 {
				c.path(shape)
				c.out.WriteString("f\n")
			}
			proc, err := w.stream(c.out.Bytes())
			if err != nil {
				return "", err
			}
			procs = append(procs, fmt.Sprintf("/c%d %d 0 R", k+1, proc))
			differences = append(differences, fmt.Sprintf("/c%d", k+1))
			widths = append(widths, pdfNumber(g.advance*fontScale))
		}
		meaning, err := w.stream([]byte(one.meaning()))
		if err != nil {
			return "", err
		}
		n := w.object(fmt.Sprintf("<< /Type /Font /Subtype /Type3 /FontBBox [%s %s %s %s] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 1 /LastChar %d /Widths [%s] "+
			"/Encoding << /Type /Encoding /Differences [1 %s] >> /CharProcs << %s >> /Resources << >> /ToUnicode %d 0 R >>",
			pdfNumber(all.x0), pdfNumber(all.y0), pdfNumber(all.x1), pdfNumber(all.y1), len(one.runes), strings.Join(widths, " "), strings.Join(differences, " "), strings.Join(procs, " "), meaning))
		names += fmt.Sprintf(" /F%d %d 0 R", i, n)
	}
	return names + " >>", nil
}

// meaning returns the map from codes to characters.
func (one *pdfFont) meaning() string {
	var out strings.Builder
	out.WriteString("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Everystate def /CMapType 2 def\n1 begincodespacerange <01> <FF> endcodespacerange\n")
	const atOnce = 100
	for from := 0; from < len(one.runes); from += atOnce {
		some := one.runes[from:min(from+atOnce, len(one.runes))]
		fmt.Fprintf(&out, "%d beginbfchar\n", len(some))
		for k, r := range some {
			fmt.Fprintf(&out, "<%02X> <", from+k+1)
			for _, u := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&out, "%04X", u)
			}
			out.WriteString(">\n")
		}
		out.WriteString("endbfchar\n")
	}
	out.WriteString("endcmap CMapName currentdict /CMap defineresource pop end end\n")
	return out.String()
}

// text writes a text with the fonts of the document. A character may need another font
// than the one before.
func (c *pdfContent) text(it *item) {
	face := faceOf(it.regular)
	c.setOpacity(it.fill.A)
	if c.fill != it.fill {
		fmt.Fprintf(&c.out, "%s rg\n", pdfColour(it.fill))
		c.fill = it.fill
	}
	// The page has y downwards, and text has it upwards.
	fmt.Fprintf(&c.out, "BT 1 0 0 -1 %s %s Tm\n", pdfNumber(startOf(it)), pdfNumber(it.at.y))
	last := -1
	for _, r := range it.text {
		font, code := c.fonts.code(face, r)
		if font != last {
			if last >= 0 {
				c.out.WriteString("> Tj\n")
			}
			fmt.Fprintf(&c.out, "/F%d %s Tf <", font, pdfNumber(it.size))
			last = font
		}
		fmt.Fprintf(&c.out, "%02X", code)
	}
	if last >= 0 {
		c.out.WriteString("> Tj\n")
	}
	c.out.WriteString("ET\n")
}
