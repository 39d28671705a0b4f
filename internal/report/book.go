package report

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/query"
)

// A Book is a page about several levels of a game, or boards of a file: a table of all,
// and the page of each.
type Book struct {
	Title  string
	Levels []Level
}

// Level is a row of the table, with its page.
type Level struct {
	Title string
	// Fault says why there is nothing else.
	Fault                       string
	States, Solution, Solutions string
	Hardest, Dead, FirstDead    string
	Page                        *Page
}

// Write writes the book as HTML.
func (b *Book) Write(w io.Writer) error {
	return template.Must(template.New("report").Parse(text)).ExecuteTemplate(w, "book", b)
}

// Add adds a level.
func (b *Book) Add(ctx context.Context, r Run, o Options) error {
	const none = "none"
	o.Brief = true
	page, err := New(ctx, r, o)
	if err != nil {
		return err
	}
	space := r.Space()
	s, err := r.Summary(ctx)
	if err != nil {
		return err
	}
	l := Level{Title: page.Title, States: quantity.Count(s.States), Solution: none, Solutions: "0", Hardest: none, Dead: none, FirstDead: none, Page: page}
	if s.SolutionLength != nil {
		l.Solution = quantity.Counted(int64(*s.SolutionLength), "move")
	}
	switch n, ok, err := space.ShortestSolutions(ctx); {
	case errors.Is(err, query.ErrNoGoal) || errors.Is(err, query.ErrNoDistances):
	case err != nil:
		return err
	case ok:
		l.Solutions = fmt.Sprint(n)
	default:
		l.Solutions = "too many to count"
	}
	if s.Hardest != nil {
		l.Hardest = quantity.Counted(int64(s.Hardest.Distance), "move")
	}
	if dead := s.UnsolvableStates; dead != nil && *dead > 0 {
		l.Dead = fmt.Sprintf("%.1f %%", 100*float64(*dead)/float64(r.History().States(history.Forward)))
	}
	if page.Dead != nil {
		l.FirstDead = quantity.Counted(int64(page.Dead.Depth), "move")
	}
	b.Levels = append(b.Levels, l)
	return nil
}

// AddFault adds a level for which there is nothing but a reason.
func (b *Book) AddFault(title, fault string) {
	b.Levels = append(b.Levels, Level{Title: title, Fault: fault})
}
