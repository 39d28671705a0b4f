// Package report renders a run as one HTML page, to be sent to somebody. The page needs
// no other file and no script.
//
// It must never open a run; the caller does. What the run does not know is left out.
package report

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/draw"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/portrait"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

//go:embed report.html.tmpl
var text string

// movesMax is the longest path that is shown as an animation, and whose moves are all
// listed.
const movesMax = 2000

// A Run is the run to report on.
type Run interface {
	portrait.Run
	Summary(ctx context.Context) (engine.Summary, error)
}

// Options selects what a page has.
type Options struct {
	// Hardest is the maximum number of hardest boards shown.
	Hardest int
	// Brief omits the state graph.
	Brief bool
	// Progress, if not nil, is told what is being done, and which part of the whole is
	// done, from 0 to 1.
	Progress func(what string, part float64)
	// Version is the version of the program, and Date the day on which the page is
	// made; both are shown on it. An empty Date is left out.
	Version, Date string
}

// A Page is the content of the report on a run.
type Page struct {
	Title, Family, Metric, Note string
	Complete                    bool
	Board                       template.HTML
	Facts                       []fact
	Plot, LogPlot               dual
	Film                        template.HTML
	Graph                       template.URL // a PNG, empty if the space is too large for one
	GraphNote                   string
	Solution                    string
	SolutionLength              int
	SolutionShown               string // how much of it Solution is
	Hardest                     []hardBoard
	HardestNote                 string
	Dead                        *deadEnd
	Text                        string
	Made                        []fact
}

// dual is a picture for light and for dark pages.
type dual struct{ Light, Dark template.HTML }

// plotOf draws a plot of the layers, without a heading, as the page has it.
func plotOf(r Run, log bool, title string) dual {
	plot := portrait.Layers(r, log)
	plot.Heading, plot.Note = "", ""
	in := func(dark bool) template.HTML {
		return onPage(plot.Draw(draw.Options{Title: title, Dark: dark}).SVG(draw.Options{}))
	}
	return dual{in(false), in(true)}
}

// fact is a line of a table.
type fact struct{ Name, Value string }

type hardBoard struct {
	Picture  template.HTML
	Number   int
	State    string
	Solution string
}

// deadEnd is a first state from which no goal can be reached.
type deadEnd struct {
	Depth   int
	Note    string
	Moves   string
	Picture template.HTML
}

// Write writes the page as HTML.
func (p *Page) Write(w io.Writer) error {
	return template.Must(template.New("report").Parse(text)).ExecuteTemplate(w, "page", p)
}

// onPage puts an SVG drawn by this program on the page. Its texts are escaped.
func onPage(svg []byte) template.HTML { return template.HTML(svg) }

// The parts of the whole that are done when the state graph, dead states and the hardest
// boards begin, roughly.
const (
	graphAt   = 0.2
	deadAt    = 0.7
	hardestAt = 0.8
)

// New collects the content of a run's page.
func New(ctx context.Context, r Run, o Options) (*Page, error) {
	if o.Progress == nil {
		o.Progress = func(string, float64) {}
	}
	board, space := r.Board(), r.Space()
	o.Progress("counts", 0)
	s, err := r.Summary(ctx)
	if err != nil {
		return nil, err
	}
	look := portrait.Look(board)
	start := board.Puzzle.Starts()[:board.Puzzle.Layout().Words()]
	page := &Page{
		Title: portrait.Name(r), Family: board.Family, Metric: board.Metric, Note: board.Note, Complete: space.Complete(),
		Board:   onPage(draw.SVG(look.Picture(start), draw.Options{Labels: true, Title: portrait.Name(r)})),
		Facts:   factsOf(&s),
		Plot:    plotOf(r, false, "states by depth and goal distance"),
		LogPlot: plotOf(r, true, "the same on a logarithmic scale"),
		Text:    board.Text,
		Made: []fact{
			{"run", r.Dir()}, {"puzzle", board.Family}, {"metric", board.Metric}, {"digest", s.Digest},
			{"explored by", "everystate explore FILE --metric " + board.Metric + distancesFlag(space)},
			{"reported by", "everystate report RUN -o FILE"},
			{"everystate", o.Version},
		},
	}
	if o.Date != "" {
		page.Made = append(page.Made, fact{"date", o.Date})
	}
	o.Progress("the solution", 0.1)
	path, err := portrait.Solution(ctx, space, start)
	switch {
	case err == nil:
		names := path.Names(board.Puzzle)
		page.SolutionLength, page.Solution, page.SolutionShown = len(names), listed(names), shown(names)
		if len(names) > 0 && len(names) <= movesMax {
			page.Film = onPage(portrait.Film(r, look, path).SVG(draw.Options{Labels: true}))
		}
	case !errors.Is(err, query.ErrNoGoal) && !errors.Is(err, query.ErrNoDistances):
		return nil, err
	}
	if !o.Brief {
		if err := addGraph(ctx, r, page, &o); err != nil {
			return nil, err
		}
	}
	o.Progress("dead states", deadAt)
	if err := addDead(ctx, r, look, page); err != nil {
		return nil, err
	}
	return page, cmp.Or(addHardest(ctx, r, look, page, &o), puzzle.Err(board.Puzzle))
}

// addDead adds where dead states begin, if that is known.
func addDead(ctx context.Context, r Run, look puzzle.Pictured, page *Page) error {
	space := r.Space()
	if !space.HasDistances() || r.History().Goals() == 0 || space.DeadStates() == 0 {
		return nil
	}
	key, err := space.FirstDead(ctx, query.TableOptions{})
	if err != nil {
		return err
	}
	path, err := space.FromStart(ctx, key)
	if err != nil {
		return err
	}
	names, all := path.Names(r.Board().Puzzle), r.History().States(history.Forward)
	note := fmt.Sprintf("%s of %s, %.1f %%, lead to no goal", quantity.Count(space.DeadStates()), quantity.Counted(all, "state"), 100*float64(space.DeadStates())/float64(all))
	if len(names) > 0 {
		note += fmt.Sprintf("; the first %s from the start, after the move %s", quantity.Counted(int64(len(names)), "move"), names[len(names)-1])
	}
	page.Dead = &deadEnd{
		Depth: len(names),
		Note:  note, Moves: listed(names),
		Picture: onPage(draw.SVG(look.Picture(key), draw.Options{Labels: true, Title: "the first dead state"})),
	}
	return nil
}

// addGraph adds the state graph, if it is small enough.
func addGraph(ctx context.Context, r Run, page *Page, o *Options) error {
	if states := r.History().States(history.Forward); states < 2 || states > draw.GraphStatesMax {
		return nil
	}
	const doing = "the state graph"
	o.Progress(doing, graphAt)
	g, err := portrait.Graph(ctx, r)
	if err != nil {
		return err
	}
	page.GraphNote = g.Note
	g.Heading, g.Note = "", ""
	scene, err := g.Draw(draw.Options{Background: true, Title: doing, Progress: func(part float64) error {
		o.Progress(doing, graphAt+part*(deadAt-graphAt))
		return ctx.Err()
	}})
	if err != nil {
		return err
	}
	const scale = 0.75 // 1,200 pixels
	body, err := scene.PNG(scale)
	page.Graph = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(body))
	return err
}

func distancesFlag(space *query.Space) string {
	if space.HasDistances() {
		return " --goal-distance"
	}
	return ""
}

// shown says how many of the moves are listed.
func shown(names []string) string {
	if len(names) > movesMax {
		return fmt.Sprintf("the first %s moves (the path is too long for an animation)", quantity.Count(movesMax))
	}
	return "all moves"
}

// listed joins the names of moves. After movesMax it only counts them.
func listed(names []string) string {
	if len(names) > movesMax {
		return fmt.Sprintf("%s … and %s more", strings.Join(names[:movesMax], " "), quantity.Count(int64(len(names)-movesMax)))
	}
	return strings.Join(names, " ")
}

// addHardest adds the hardest boards, if they are known.
func addHardest(ctx context.Context, r Run, look puzzle.Pictured, page *Page, o *Options) error {
	n := o.Hardest
	if n == 0 || !r.Space().HasDistances() {
		return nil
	}
	o.Progress("the hardest boards", hardestAt)
	found, err := r.Space().Hardest(ctx, n)
	if errors.Is(err, query.ErrNoGoal) {
		return nil
	}
	if err != nil {
		return err
	}
	page.HardestNote = fmt.Sprintf("%s to the nearest goal; %s at that distance", quantity.Counted(int64(found.Distance), "move"), quantity.Counted(found.Count, "state"))
	for i, key := range found.States {
		o.Progress(fmt.Sprintf("hardest board %d of %d", i+1, len(found.States)), hardestAt+(1-hardestAt)*float64(i)/float64(len(found.States)))
		path, err := r.Space().ToGoal(ctx, key)
		if err != nil {
			return err
		}
		page.Hardest = append(page.Hardest, hardBoard{
			Number: i + 1, State: puzzle.OneLine(r.Board().Puzzle.Format(key)), Solution: listed(path.Names(r.Board().Puzzle)),
			Picture: onPage(draw.SVG(look.Picture(key), draw.Options{Labels: true, Title: fmt.Sprintf("hardest board %d", i+1)})),
		})
	}
	return nil
}

func factsOf(s *engine.Summary) []fact {
	complete := "complete"
	if !s.Complete {
		complete = "not complete"
	}
	facts := []fact{
		{"states", quantity.Count(s.States) + ", " + complete},
		{"depth", quantity.Count(int64(s.Depth))},
		{"generated", fmt.Sprintf("%s successors, %s of them duplicates", quantity.Count(s.Generated), quantity.Count(s.Duplicates))},
		{"goal states", quantity.Count(s.GoalStates)},
	}
	if s.SolutionLength != nil {
		facts = append(facts, fact{"shortest solution", quantity.Counted(int64(*s.SolutionLength), "move")})
	}
	if s.Hardest != nil {
		facts = append(facts, fact{"hardest", fmt.Sprintf("%s to the nearest goal", quantity.Counted(int64(s.Hardest.Distance), "move"))})
	}
	if s.UnsolvableStates != nil {
		facts = append(facts, fact{"unsolvable", quantity.Counted(*s.UnsolvableStates, "state")})
	}
	if s.Seconds > 0 {
		facts = append(facts, fact{"time", quantity.Spent(s.Seconds, s.States, s.StatesPerSecond)})
	}
	if s.DiskBytes > 0 && s.States > 0 {
		facts = append(facts, fact{"disk", fmt.Sprintf("%s bytes, %.1f per state", quantity.Count(s.DiskBytes), float64(s.DiskBytes)/float64(s.States))})
	}
	return facts
}
