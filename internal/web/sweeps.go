package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/everystate/everystate/internal/draw"
	"github.com/everystate/everystate/internal/portrait"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/sweep/browse"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/pack"
)

// Limits of one answer about a sweep.
const (
	recordsShownMax = 48
	cardsMax        = 24
)

// sweeping answers about the sweeps of a server.
type sweeping struct{ *Server }

// names lists the databases of sweeps.
func (s sweeping) names(_ *http.Request, _ Source) (any, error) {
	names := []string{}
	if s.opts.Sweeps != nil {
		names = append(names, s.opts.Sweeps.Names()...)
	}
	return names, nil
}

// dimensions are the names of what the records of a sweep are filtered by.
var dimensions = [browse.Dimensions]string{"moves", "states", "pieces", "walls", "grade"}

// choiceOf reads the filter of a request.
func choiceOf(r *http.Request) (browse.Filter, error) {
	f := browse.Everything()
	for d, name := range dimensions {
		text := r.URL.Query().Get(name)
		if text == "" {
			continue
		}
		least, most, _ := strings.Cut(text, "-")
		from, err1 := strconv.ParseUint(least, 10, 64)
		to, err2 := strconv.ParseUint(most, 10, 64)
		if err1 != nil || err2 != nil {
			return f, fmt.Errorf("%w: %s must be N-M", errRequest, name)
		}
		f[d] = database.Range{Least: from, Most: to}
	}
	return f, nil
}

// swept is a record of a sweep on the page.
type swept struct {
	Text    string `json:"text"`
	Picture string `json:"picture"` // SVG
	Moves   int    `json:"moves"`
	States  uint64 `json:"states"`
	Pieces  int    `json:"pieces"`
	Walls   uint64 `json:"walls"`
	Grade   uint64 `json:"grade,omitempty"`
}

func sweptOf(found *browse.Found) swept {
	p, r := found.Board.Puzzle, found.Record
	return swept{
		Text: found.Board.Text, Picture: string(svg(p, p.Starts()[:p.Layout().Words()], draw.Options{})),
		Moves: r.Distance(), States: r.States(), Pieces: r.Pieces, Walls: r.Attribute(1), Grade: r.Grade(),
	}
}

// explainSweep says whose fault an error is.
func explainSweep(err error) error {
	if errors.Is(err, database.ErrInUse) {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

// open reserves a question and returns the shelf, with the filter of the request.
func (s sweeping) open(r *http.Request) (*browse.Shelf, browse.Filter, func(), error) {
	f, err := choiceOf(r)
	switch {
	case err != nil:
		return nil, f, nil, err
	case s.opts.Sweeps == nil:
		return nil, f, nil, fmt.Errorf("%w: this server shows none", browse.ErrNone)
	}
	done, err := s.reserve(r.Context())
	return s.opts.Sweeps, f, done, err
}

// look answers with the histograms of a database under a filter, and some records.
func (s sweeping) look(r *http.Request, _ Source) (any, error) {
	shelf, f, done, err := s.open(r)
	if err != nil {
		return nil, err
	}
	defer done()
	offset, limit, err := pageOf(r, recordsShownMax)
	if err != nil {
		return nil, err
	}
	page, err := shelf.Look(r.Context(), r.PathValue("sweep"), browse.Query{Filter: f, Offset: offset, Limit: limit, Day: r.URL.Query().Get("day")})
	if err != nil {
		return nil, explainSweep(err)
	}
	answer := struct {
		Kind       string              `json:"kind"`
		Pieces     string              `json:"pieces"`
		Metric     string              `json:"metric"`
		Cards      bool                `json:"cards"`
		Total      int                 `json:"total"`
		Records    int                 `json:"records"`
		Histograms map[string][][3]int `json:"histograms"` // least, most, count
		Found      []swept             `json:"found"`
		Daily      *swept              `json:"daily,omitempty"`
	}{
		Kind: page.Kind.Name, Pieces: page.Kind.Pieces, Metric: page.Boards.Metric, Cards: page.Boards.Reversible,
		Total: page.Total, Records: page.Records, Histograms: make(map[string][][3]int), Found: []swept{},
	}
	for d, bars := range page.Histograms {
		if browse.Dimension(d) == browse.Walls && !page.Kind.HasWalls || browse.Dimension(d) == browse.Grade && !page.Graded {
			continue
		}
		all := [][3]int{}
		for _, b := range bars {
			all = append(all, [3]int{int(b.Least), int(b.Most), b.Count})
		}
		answer.Histograms[dimensions[d]] = all
	}
	for i := range page.Found {
		answer.Found = append(answer.Found, sweptOf(&page.Found[i]))
	}
	if page.Daily != nil {
		shown := sweptOf(page.Daily)
		answer.Daily = &shown
	}
	return answer, nil
}

// cards answers with cards to print of the first records under a filter.
func (s sweeping) cards(w http.ResponseWriter, r *http.Request) {
	_, err := s.source(r)
	var body []byte
	if err == nil {
		body, err = s.cardsOf(r.Context(), r)
	}
	if err != nil {
		s.explain(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/pdf")
	h.Set("Content-Disposition", `attachment; filename="cards.pdf"`)
	send(w, body)
}

// noteOf is what a card says below its title.
func noteOf(p *pack.Puzzle, metric string) string {
	note := fmt.Sprintf("%s (%s)", quantity.Counted(int64(p.Distance), "move"), metric)
	if p.How.Grade != nil {
		note += fmt.Sprintf(", grade %d", p.How.Grade.Grade)
	}
	return note
}

func (s sweeping) cardsOf(ctx context.Context, r *http.Request) ([]byte, error) {
	shelf, f, done, err := s.open(r)
	if err != nil {
		return nil, err
	}
	defer done()
	name := r.PathValue("sweep")
	page, err := shelf.Look(ctx, name, browse.Query{Filter: f, Limit: cardsMax})
	if err != nil {
		return nil, explainSweep(err)
	}
	if !page.Boards.Reversible {
		return nil, fmt.Errorf("%w: cards need solutions, which sweeps of %s do not have", ErrRefused, page.Boards.Family)
	}
	var explorer pack.Explorer
	var cards []draw.Card
	for i, found := range page.Found {
		p, err := explorer.Explore(ctx, found.Record, found.Board)
		if errors.Is(err, solve.ErrTooLarge) {
			return nil, fmt.Errorf("%w: %w", ErrRefused, err)
		}
		if err != nil {
			return nil, err
		}
		cards = append(cards, draw.Card{
			Title: fmt.Sprintf("%s %d", name, i+1), Note: noteOf(p, found.Board.Metric),
			Picture: portrait.Look(found.Board).Picture(found.Board.Puzzle.Starts()), Solution: p.Solution,
		})
	}
	if len(cards) == 0 {
		return nil, fmt.Errorf("%w: no records match", errRequest)
	}
	return draw.PDF("puzzle cards", draw.Cards(cards, draw.Options{Labels: true})...)
}
