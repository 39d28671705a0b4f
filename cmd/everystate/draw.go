package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/quantity"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/draw"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// drawing holds the flags of the command.
type drawing struct {
	effort
	out, format                         string
	hardest, path, layers, graph, cards bool
	firstGoal, deepest                  bool
	strip, labels, dark, log            bool
	n                                   int
	scale                               float64
	metric, notation                    string
}

// drawingStatesMax bounds what is explored for the sake of a picture.
const drawingStatesMax = 5_000_000

// drawingFormats are the values of --format.
var drawingFormats = []string{"svg", "png", "pdf", "gif"}

func drawCommand(env *app) *cobra.Command {
	var f drawing
	cmd := &cobra.Command{
		Use:   "draw FILE|RUN [STATE]",
		Short: "Draw boards, solutions, layers and the state graph",
		Long: `Draw makes a picture of the start of a run, or of STATE, as SVG, PNG, PDF or GIF:
what the name of the output ends in.

Instead of one board it draws with --hardest a sheet of the states that are
farthest from their nearest goal, with --path the shortest way from the start (or
STATE, or with --hardest the hardest state) to a goal: as an animation in SVG and
GIF, board by board in PNG and PDF. --layers is the histogram of depths and goal
distances, --graph the whole state graph, of 30,000 states at the most: states
that are few moves apart lie close together. --cards makes cards to print, six a
page of A4, with the solution on the back: of the start, or with --hardest of the
hardest states.

Of a FILE, which may be a board itself, all boards are drawn. What needs a run is
found out first, in a temporary directory, of 5,000,000 states at the most.`,
		Example: `  everystate draw puzzles/rushhour/jam-93.txt -o jam-93.svg
  everystate draw jam-93 --hardest -n 12 -o hardest.png
  everystate draw jam-93 --path -o solution.gif
  everystate draw jam-93 --hardest --path --strip -o solution.svg
  everystate draw small-5x5 --graph -o graph.pdf
  everystate draw puzzles/rushhour/classic-cards.txt --cards -o cards.pdf`,
		Args:              between(1, 2, "FILE|RUN [STATE]"),
		ValidArgsFunction: completeRun,
		RunE:              func(cmd *cobra.Command, args []string) error { return runDraw(env, cmd, &f, args) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", "", "write to `FILE`, which appears when it is whole (- is standard output, and so is the default unless that is a terminal)")
	flags.StringVar(&f.format, "format", "", "`FORMAT` svg, png, pdf or gif (default what the name of FILE ends in, else svg)")
	flags.BoolVar(&f.hardest, "hardest", false, "the states farthest from their nearest goal")
	flags.BoolVar(&f.firstGoal, "first-goal", false, "the goal nearest to the start")
	flags.BoolVar(&f.deepest, "deepest", false, "the state farthest from the start")
	flags.IntVarP(&f.n, "number", "n", 12, "with --hardest: draw `K` at the most")
	flags.BoolVar(&f.path, "path", false, "the shortest way to the nearest goal")
	flags.BoolVar(&f.layers, "layers", false, "how many states there are at each depth and goal distance")
	flags.BoolVar(&f.graph, "graph", false, "the state graph")
	flags.BoolVar(&f.cards, "cards", false, "cards to print")
	flags.BoolVar(&f.strip, "strip", false, "with --path: board by board in SVG as well")
	flags.BoolVar(&f.labels, "labels", false, "write on pieces what moves call them (default with --path and --cards)")
	flags.BoolVar(&f.dark, "dark", false, "for a dark background")
	flags.BoolVar(&f.log, "log", false, "with --layers: counts on a logarithmic scale")
	flags.Float64Var(&f.scale, "scale", 0, "`S` pixels a unit, of which a cell has 40 (default 2 in PNG, 1 in GIF)")
	flags.StringVar(&f.metric, "metric", "", "of a FILE: "+metricHelp)
	flags.StringVar(&f.notation, "notation", "", "of a FILE: `NOTATION` in which the board is written (default recognised)")
	f.flags(flags)
	return cmd
}

// check looks at the flags together.
func (f *drawing) check(cmd *cobra.Command, env *app, states int) error {
	if f.format == "" {
		f.format = "svg"
		if f.out != "" && f.out != "-" {
			f.format = strings.ToLower(strings.TrimPrefix(filepath.Ext(f.out), "."))
		}
	}
	kinds := 0
	for _, set := range []bool{f.path, f.layers, f.graph, f.cards} {
		if set {
			kinds++
		}
	}
	chosen := states
	for _, set := range []bool{f.hardest, f.firstGoal, f.deepest} {
		if set {
			chosen++
		}
	}
	const scaleMax = 20
	switch {
	case !slices.Contains(drawingFormats, f.format):
		return usagef(cmd, "--format: there is no format %q: there are svg, png, pdf and gif", f.format)
	case kinds > 1:
		return usagef(cmd, "one of --path, --layers, --graph and --cards, not several")
	case chosen > 1:
		return usagef(cmd, "one of STATE, --hardest, --first-goal and --deepest, not several")
	case (f.layers || f.graph) && chosen > 0:
		return usagef(cmd, "--layers and --graph are of a whole run, not of a state")
	case f.cards && (f.firstGoal || f.deepest || states > 0):
		return usagef(cmd, "--cards are of the start, or of the --hardest states")
	case f.n < 1:
		return usagef(cmd, "-n %d: must be 1 or more", f.n)
	case cmd.Flags().Changed("scale") && !(f.scale > 0 && f.scale <= scaleMax):
		return usagef(cmd, "--scale %v: must be more than 0 and at most %d", f.scale, scaleMax)
	case f.format == "gif" && !f.path:
		return usagef(cmd, "a GIF shows a way: give --path as well, or make a PNG")
	case f.format == "gif" && f.strip:
		return usagef(cmd, "--strip is board by board, which a GIF is not: svg, png or pdf")
	case f.cards && f.format == "png":
		return usagef(cmd, "--cards have pages: pdf or svg")
	case f.format != "svg" && f.toOutput() && env.outTerm.is():
		return usagef(cmd, "%s is nothing for a terminal: name a file with -o FILE", f.format)
	}
	if !cmd.Flags().Changed("labels") {
		f.labels = f.path || f.cards
	}
	return nil
}

func (f *drawing) toOutput() bool { return f.out == "" || f.out == "-" }

// options says how boards are drawn. What has texts outside of boards lies on
// paper; a board by itself does not.
func (f *drawing) options(background bool) draw.Options {
	return draw.Options{Labels: f.labels, Dark: f.dark, Background: background}
}

func runDraw(env *app, cmd *cobra.Command, f *drawing, args []string) error {
	if err := f.check(cmd, env, len(args)-1); err != nil {
		return err
	}
	if err := knownMetric(cmd, f.metric, ""); err != nil {
		return err
	}
	opts, err := f.effort.options(cmd, 0)
	if err != nil {
		return err
	}
	if isFile(args[0]) {
		return drawFile(env, cmd, f, args, opts)
	}
	if cmd.Flags().Changed("metric") || cmd.Flags().Changed("notation") {
		return usagef(cmd, "--metric and --notation are for a FILE: a run has its own")
	}
	var r runView
	if f.needsDistances() {
		r, err = openWithDistances(cmd.Context(), env, args[0], opts, &f.effort)
	} else {
		r, err = openView(cmd.Context(), env, args[0])
	}
	if err != nil {
		return err
	}
	p := &pictures{drawing: f, app: env}
	err = explain(env, r.Dir(), p.ofRun(cmd.Context(), r, args[1:]))
	if err = cmp.Or(err, r.Close()); err != nil {
		return err
	}
	return p.write()
}

// isFile reports whether an argument is a file with boards, or a board itself,
// rather than a run.
func isFile(arg string) bool {
	if _, remote := remoteName(arg); remote {
		return false
	}
	if info, err := os.Stat(arg); err == nil {
		return !info.IsDir()
	}
	if arg == "-" || looksLikeBoard(arg) {
		return true
	}
	if !strings.Contains(arg, "/") {
		return false
	}
	_, err := families.Read([]byte(arg), puzzle.ReadOptions{}) // a board in one line
	return err == nil
}

// needsDistances reports whether goal distances have to be there.
func (f *drawing) needsDistances() bool { return f.hardest }

// needsRun reports whether a board alone is not enough.
func (f *drawing) needsRun() bool {
	return f.hardest || f.path || f.layers || f.graph || f.cards || f.firstGoal || f.deepest
}

// drawFile draws the boards of a file.
func drawFile(env *app, cmd *cobra.Command, f *drawing, args []string, opts engine.Options) error {
	jobs, err := readJobs(env, args[:1], families.Read, puzzle.ReadOptions{Metric: f.metric, Notation: f.notation})
	if err != nil {
		return err
	}
	p := &pictures{drawing: f, app: env}
	switch {
	case len(jobs) > 1 && (len(args) > 1 || f.needsRun() && !f.cards):
		return failf(exitUsage, "%s has %d boards: this is drawn of one of them", args[0], len(jobs))
	case !f.needsRun():
		err = p.boards(jobs, args[1:])
	default:
		for i := range jobs {
			if err = withExplored(cmd.Context(), env, f, &jobs[i], opts, func(r runView) error {
				return p.ofRun(cmd.Context(), r, args[1:])
			}); err != nil {
				break
			}
		}
	}
	if err != nil {
		return err
	}
	return p.write()
}

// withExplored explores a board in a temporary directory.
func withExplored(ctx context.Context, env *app, f *drawing, j *job, opts engine.Options, use func(r runView) error) (err error) {
	dir, err := os.MkdirTemp("", "everystate-draw-*")
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(dir)) }()
	r, err := engine.Create(filepath.Join(dir, j.name), j.board, opts)
	if err != nil {
		return explain(env, j.name, err)
	}
	defer func() { err = cmp.Or(err, r.Close()) }()
	want := history.Want{MaxStates: drawingStatesMax, GoalDistance: j.board.Puzzle.Layout().HasGoal && puzzle.GoalDistances(j.board.Puzzle)}
	if _, err := r.Explore(ctx, want); err != nil {
		return explain(env, j.name, err)
	}
	if r.History().End(history.Forward) == nil {
		return failf(exitIncomplete, "%s has more than %d states: explore it (`%s`), then draw the run", j.board.Name, drawingStatesMax, env.command("explore", j.label))
	}
	if f.needsDistances() && r.History().Goals() == 0 {
		return failf(exitNotFound, "%s: no goal can be reached", j.board.Name)
	}
	return use(r)
}

// pictures is what is drawn, until it is written.
type pictures struct {
	*drawing
	app   *app
	scene *draw.Scene
	film  *draw.Film
	cards []draw.Card
	title string
}

// write writes what was drawn.
func (p *pictures) write() error {
	data, err := p.bytes()
	var large *draw.TooLargeError
	switch {
	case errors.As(err, &large):
		return failf(exitUsage, "%v: a smaller --scale, or svg", err)
	case err != nil:
		return failf(exitUsage, "%v", err)
	}
	to := func(o *output) error {
		_, err := o.Write(data)
		return cmp.Or(o.flush(), err)
	}
	if p.toOutput() {
		return to(p.app.out)
	}
	return writeWhole(p.out, to)
}

func (p *pictures) bytes() ([]byte, error) {
	if p.drawing.cards {
		pages := draw.Cards(p.cards, p.options(true))
		if p.format == "pdf" {
			return draw.PDF(p.title, pages...)
		}
		s := draw.Stacked(p.title, pages)
		return s.SVG(p.options(true)), nil
	}
	scale := p.scale
	if scale == 0 {
		scale = 2
		if p.format == "gif" {
			scale = 1
		}
	}
	switch {
	case p.film != nil && p.format == "gif":
		return p.film.GIF(p.options(true), scale)
	case p.film != nil && p.format == "svg":
		return p.film.SVG(p.options(true)), nil
	case p.format == "png":
		return p.scene.PNG(scale)
	case p.format == "pdf":
		return draw.PDF(p.title, p.scene)
	}
	return p.scene.SVG(p.options(true)), nil
}

// pictured returns how the states of a board look.
func pictured(b puzzle.Board) (puzzle.Pictured, error) {
	p, ok := b.Puzzle.(puzzle.Pictured)
	if !ok {
		return nil, failf(exitUsage, "puzzles of %s have no pictures", b.Family)
	}
	return p, nil
}

// boards draws starts, or a state.
func (p *pictures) boards(jobs []job, state []string) error {
	sheet := draw.Sheet{}
	for _, j := range jobs {
		b := j.board
		look, err := pictured(b)
		if err != nil {
			return err
		}
		key := b.Puzzle.Starts()[:b.Puzzle.Layout().Words()]
		if len(state) > 0 {
			if key, err = b.Puzzle.Parse(state[0]); err != nil {
				return failf(exitUsage, "%s", placed("STATE", err))
			}
		}
		sheet.Panels = append(sheet.Panels, draw.Panel{Picture: look.Picture(key), Caption: b.Name})
	}
	p.title = sheet.Panels[0].Caption
	if len(jobs) == 1 {
		p.one(sheet.Panels[0].Picture, p.title)
		return nil
	}
	p.title = fmt.Sprintf("%d boards", len(jobs))
	p.scene = sheet.Draw(p.options(true))
	p.scene.Title = p.title
	return nil
}

func (p *pictures) one(pic *puzzle.Picture, title string) {
	o := p.options(p.dark)
	o.Title = title
	p.scene = draw.Board(pic, o)
	p.title = title
}

// ofRun draws what a run knows.
func (p *pictures) ofRun(ctx context.Context, r runView, state []string) error {
	look, err := pictured(r.Board())
	if err != nil {
		return err
	}
	p.title = r.Board().Name
	switch {
	case p.layers:
		p.scene = layersPlot(r, p.log).Draw(p.options(true))
		return nil
	case p.graph:
		g, err := p.stateGraph(ctx, r)
		if err == nil {
			p.scene, err = g.Draw(p.options(true))
		}
		return err
	case p.drawing.cards:
		return p.someCards(ctx, r, look)
	case p.hardest && !p.path:
		return p.sheetOfHardest(ctx, r, look)
	}
	chosen := trace{hardest: p.hardest, firstGoal: p.firstGoal, deepest: p.deepest, toGoal: !p.firstGoal && !p.deepest}
	key, _, err := chosen.target(ctx, r, state)
	switch {
	case errors.Is(err, query.ErrNoGoal):
		return notFound(p.app, r, "no goal is reachable", "no goal has been reached")
	case errors.Is(err, query.ErrUnreachable):
		return notFound(p.app, r, "there is no state", "there is no state yet")
	case err != nil:
		return err
	case !p.path:
		p.one(look.Picture(key), p.title)
		return nil
	}
	path, err := p.wayFrom(ctx, r, key)
	if err != nil {
		return err
	}
	p.way(r, look, path)
	return nil
}

// wayFrom finds the way that is drawn: to the first goal or the deepest state from
// the start, else to the nearest goal.
func (p *pictures) wayFrom(ctx context.Context, r runView, key []uint64) (query.Path, error) {
	space := r.Space()
	if p.firstGoal || p.deepest {
		return space.FromStart(key)
	}
	if path, err := solution(ctx, space, key); !errors.Is(err, query.ErrNoDistances) {
		switch {
		case errors.Is(err, query.ErrUnreachable):
			return path, notFound(p.app, r, "the state is not reachable", "the state has not been reached")
		case errors.Is(err, query.ErrNoGoal):
			return path, notFound(p.app, r, "no goal can be reached", "no goal has been reached")
		}
		return path, err
	}
	return query.Path{}, failf(exitIncomplete, "%s does not know goal distances: %s", r.Dir(), p.app.command("resume", r.Dir(), "--goal-distance"))
}

// solution finds the shortest way from a state to a goal. From the start it is
// known without goal distances.
func solution(ctx context.Context, space *query.Space, key []uint64) (query.Path, error) {
	if space.HasDistances() {
		return space.ToGoal(key)
	}
	starts := space.Board.Puzzle.Starts()
	if len(starts) != len(key) || !slices.Equal(key, starts) {
		return query.Path{}, query.ErrNoDistances
	}
	goal, err := space.FirstGoal(ctx)
	if err != nil {
		return query.Path{}, err
	}
	return space.FromStart(goal)
}

// way draws a path.
func (p *pictures) way(r runView, look puzzle.Pictured, path query.Path) {
	film := filmOf(r, look, path)
	p.title = fmt.Sprintf("%s: %s", nameOf(r), quantity.Counted(int64(len(path.Moves)), "move"))
	if !p.strip && (p.format == "svg" || p.format == "gif") {
		p.film = film
		return
	}
	panels := film.Panels
	for i := range panels {
		panels[i].Caption = strings.TrimSpace(fmt.Sprintf("%d  %s", i, panels[i].Caption))
	}
	sheet := draw.Sheet{Heading: p.title, Panels: panels, Arrows: true}
	p.scene = sheet.Draw(p.options(true))
}

func (p *pictures) sheetOfHardest(ctx context.Context, r runView, look puzzle.Pictured) error {
	found, err := r.Space().Hardest(ctx, p.n)
	if err != nil {
		return err
	}
	sheet := hardestSheet(r, look, found)
	p.scene = sheet.Draw(p.options(true))
	return nil
}

func hardestSheet(r runView, look puzzle.Pictured, found query.Hardest) draw.Sheet {
	sheet := draw.Sheet{
		Heading: nameOf(r),
		Note:    fmt.Sprintf("hardest: %s to the nearest goal, %s", quantity.Counted(int64(found.Distance), "move"), quantity.Counted(found.Count, "state")),
	}
	for i, key := range found.States {
		sheet.Panels = append(sheet.Panels, draw.Panel{Picture: look.Picture(key), Caption: fmt.Sprint(i + 1)})
	}
	return sheet
}

// someCards makes a card of the start, or of each of the hardest states.
func (p *pictures) someCards(ctx context.Context, r runView, look puzzle.Pictured) error {
	keys := [][]uint64{r.Board().Puzzle.Starts()[:r.Board().Puzzle.Layout().Words()]}
	if p.hardest {
		found, err := r.Space().Hardest(ctx, p.n)
		if err != nil {
			return err
		}
		keys = found.States
	}
	for i, key := range keys {
		card := draw.Card{Title: nameOf(r), Picture: look.Picture(key), Note: r.Board().Family}
		if len(keys) > 1 {
			card.Title += fmt.Sprintf(" %d", i+1)
		}
		path, err := solution(ctx, r.Space(), key)
		switch {
		case err == nil:
			card.Solution = moveNames(r, path)
			card.Note = fmt.Sprintf("%s (%s)", quantity.Counted(int64(len(path.Moves)), "move"), r.Board().Metric)
		case !errors.Is(err, query.ErrNoGoal) && !errors.Is(err, query.ErrNoDistances):
			return err
		}
		p.cards = append(p.cards, card)
	}
	p.title = "puzzle cards"
	return nil
}

// layersPlot plots the layers of a run.
func layersPlot(r runView, log bool) *draw.Plot {
	h := r.History()
	plot := &draw.Plot{Heading: nameOf(r), Log: log}
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
	if counts := goalLayers(r); len(counts) > 0 {
		last := len(counts) - 1
		plot.Series = append(plot.Series, draw.Series{
			Name: "goal distance: moves to the nearest goal", Counts: counts,
			Marks: []draw.Mark{{At: last, Text: fmt.Sprintf("hardest: %d", last)}},
		})
	}
	return plot
}

// stateGraph reads all states and moves.
func (p *pictures) stateGraph(ctx context.Context, r runView) (*draw.Graph, error) {
	space := r.Space()
	if states := r.History().States(history.Forward); states > draw.GraphStatesMax {
		return nil, failf(exitUsage, "%s has %d states: a poster of the graph shows at most %d (`%s` has no limit)",
			nameOf(r), states, draw.GraphStatesMax, p.app.command("export", r.Dir(), "--format", "graphml"))
	}
	numbers, err := space.Numbers(ctx)
	if err != nil {
		return nil, err
	}
	g := &draw.Graph{Heading: nameOf(r)}
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
	if path, err := solution(ctx, space, start); err == nil {
		for _, key := range path.States {
			if n, ok := numbers.Of(key); ok {
				g.Path = append(g.Path, n)
			}
		}
		g.Note += fmt.Sprintf("; in red the shortest way to a goal, %s", quantity.Counted(int64(len(path.Moves)), "move"))
	}
	return g, nil
}
