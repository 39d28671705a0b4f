package draw

import (
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// Panel is a board with a caption below it.
type Panel struct {
	Picture *puzzle.Picture
	Caption string
	// Between are pictures of the move to this one, in a film of pictures without cells.
	Between []*puzzle.Picture
}

// Sheet is a contact sheet.
type Sheet struct {
	Heading string
	Note    string // below the heading
	Panels  []Panel
	// Columns is how many panels are side by side. Zero means about as many as make
	// the sheet one and a half times as wide as it is high.
	Columns int
	// Arrows draws arrows between consecutive panels.
	Arrows bool
}

const (
	sheetMargin  = 20
	panelGap     = 26
	headingSize  = 26
	noteSize     = 15
	captionSize  = 17
	captionSpace = 26
)

// Draw draws a sheet.
func (h *Sheet) Draw(o Options) *Scene {
	t := themeOf(o.Dark)
	s := &Scene{Title: o.Title}
	if s.Title == "" {
		s.Title = h.Heading
	}
	if o.Background {
		s.background = t.paper
	}
	boards, w, rowHeight := h.boards(o)
	cols := h.columns(w, rowHeight)
	rows := (len(boards) + cols - 1) / cols
	top := float64(sheetMargin)
	p := pen{&s.items}
	s.Width = 2*sheetMargin + float64(cols)*w + float64(cols-1)*panelGap
	heading := clipped(h.Heading, headingSize, false, max(s.Width, 640)-2*sheetMargin)
	note := clipped(h.Note, noteSize, true, max(s.Width, 640)-2*sheetMargin)
	if heading != "" {
		p.text(sheetMargin, top+headingSize*0.8, headingSize, anchorStart, t.ink, heading)
		top += headingSize + 8
	}
	if note != "" {
		p.plain(sheetMargin, top+noteSize*0.8, noteSize, anchorStart, t.faint, note)
		top += noteSize + 8
	}
	if top > sheetMargin {
		top += 6
	}
	s.Width = max(s.Width, 2*sheetMargin+textWidth(heading, headingSize, false), 2*sheetMargin+textWidth(note, noteSize, true))
	s.Height = top + float64(rows)*(rowHeight+panelGap) - panelGap + sheetMargin
	for i, b := range boards {
		x := sheetMargin + float64(i%cols)*(w+panelGap)
		y := top + float64(i/cols)*(rowHeight+panelGap)
		p.put(b, x+(w-b.Width)/2, y, 1)
		if c := h.Panels[i].Caption; c != "" {
			p.text(x+w/2, y+rowHeight-5, captionSize, anchorMiddle, t.ink, clipped(c, captionSize, false, w+panelGap-6))
		}
		if h.Arrows && i+1 < len(boards) && i%cols+1 < cols {
			m := point{x + w + panelGap/2, y + b.Height/2}
			var arrow path
			arrow.polygon(m.plus(point{5, 0}), m.plus(point{-4, 6}), m.plus(point{-4, -6}))
			p.fill(arrow, t.faint)
		}
	}
	return s
}

// boards draws the panels, and returns the greatest width and height among them,
// captions included.
func (h *Sheet) boards(o Options) (boards []*Scene, w, height float64) {
	inner := o
	inner.Background, inner.Title, inner.Pieces = false, "", false
	captions := 0.0
	for _, p := range h.Panels {
		b := Board(p.Picture, inner)
		boards = append(boards, b)
		w, height = max(w, b.Width), max(height, b.Height)
		if p.Caption != "" {
			captions = captionSpace
		}
	}
	return boards, w, height + captions
}

func (h *Sheet) columns(w, height float64) int {
	n := len(h.Panels)
	if h.Columns > 0 {
		return max(min(h.Columns, n), 1)
	}
	cols := 1
	for cols < n && float64(cols)*w < 1.5*float64((n+cols-1)/cols)*height {
		cols++
	}
	return cols
}

// clipped shortens a text to fit a width.
func clipped(text string, size float64, regular bool, width float64) string {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, text)
	if textWidth(text, size, regular) <= width {
		return text
	}
	runes := []rune(text)
	for len(runes) > 0 && textWidth(string(runes)+"…", size, regular) > width {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimSpace(string(runes)) + "…"
}
