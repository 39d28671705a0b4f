package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/everystate/everystate/internal/draw"
	"github.com/everystate/everystate/internal/portrait"
	"github.com/everystate/everystate/puzzle"
)

// picture returns a state as an image. The picture of a key never changes as long as the
// run explores the same board, which is part of the address on the page.
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
	sendSVG(w, body)
}

// thumbnail returns the start of a run as an image, also while the run is running.
func (s *Server) thumbnail(w http.ResponseWriter, r *http.Request) {
	source, err := s.source(r)
	var board puzzle.Board
	if err == nil {
		board, err = source.Board(r.Context(), r.PathValue("run"))
	}
	if err != nil {
		s.explain(w, r, err)
		return
	}
	p := board.Puzzle
	start := p.Starts()[:p.Layout().Words()]
	sendSVG(w, draw.SVG(portrait.Look(board).Picture(start), draw.Options{Pieces: true, Title: p.Draw(start)}))
}

// sendSVG answers with an image.
func sendSVG(w http.ResponseWriter, svg []byte) {
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Cache-Control", "private, max-age=3600")
	// Opened by itself, the image is a document: forbid scripts.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox")
	send(w, svg)
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
	q := r.URL.Query()
	pic := drawnOf(p, key)
	if staged, ok := p.(puzzle.Staged); ok && q.Has("by") {
		move, err := strconv.ParseUint(q.Get("by"), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%w: by must be the number of a move", errRequest)
		}
		pic = staged.PictureAfter(key, puzzle.Move(move))
	}
	if pic == nil {
		return nil, fmt.Errorf("%w: the puzzle has no pictures", errRequest)
	}
	return draw.SVG(pic, draw.Options{Labels: q.Has("labels"), Dark: q.Has("dark"), Pieces: true, Title: p.Draw(key)}), nil
}

// looksOf returns the picture of a state, or nil if its puzzle has none.
func looksOf(p puzzle.Puzzle, key []uint64) *puzzle.Picture {
	pictured, ok := p.(puzzle.Pictured)
	if !ok {
		return nil
	}
	return pictured.Picture(key)
}

// drawnOf returns the picture of a state to look at, a solid body as that; or nil if its
// puzzle has none.
func drawnOf(p puzzle.Puzzle, key []uint64) *puzzle.Picture {
	if _, ok := p.(puzzle.Pictured); !ok {
		return nil
	}
	return portrait.Look(puzzle.Board{Puzzle: p}).Picture(key)
}

// svg draws a state. It returns nil if the puzzle has no pictures.
func svg(p puzzle.Puzzle, key []uint64, opts draw.Options) []byte {
	pic := drawnOf(p, key)
	if pic == nil {
		return nil
	}
	opts.Pieces, opts.Title = true, p.Draw(key)
	return draw.SVG(pic, opts)
}
