package draw

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"fmt"
	"image/color"
	"slices"
	"strings"
)

// PDF returns scenes as the pages of a document. A unit is a point, 1/72 inch. The
// document has its own fonts, so that text looks the same everywhere, and can be searched
// and copied.
func PDF(title string, pages ...*Scene) ([]byte, error) {
	w := &pdfWriter{}
	w.out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	const catalog, tree, info, opacities, fonts = 1, 2, 3, 4, 5
	w.reserve(fonts)
	var kids []string
	for _, s := range pages {
		content := pdfContent{opacities: &w.opacities, fonts: &w.fonts}
		// In PDF, y points upwards.
		fmt.Fprintf(&content.out, "1 0 0 -1 0 %s cm\n1 j 1 J\n", pdfNumber(s.Height))
		if s.background.A > 0 {
			var all path
			all.rect(0, 0, s.Width, s.Height)
			content.area(all, s.background)
		}
		content.items(s.items)
		stream, err := w.stream(content.out.Bytes())
		if err != nil {
			return nil, err
		}
		page := w.object(fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %s %s] /Contents %d 0 R /Resources << /ExtGState %d 0 R /Font %d 0 R >> >>",
			tree, pdfNumber(s.Width), pdfNumber(s.Height), stream, opacities, fonts))
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
	}
	w.objectAt(catalog, fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R >>", tree))
	w.objectAt(tree, fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, " ")))
	w.objectAt(info, fmt.Sprintf("<< /Title %s /Creator (everystate) >>", pdfText(title)))
	states := "<<"
	for _, a := range w.opacities {
		states += fmt.Sprintf(" /A%d << /ca %s /CA %s >>", a, pdfNumber(float64(a)/0xff), pdfNumber(float64(a)/0xff))
	}
	w.objectAt(opacities, states+" >>")
	names, err := w.fonts.write(w)
	if err != nil {
		return nil, err
	}
	w.objectAt(fonts, names)
	w.end(catalog, info)
	return w.out.Bytes(), nil
}

type pdfWriter struct {
	out       bytes.Buffer
	offsets   []int // by object, from 1 on
	opacities []uint8
	fonts     pdfFonts
}

// stream writes a compressed stream.
func (w *pdfWriter) stream(body []byte) (int, error) {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := z.Write(body)
	if err := cmp.Or(err, z.Close()); err != nil {
		return 0, err
	}
	return w.object(fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", packed.Len(), packed.String())), nil
}

func (w *pdfWriter) reserve(n int) { w.offsets = make([]int, n) }

func (w *pdfWriter) object(body string) int {
	w.offsets = append(w.offsets, 0)
	w.objectAt(len(w.offsets), body)
	return len(w.offsets)
}

func (w *pdfWriter) objectAt(n int, body string) {
	w.offsets[n-1] = w.out.Len()
	fmt.Fprintf(&w.out, "%d 0 obj\n%s\nendobj\n", n, body)
}

func (w *pdfWriter) end(catalog, info int) {
	at := w.out.Len()
	fmt.Fprintf(&w.out, "xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1)
	for _, o := range w.offsets {
		fmt.Fprintf(&w.out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&w.out, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(w.offsets)+1, catalog, info, at)
}

// pdfText encodes a text in UTF-16, as hexadecimal digits, which need no escapes.
func pdfText(text string) string {
	var out strings.Builder
	out.WriteString("<FEFF")
	for _, r := range text {
		if r > 0xffff {
			r -= 0x10000
			fmt.Fprintf(&out, "%04X%04X", 0xd800+r>>10, 0xdc00+r&0x3ff)
		} else {
			fmt.Fprintf(&out, "%04X", r)
		}
	}
	return out.String() + ">"
}

func pdfNumber(f float64) string {
	text := number(f)
	switch {
	case strings.HasPrefix(text, "."):
		return "0" + text
	case strings.HasPrefix(text, "-."):
		return "-0" + text[1:]
	}
	return text
}

// pdfContent writes the drawing of a page.
type pdfContent struct {
	out       bytes.Buffer
	opacities *[]uint8
	fonts     *pdfFonts
	fill      color.NRGBA
	line      color.NRGBA
	opacity   uint8 // 0 if not set yet
}

func (c *pdfContent) items(items []item) {
	for i := range items {
		it := &items[i]
		switch it.kind {
		case itemGroup:
			scale := it.scale
			if scale == 0 {
				scale = 1
			}
			before := [2]color.NRGBA{c.fill, c.line}
			opacity := c.opacity
			fmt.Fprintf(&c.out, "q %.4f 0 0 %.4f %s %s cm\n", scale, scale, pdfNumber(it.dx), pdfNumber(it.dy))
			c.items(it.group)
			c.out.WriteString("Q\n")
			c.fill, c.line, c.opacity = before[0], before[1], opacity
		case itemText:
			c.text(it)
		default:
			if it.fill.A > 0 {
				c.area(it.path, it.fill)
			}
			if it.stroke.A > 0 {
				c.stroke(it)
			}
		}
	}
}

func (c *pdfContent) area(p path, fill color.NRGBA) {
	if len(p) == 0 {
		return
	}
	c.setOpacity(fill.A)
	if c.fill != fill {
		fmt.Fprintf(&c.out, "%s rg\n", pdfColour(fill))
		c.fill = fill
	}
	c.path(p)
	c.out.WriteString("f\n")
}

func (c *pdfContent) stroke(it *item) {
	c.setOpacity(it.stroke.A)
	if c.line != it.stroke {
		fmt.Fprintf(&c.out, "%s RG\n", pdfColour(it.stroke))
		c.line = it.stroke
	}
	fmt.Fprintf(&c.out, "%s w\n", pdfNumber(it.width))
	if it.dash > 0 {
		fmt.Fprintf(&c.out, "[%s] 0 d\n", pdfNumber(it.dash))
	}
	c.path(it.path)
	c.out.WriteString("S\n")
	if it.dash > 0 {
		c.out.WriteString("[] 0 d\n")
	}
}

func (c *pdfContent) setOpacity(a uint8) {
	if c.opacity == a {
		return
	}
	c.opacity = a
	if !slices.Contains(*c.opacities, a) {
		*c.opacities = append(*c.opacities, a)
	}
	fmt.Fprintf(&c.out, "/A%d gs\n", a)
}

func pdfColour(c color.NRGBA) string {
	return fmt.Sprintf("%.3f %.3f %.3f", float64(c.R)/0xff, float64(c.G)/0xff, float64(c.B)/0xff)
}

func (c *pdfContent) path(p path) {
	xy := func(p point) string { return pdfNumber(p.x) + " " + pdfNumber(p.y) }
	for _, s := range p.curves(0, 0) {
		switch s.op {
		case opMove:
			fmt.Fprintf(&c.out, "%s m ", xy(s.to))
		case opLine:
			fmt.Fprintf(&c.out, "%s l ", xy(s.to))
		case opCurve:
			fmt.Fprintf(&c.out, "%s %s %s c ", xy(s.ctrl[0]), xy(s.ctrl[1]), xy(s.to))
		default:
			c.out.WriteString("h ")
		}
	}
}
