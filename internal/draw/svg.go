package draw

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SVG returns a scene as SVG.
func (s *Scene) SVG(o Options) []byte {
	w := &svgWriter{}
	w.open(s, !o.Pieces)
	w.itemList(s.items)
	w.WriteString("</svg>\n")
	return []byte(w.String())
}

type svgWriter struct{ strings.Builder }

// fonts are the fonts that browsers have.
const fonts = "system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif"

func (w *svgWriter) open(s *Scene, sized bool) {
	w.WriteString(`<svg xmlns="http://www.w3.org/2000/svg"`)
	if sized {
		fmt.Fprintf(w, ` width="%s" height="%s"`, number(s.Width), number(s.Height))
	}
	fmt.Fprintf(w, ` viewBox="0 0 %s %s" role="img" font-family="%s" font-weight="700"`, number(s.Width), number(s.Height), fonts)
	fmt.Fprintf(w, "><title>%s</title>\n", escape(s.Title))
	if s.background.A > 0 {
		fmt.Fprintf(w, `<rect width="%s" height="%s"%s/>`+"\n", number(s.Width), number(s.Height), paintOf("fill", s.background))
	}
}

func (w *svgWriter) itemList(items []item) {
	for i := range items {
		w.item(&items[i])
	}
}

func (w *svgWriter) item(it *item) {
	switch it.kind {
	case itemGroup:
		w.groupOf(it)
	case itemText:
		anchors := [...]string{` text-anchor="middle"`, "", ` text-anchor="end"`}
		weight := ""
		if it.regular {
			weight = ` font-weight="400"`
		}
		fmt.Fprintf(w, `<text x="%s" y="%s" font-size="%s"%s%s%s>%s</text>`+"\n", number(it.at.x), number(it.at.y), number(it.size),
			anchors[it.anchor], weight, paintOf("fill", it.fill), escape(it.text))
	default:
		w.shape(it)
	}
}

func (w *svgWriter) groupOf(it *item) {
	w.WriteString("<g")
	if it.piece > 0 {
		fmt.Fprintf(w, ` data-piece="%d"`, it.piece-1)
	}
	var moves []string
	if it.dx != 0 || it.dy != 0 {
		moves = append(moves, fmt.Sprintf("translate(%s %s)", number(it.dx), number(it.dy)))
	}
	if it.scale != 0 && it.scale != 1 {
		moves = append(moves, fmt.Sprintf("scale(%s)", strconv.FormatFloat(math.Round(it.scale*1e4)/1e4, 'f', -1, 64)))
	}
	if it.motion != nil {
		if _, seen := it.motion.at(0); !seen { // the start, where nothing is animated
			w.WriteString(` visibility="hidden"`)
		}
	}
	if len(moves) > 0 {
		fmt.Fprintf(w, ` transform="%s"`, strings.Join(moves, " "))
	}
	w.WriteString(">\n")
	w.itemList(it.group)
	if it.motion != nil {
		it.motion.svg(w)
	}
	w.WriteString("</g>\n")
}

// shape writes a path as the shortest suitable element.
func (w *svgWriter) shape(it *item) {
	b := it.path.bounds()
	switch it.form {
	case formCircle:
		fmt.Fprintf(w, `<circle cx="%s" cy="%s" r="%s"`, number((b.x0+b.x1)/2), number((b.y0+b.y1)/2), number((b.x1-b.x0)/2))
	case formRect:
		w.WriteString("<rect")
		for _, a := range []struct {
			name  string
			value float64
		}{{"x", b.x0}, {"y", b.y0}, {"width", b.x1 - b.x0}, {"height", b.y1 - b.y0}, {"rx", it.path[0].to.x - b.x0}} {
			if a.value != 0 {
				fmt.Fprintf(w, ` %s="%s"`, a.name, number(a.value))
			}
		}
	default:
		fmt.Fprintf(w, `<path d="%s"`, it.path.svg())
	}
	if it.fill.A > 0 {
		w.WriteString(paintOf("fill", it.fill))
	} else {
		w.WriteString(` fill="none"`)
	}
	if it.stroke.A > 0 {
		fmt.Fprintf(w, `%s stroke-width="%s" stroke-linejoin="round" stroke-linecap="round"`, paintOf("stroke", it.stroke), number(it.width))
		if it.dash > 0 {
			fmt.Fprintf(w, ` stroke-dasharray="%s"`, number(it.dash))
		}
	}
	w.WriteString("/>\n")
}

// paintOf writes a colour as an attribute.
func paintOf(name string, c color.NRGBA) string {
	hex := fmt.Sprintf("%02x%02x%02x", c.R, c.G, c.B)
	if hex[0] == hex[1] && hex[2] == hex[3] && hex[4] == hex[5] {
		hex = hex[:1] + hex[2:3] + hex[4:5]
	}
	out := " " + name + `="#` + hex + `"`
	if c.A < 0xff {
		out += " " + name + `-opacity="` + number(float64(c.A)/0xff) + `"`
	}
	return out
}

// svg returns a path as relative commands. Coordinates are rounded first, so that
// errors do not add up.
func (p path) svg() string {
	var out strings.Builder
	var at, start point
	args := func(values ...float64) {
		for i, v := range values {
			text := number(v)
			if i > 0 && text[0] != '-' {
				out.WriteByte(' ')
			}
			out.WriteString(text)
		}
	}
	for i, s := range p {
		to := point{round(s.to.x), round(s.to.y)}
		d := to.minus(at)
		switch s.op {
		case opMove:
			if i == 0 {
				out.WriteByte('M')
				args(to.x, to.y)
			} else {
				out.WriteByte('m')
				args(d.x, d.y)
			}
			start = to
		case opLine:
			switch {
			case round(d.x) == 0 && round(d.y) == 0:
			case round(d.y) == 0:
				out.WriteByte('h')
				args(d.x)
			case round(d.x) == 0:
				out.WriteByte('v')
				args(d.y)
			default:
				out.WriteByte('l')
				args(d.x, d.y)
			}
		case opTurn:
			corner := s.ctrl[0].minus(at)
			sweep := 0.0
			if corner.cross(d) > 0 {
				sweep = 1
			}
			out.WriteByte('a')
			args(math.Abs(d.x), math.Abs(d.y), 0, 0, sweep, d.x, d.y)
		case opCurve:
			a, b := s.ctrl[0].minus(at), s.ctrl[1].minus(at)
			out.WriteByte('c')
			args(a.x, a.y, b.x, b.y, d.x, d.y)
		case opClose:
			out.WriteByte('z')
			at = start
			continue
		}
		at = to
	}
	return out.String()
}

func round(f float64) float64 { return math.Round(f*100) / 100 }

// number writes a number with at most two decimals.
func number(f float64) string {
	text := strconv.FormatFloat(round(f), 'f', -1, 64)
	switch {
	case text == "-0":
		return "0"
	case strings.HasPrefix(text, "0."):
		return text[1:]
	case strings.HasPrefix(text, "-0."):
		return "-" + text[2:]
	}
	return text
}

// escape makes a text safe inside elements and attributes. Characters that XML does
// not allow become question marks.
func escape(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '<':
			out.WriteString("&lt;")
		case r == '>':
			out.WriteString("&gt;")
		case r == '&':
			out.WriteString("&amp;")
		case r == '"':
			out.WriteString("&quot;")
		case r == '\'':
			out.WriteString("&#39;")
		case r == '\n' || r == '\t' || r == '\r':
			out.WriteByte(' ')
		case r < ' ' || r == 0xfffe || r == 0xffff || r == utf8.RuneError:
			out.WriteByte('?')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
