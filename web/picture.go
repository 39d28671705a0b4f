package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// picture is a state as an image. What a key looks like never changes as long as
// the run is that of the same board, which the page has in the address.
func (s *Server) picture(w http.ResponseWriter, r *http.Request) {
	source, err := s.source(r)
	var body []byte
	if err == nil {
		body, err = s.pictureOf(r, source)
	}
	if err != nil {
		s.explain(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Cache-Control", "private, max-age=3600")
	// Opened by itself it is a document: without scripts.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox")
	send(w, body)
}

func (s *Server) pictureOf(r *http.Request, source Source) (body []byte, err error) {
	view, err := source.Open(r.Context(), r.PathValue("run"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, view.Close()) }()
	p := view.Space().Board.Puzzle
	key, err := parseKey(p, strings.TrimSuffix(r.PathValue("key"), ".svg"))
	if err != nil {
		return nil, err
	}
	if body = svg(p, key); body == nil {
		return nil, fmt.Errorf("%w: the puzzle has no pictures", errRequest)
	}
	return body, nil
}

// svg draws a state, nil if its puzzle cannot be drawn.
func svg(p puzzle.Puzzle, key []uint64) []byte {
	pictured, ok := p.(puzzle.Pictured)
	if !ok {
		return nil
	}
	pic := pictured.Picture(key)
	if pic == nil {
		return nil
	}
	return drawSVG(pic)
}

func drawSVG(pic *puzzle.Picture) []byte {
	const cell = 40
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d">`, pic.Cols*cell, pic.Rows*cell)
	for i, g := range pic.Ground {
		fill := map[puzzle.Ground]string{puzzle.GroundFloor: "#ddd", puzzle.GroundWall: "#555", puzzle.GroundTarget: "#fc8", puzzle.GroundHole: "#999"}[g]
		if fill != "" {
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`, i%pic.Cols*cell, i/pic.Cols*cell, cell, cell, fill)
		}
	}
	for i := range pic.Pieces {
		for _, c := range pic.Pieces[i].Cells {
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="hsl(%d 60%% 50%%)"/>`, c.Col*cell+2, c.Row*cell+2, cell-4, cell-4, pic.Pieces[i].Colour*47%360)
		}
	}
	b.WriteString(`</svg>`)
	return []byte(b.String())
}
