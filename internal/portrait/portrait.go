// Package portrait makes pictures of a run: its layers as a plot, its state graph,
// and sheets, cards and films of boards.
//
// It reads a run and draws; it must never open or write anything. The same run always
// gives the same picture.
package portrait

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/draw"
	"github.com/everystate/everystate/internal/grade"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/solid"
	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// A Run is a run to draw.
type Run interface {
	// Dir returns the name of the run if its board has none.
	Dir() string
	Board() puzzle.Board
	History() *history.History
	Space() *query.Space
}

// Name returns what to call a run.
func Name(r Run) string { return cmp.Or(r.Board().Name, r.Dir()) }

// Look returns how to draw the states of a board: solid bodies from two sides, others as
// [Flat] does.
func Look(b puzzle.Board) puzzle.Pictured {
	if shape := solid.Of(b.Puzzle); shape != nil {
		return body{b.Puzzle, shape}
	}
	return Flat(b)
}

// body draws a puzzle that is a solid body.
type body struct {
	puzzle puzzle.Puzzle
	shape  *solid.Shape
}

func (b body) Picture(state []uint64) *puzzle.Picture {
	return b.shape.Picture(b.puzzle.Format(state), nil)
}

// turning returns pictures of a move on its way from a state.
func (b body) turning(state []uint64, move puzzle.Move) []*puzzle.Picture {
	const steps = 6 // few enough for films of many moves, and smooth
	m := b.shape.Moves[move]
	var pictures []*puzzle.Picture
	for i := 1; i < steps; i++ {
		part := float64(i) / steps
		part = part * part * (3 - 2*part)
		pictures = append(pictures, b.shape.Picture(b.puzzle.Format(state), &solid.Turning{Move: m, Angle: part * m.Angle}))
	}
	return pictures
}

// Flat returns how to draw the states of a board in the plane. Those of a puzzle without
// pictures are drawn as their texts.
func Flat(b puzzle.Board) puzzle.Pictured {
	if p, ok := b.Puzzle.(puzzle.Pictured); ok {
		return p
	}
	return letter(b.Puzzle)
}

// Solution finds a shortest path from a state to a goal. From the start it does not
// need goal distances.
func Solution(ctx context.Context, space *query.Space, key []uint64) (query.Path, error) {
	if space.HasDistances() {
		return space.ToGoal(ctx, key)
	}
	starts := space.Board.Puzzle.Starts()
	if len(starts) != len(key) || !slices.Equal(key, starts) {
		return query.Path{}, query.ErrNoDistances
	}
	goal, err := space.FirstGoal(ctx)
	if err != nil {
		return query.Path{}, err
	}
	return space.FromStart(ctx, goal)
}

// Film makes an animation of a path.
func Film(r Run, look puzzle.Pictured, path query.Path) *draw.Film {
	names := path.Names(r.Board().Puzzle)
	film := &draw.Film{}
	for i, picture := range puzzle.Pictures(look, path.States, path.Moves) {
		panel := draw.Panel{Picture: picture}
		if i > 0 {
			panel.Caption = names[i-1]
			if b, ok := look.(body); ok {
				panel.Between = b.turning(path.States[i-1], path.Moves[i-1])
			}
		}
		film.Panels = append(film.Panels, panel)
	}
	return film
}

// HardestSheet makes a sheet of the hardest states.
func HardestSheet(r Run, look puzzle.Pictured, found query.Hardest) draw.Sheet {
	sheet := draw.Sheet{
		Heading: Name(r),
		Note:    fmt.Sprintf("hardest: %s to the nearest goal, %s", quantity.Counted(int64(found.Distance), "move"), quantity.Counted(found.Count, "state")),
	}
	for i, key := range found.States {
		sheet.Panels = append(sheet.Panels, draw.Panel{Picture: look.Picture(key), Caption: fmt.Sprint(i + 1)})
	}
	return sheet
}

// Cards makes a card for each of some states, with its solution if known. It calls told
// before each.
func Cards(ctx context.Context, r Run, look puzzle.Pictured, keys [][]uint64, told func(card int)) ([]draw.Card, error) {
	var cards []draw.Card
	grades := graded(ctx, r.Board().Puzzle)
	for i, key := range keys {
		told(i)
		card := draw.Card{Title: Name(r), Picture: look.Picture(key), Note: r.Board().Family}
		if len(keys) > 1 {
			card.Title += fmt.Sprintf(" %d", i+1)
		}
		path, err := Solution(ctx, r.Space(), key)
		switch {
		case err == nil:
			card.Solution = path.Names(r.Board().Puzzle)
			card.Note = fmt.Sprintf("%s (%s)", quantity.Counted(int64(len(path.Moves)), "move"), r.Board().Metric) + grades(key)
		case errors.Is(err, query.ErrNoGoal) && r.History().End(history.Forward) != nil:
			card.Unsolved = "no solution"
		case errors.Is(err, query.ErrNoGoal) || errors.Is(err, query.ErrNoDistances):
			card.Unsolved = "no solution found"
		default:
			return nil, err
		}
		cards = append(cards, card)
	}
	return cards, nil
}

// gradedStatesMax bounds the clusters whose boards get a grade on their cards.
const gradedStatesMax = 1 << 20

// graded returns what the cards of a puzzle's states say of their grades, if they have
// any.
func graded(ctx context.Context, p puzzle.Puzzle) func(key []uint64) string {
	var c solve.Component
	none := func([]uint64) string { return "" }
	if _, ok := rushhour.SceneOf(p, p.Starts()); !ok || c.Explore(ctx, p, gradedStatesMax) != nil {
		return none
	}
	return func(key []uint64) string {
		state := c.Number(key)
		if state < 0 {
			return ""
		}
		m, err := grade.Of(&c, p, state)
		if err != nil {
			return ""
		}
		return fmt.Sprintf(", grade %d", m.Grade())
	}
}

// Layers plots the layers of a run.
func Layers(r Run, log bool) *draw.Plot {
	h := r.History()
	plot := &draw.Plot{Heading: Name(r), Log: log}
	forward := draw.Series{Name: "depth: moves from the start"}
	first := true
	for _, l := range h.Layers(history.Forward) {
		forward.Counts = append(forward.Counts, l.States)
		if first && l.Goals > 0 {
			first = false
			forward.Marks = append(forward.Marks, draw.Mark{At: int(l.Depth), Text: fmt.Sprintf("first goal: %d", l.Depth)})
		}
	}
	states := h.States(history.Forward)
	plot.Note = fmt.Sprintf("%s, %s (%s)", quantity.Counted(states, "state"), r.Board().Family, r.Board().Metric)
	if h.End(history.Forward) == nil {
		plot.Note += ", not complete"
	}
	plot.Series = append(plot.Series, forward)
	if counts := r.Space().GoalLayers(); len(counts) > 0 {
		last := len(counts) - 1
		plot.Series = append(plot.Series, draw.Series{
			Name: "goal distance: moves to the nearest goal", Counts: counts,
			Marks: []draw.Mark{{At: last, Text: fmt.Sprintf("hardest: %d", last)}},
		})
	}
	return plot
}

// Graph reads all states and moves. The caller ensures that there are at most
// draw.GraphStatesMax states.
func Graph(ctx context.Context, r Run) (*draw.Graph, error) {
	space := r.Space()
	numbers, err := space.Numbers(ctx)
	if err != nil {
		return nil, err
	}
	g := &draw.Graph{Heading: Name(r)}
	err = query.Table(ctx, space, query.TableOptions{}, func(_ *query.Batch, b *query.Batch) (*query.Batch, error) {
		return &query.Batch{
			Words: b.Words, Depths: slices.Clone(b.Depths), Keys: slices.Clone(b.Keys),
			Goals: slices.Clone(b.Goals), GoalDistances: slices.Clone(b.GoalDistances),
		}, nil
	}, func(b *query.Batch) error {
		var edges puzzle.Edges
		for i := range b.Len() {
			from := len(g.Depths)
			g.Depths = append(g.Depths, int(b.Depths[i]))
			g.Goals = append(g.Goals, b.Goals[i])
			g.GoalDistances = append(g.GoalDistances, int(b.GoalDistances[i]))
			edges.Reset()
			space.Board.Puzzle.Successors(b.Key(i), &edges)
			for j := range edges.Len() {
				if to, ok := numbers.Of(edges.Keys[j*b.Words : (j+1)*b.Words]); ok {
					g.Edges = append(g.Edges, [2]int{from, to})
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	g.Note = fmt.Sprintf("%s, %d moves deep", quantity.Counted(int64(len(g.Depths)), "state"), len(r.History().Layers(history.Forward))-1)
	start := space.Board.Puzzle.Starts()[:space.Board.Puzzle.Layout().Words()]
	if path, err := Solution(ctx, space, start); err == nil {
		for _, key := range path.States {
			if n, ok := numbers.Of(key); ok {
				g.Path = append(g.Path, n)
			}
		}
		g.Note += fmt.Sprintf("; in red a shortest path to a goal, %s", quantity.Counted(int64(len(path.Moves)), "move"))
	}
	return g, nil
}
