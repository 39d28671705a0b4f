package draw

import (
	"fmt"
	"slices"
	"strings"
)

// A Paper is a page to print on, in points.
type Paper struct {
	Name          string
	Width, Height float64
}

// papers are the known sizes.
var papers = []Paper{{"A3", 842, 1191}, {"A4", 595, 842}, {"A5", 420, 595}, {"letter", 612, 792}, {"legal", 612, 1008}}

// PaperNames returns the names that PaperOf knows.
func PaperNames() []string {
	var names []string
	for _, p := range papers {
		names = append(names, p.Name)
	}
	return names
}

// PaperOf returns a paper by its name, in small or capital letters.
func PaperOf(name string) (Paper, bool) {
	i := slices.IndexFunc(papers, func(p Paper) bool { return strings.EqualFold(p.Name, name) })
	if i < 0 {
		return Paper{}, false
	}
	return papers[i], true
}

// Fit puts a scene on a page, as large as it fits, at most at twice its size: lengthwise
// if it is wider than high.
func (p Paper) Fit(s *Scene) *Scene {
	if s.Width > s.Height {
		p.Width, p.Height = p.Height, p.Width
	}
	page := &Scene{Width: p.Width, Height: p.Height, Title: s.Title, background: s.background}
	scale := min((p.Width-2*pageMargin)/s.Width, (p.Height-2*pageMargin)/s.Height, 2)
	pen{&page.items}.put(s, (p.Width-s.Width*scale)/2, (p.Height-s.Height*scale)/2, scale)
	return page
}

// Pages breaks a sheet over pages. Boards are at least a fifth of the page wide, if the
// sheet does not say how many are side by side.
func (p Paper) Pages(h *Sheet, o Options) []*Scene {
	const across, foot = 5, 16
	_, w, tall := h.boards(o)
	sheet := *h
	if sheet.Columns == 0 {
		sheet.Columns = across
	}
	sheet.Columns = max(1, min(sheet.Columns, len(h.Panels)))
	wide := 2*sheetMargin + float64(sheet.Columns)*w + float64(sheet.Columns-1)*panelGap
	scale := min((p.Width-2*pageMargin)/max(wide, 640), 1.5)
	head := sheetMargin*2.0 + headingSize + noteSize + 30
	rows := max(1, int(((p.Height-2*pageMargin-foot)/scale-head)/(tall+panelGap)))
	perPage := rows * sheet.Columns
	count := (len(h.Panels) + perPage - 1) / perPage
	var pages []*Scene
	for n := range count {
		sheet.Panels = h.Panels[n*perPage : min((n+1)*perPage, len(h.Panels))]
		part := sheet.Draw(o)
		page := &Scene{Width: p.Width, Height: p.Height, Title: part.Title, background: part.background}
		fit := min(scale, (p.Width-2*pageMargin)/part.Width, (p.Height-2*pageMargin-foot)/part.Height)
		out := pen{&page.items}
		out.put(part, pageMargin, pageMargin, fit)
		if count > 1 {
			out.plain(p.Width/2, p.Height-pageMargin+4, 9, anchorMiddle, themeOf(o.Dark).faint, fmt.Sprintf("%d of %d", n+1, count))
		}
		pages = append(pages, page)
	}
	return pages
}

// Missing returns the characters of a scene's texts that the built-in fonts lack: PNG,
// PDF and GIF, which have no other fonts, leave them out.
func Missing(scenes ...*Scene) []rune {
	var missing []rune
	var look func(items []item)
	look = func(items []item) {
		for i := range items {
			it := &items[i]
			look(it.group)
			for _, r := range it.text {
				if faceOf(it.regular).glyph(r).missing && !slices.Contains(missing, r) {
					missing = append(missing, r)
				}
			}
		}
	}
	for _, s := range scenes {
		look(s.items)
	}
	return missing
}
