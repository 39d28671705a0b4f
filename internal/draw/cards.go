package draw

import (
	"fmt"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// Card is a puzzle on paper.
type Card struct {
	Title    string
	Note     string // such as "93 moves"
	Picture  *puzzle.Picture
	Solution []string // moves
	// Unsolved says why there is no solution, instead of the number of moves.
	Unsolved string
}

// The margin of a page in points, and the number of cards on it.
const (
	pageMargin         = 34
	cardCols, cardRows = 2, 3
)

// Cards lays cards out on pages, six per page. Every second page is the back of the
// one before, with the solutions: on paper printed on both sides and turned over
// along the long edge, each solution is behind its puzzle.
func Cards(cards []Card, o Options) []*Scene {
	o.Dark, o.Background = false, true
	const perPage = cardCols * cardRows
	paper := o.Paper
	if paper.Width == 0 {
		paper, _ = PaperOf("A4")
	}
	w := (paper.Width - 2*pageMargin) / cardCols
	h := (paper.Height - 2*pageMargin) / cardRows
	var pages []*Scene
	for first := 0; first < len(cards); first += perPage {
		some := cards[first:min(first+perPage, len(cards))]
		front := &Scene{Width: paper.Width, Height: paper.Height, Title: "puzzle cards", background: rgb(0xffffff)}
		back := &Scene{Width: paper.Width, Height: paper.Height, Title: "solutions", background: rgb(0xffffff)}
		for i := range some {
			col, row := i%cardCols, i/cardCols
			x, y := pageMargin+float64(col)*w, pageMargin+float64(row)*h
			number := fmt.Sprint(first + i + 1)
			frontOf(pen{&front.items}, &some[i], number, x, y, w, h, o)
			mirrored := pageMargin + float64(cardCols-1-col)*w
			backOf(pen{&back.items}, &some[i], number, mirrored, y, w, h)
		}
		pages = append(pages, front, back)
	}
	return pages
}

func cardEdge(p pen, x, y, w, h float64) {
	var edge path
	edge.rect(x, y, w, h)
	p.add(item{path: edge, stroke: rgb(0xb5bec9), width: 0.6, dash: 3})
}

// titled writes the number and the title of a card. The number is on both sides.
func titled(p pen, c *Card, number string, x, y, w float64) {
	const size, least = 15, 9
	t := themeOf(false)
	p.plain(x, y, 13, anchorStart, t.faint, number)
	x += textWidth(number, 13, true) + 8
	w -= textWidth(number, 13, true) + 8
	fit := float64(size)
	for fit > least && textWidth(c.Title, fit, false) > w {
		fit--
	}
	p.text(x, y, fit, anchorStart, t.ink, clipped(c.Title, fit, false, w))
}

func frontOf(p pen, c *Card, number string, x, y, w, h float64, o Options) {
	t := themeOf(false)
	cardEdge(p, x, y, w, h)
	const head, foot, side = 40, 30, 16
	titled(p, c, number, x+side, y+27, w-2*side)
	inner := o
	inner.Background, inner.Pieces, inner.Title = false, false, ""
	b := Board(c.Picture, inner)
	scale := min((w-2*side)/b.Width, (h-head-foot)/b.Height, 1.2)
	p.put(b, x+(w-b.Width*scale)/2, y+head+(h-head-foot-b.Height*scale)/2, scale)
	p.plain(x+w/2, y+h-12, 11, anchorMiddle, t.faint, clipped(c.Note, 11, true, w-2*side))
}

// length says how long the solution is.
func (c *Card) length() string {
	if c.Unsolved != "" {
		return c.Unsolved
	}
	return moves(len(c.Solution), "")
}

// moves counts moves, of a kind.
func moves(n int, kind string) string {
	if n == 1 {
		return "1 " + kind + "move"
	}
	return fmt.Sprintf("%d %smoves", n, kind)
}

// backOf writes the solution in the largest letters that fit. Of one that is too long for the
// smallest, it says how many moves are missing.
func backOf(p pen, c *Card, number string, x, y, w, h float64) {
	t := themeOf(false)
	cardEdge(p, x, y, w, h)
	const side, head = 18, 46
	titled(p, c, number, x+side, y+27, w-2*side-58)
	p.plain(x+w-side, y+27, 10, anchorEnd, t.faint, c.length())
	for size := 12.0; ; size-- {
		lines := wrapped(c.Solution, size, w-2*side)
		room := int((h - head - 14) / (size * 1.45))
		if len(lines) > room {
			if size > 4 {
				continue
			}
			lines = lines[:max(room-1, 0)]
			shown := len(strings.Split(strings.Join(lines, between), between))
			lines = append(lines, "… and "+moves(len(c.Solution)-shown, "more ")+": too long for a card")
		}
		for i, line := range lines {
			p.plain(x+side, y+head+size+float64(i)*size*1.45, size, anchorStart, t.ink, line)
		}
		return
	}
}

// between is what separates the words of a line.
const between = "  "

// wrapped breaks words into lines of a width.
func wrapped(words []string, size, width float64) []string {
	var lines []string
	var line []string
	used := 0.0
	space := textWidth(between, size, true)
	for _, word := range words {
		word = clipped(word, size, true, width)
		w := textWidth(word, size, true)
		if len(line) > 0 && used+space+w > width {
			lines, line, used = append(lines, strings.Join(line, between)), nil, 0
		}
		if len(line) > 0 {
			used += space
		}
		line, used = append(line, word), used+w
	}
	if len(line) > 0 {
		lines = append(lines, strings.Join(line, between))
	}
	return lines
}

// Stacked puts pages one below the other, for a format without pages.
func Stacked(title string, pages []*Scene) *Scene {
	s := &Scene{Title: title}
	for _, page := range pages {
		s.background = page.background
		pen{&s.items}.put(page, 0, s.Height, 1)
		s.Width = max(s.Width, page.Width)
		s.Height += page.Height
	}
	return s
}
