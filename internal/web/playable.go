package web

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"time"

	"github.com/everystate/everystate/internal/web/playable"
)

// playableTime is how long a playable file may take to be made and sent.
const playableTime = 10 * time.Minute

// playable answers with the run as a playable file. Files and graphs are made one at a
// time, as each takes a lot of memory.
func (s *Server) playable(w http.ResponseWriter, r *http.Request) {
	// The recorder of a test has no deadlines.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(playableTime))
	body, err := s.playableFile(r)
	if err != nil {
		s.explain(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": r.PathValue("run") + ".html"}))
	h.Set("Cache-Control", "no-store")
	send(w, body)
}

func (s *Server) playableFile(r *http.Request) (body []byte, err error) {
	source, err := s.source(r)
	if err != nil {
		return nil, err
	}
	view, err := source.Open(r.Context(), r.PathValue("run"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, view.Close()) }()
	space := view.Space()
	if err := playable.Check(space); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	select {
	case <-s.graphs.turn:
		defer func() { s.graphs.turn <- struct{}{} }()
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	var out bytes.Buffer
	err = playable.Write(r.Context(), space, playable.Options{
		Run: r.PathValue("run"), Title: cmp.Or(space.Board.Name, r.PathValue("run")), Version: s.opts.Version,
	}, &out)
	return out.Bytes(), err
}
