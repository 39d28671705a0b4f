// Package drawing has the commands that draw boards, runs and sweeps.
package drawing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/ask"
	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/draw"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/portrait"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// Flags holds the flags of the command.
type Flags struct {
	runs.Effort
	Out, Format                         string
	hardest, path, layers, graph, space bool
	Cards                               bool
	firstGoal, deepest                  bool
	strip, Labels, Dark, log            bool
	N                                   int
	Scale                               float64
	paper                               string
	on                                  draw.Paper // zero for a page as large as the picture
	boards.Choice
}

// drawingStatesMax bounds what is explored just for a picture.
const drawingStatesMax = 5_000_000

// drawingFormats are the values of --format.
var drawingFormats = []string{"svg", "png", "pdf", "gif"}

// Command is `everystate draw`.
func Command(env *shell.Env) *cobra.Command {
	var f Flags
	cmd := &cobra.Command{
		Use:   "draw FILE|RUN [STATE]",
		Short: "Draw boards, solutions, layers and the state graph",
		Long: `Draw draws the start of a run, or STATE, as SVG, PNG, PDF or GIF, chosen by the
extension of the output file.

Instead of one board, it can draw:
  --hardest  a sheet of the states farthest from their nearest goal
  --path     a shortest path to a goal from the start, from STATE, or, with
             --hardest, from the hardest state: animated in SVG and GIF, board by
             board in PNG and PDF
  --layers   a histogram of depths and goal distances
  --graph    the whole state graph, of up to 30,000 states: states few moves apart
             lie close together
  --film     the whole space as a GIF: its layers appear one after another, and then
             the goal distances flow back from the goals
  --cards    cards to print, six to an A4 page, with solutions on the back: of the
             start, or, with --hardest, of the hardest states

Given a FILE, which may be a board itself, it draws all its boards. If a picture needs
a run, the board is first explored in a temporary directory, up to 5,000,000 states.`,
		Example: `  everystate draw puzzles/rushhour/jam-93.txt -o jam-93.svg
  everystate draw jam-93 --hardest -n 12 -o hardest.png
  everystate draw jam-93 --path -o solution.gif
  everystate draw jam-93 --hardest --path --strip -o solution.svg
  everystate draw small-5x5 --graph -o graph.pdf
  everystate draw jam-93 --film -o jam-93.gif
  everystate draw puzzles/rushhour/classic-cards.txt --cards -o cards.pdf`,
		Args:              shell.Between(1, 2, "FILE|RUN [STATE]"),
		ValidArgsFunction: runs.CompleteName,
		RunE:              func(cmd *cobra.Command, args []string) error { return runDraw(env, cmd, &f, args) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.Out, "output", "o", "", "write to `FILE`, which appears once complete (- or default: standard output, unless it is a terminal)")
	shell.FormatFlag(cmd, &f.Format, "", drawingFormats...)
	flags.BoolVar(&f.hardest, "hardest", false, "the states farthest from their nearest goal")
	flags.BoolVar(&f.firstGoal, "first-goal", false, "the goal nearest to the start")
	flags.BoolVar(&f.deepest, "deepest", false, "the state farthest from the start")
	shell.CountVarP(flags, &f.N, "number", "n", 12, "with --hardest: draw at most `K`")
	flags.BoolVar(&f.path, "path", false, "a shortest path to the nearest goal")
	flags.BoolVar(&f.layers, "layers", false, "a histogram of depths and goal distances")
	flags.BoolVar(&f.graph, "graph", false, "the state graph")
	flags.BoolVar(&f.space, "film", false, "the space, layer by layer, and goal distances flowing back")
	flags.BoolVar(&f.Cards, "cards", false, "cards to print")
	flags.BoolVar(&f.strip, "strip", false, "with --path: board by board in SVG too")
	flags.BoolVar(&f.Labels, "labels", false, "label pieces as moves name them (default with --path and --cards)")
	flags.BoolVar(&f.Dark, "dark", false, "for a dark background")
	flags.BoolVar(&f.log, "log", false, "with --layers: counts on a logarithmic scale")
	flags.Float64Var(&f.Scale, "scale", 0, "`S` pixels per unit; a cell has 40 units (default: 2 in PNG, 1 in GIF)")
	flags.StringVar(&f.paper, "paper", "", "PDF pages of `SIZE`: "+strings.Join(draw.PaperNames(), ", ")+" (default: A4 for paths and cards, else as large as the picture)")
	f.Choice.Flags(flags, "for a FILE: ")
	f.Effort.Flags(flags)
	return cmd
}

// Check checks combinations of flags.
func (f *Flags) Check(cmd *cobra.Command, env *shell.Env, states int) error {
	var err error
	if f.Format, err = shell.FormatOf(cmd, f.Format, f.Out, drawingFormats...); err != nil {
		return err
	}
	kinds := 0
	for _, set := range []bool{f.path, f.layers, f.graph, f.space, f.Cards} {
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
	case kinds > 1:
		return exit.Usagef(cmd, "give only one of --path, --layers, --graph, --film and --cards")
	case chosen > 1:
		return exit.Usagef(cmd, "give only one of STATE, --hardest, --first-goal and --deepest")
	case (f.layers || f.graph || f.space) && chosen > 0:
		return exit.Usagef(cmd, "--layers, --graph and --film draw a whole run, not a state")
	case f.space && f.Format != "gif":
		return exit.Usagef(cmd, "--film makes a GIF: name a file that ends in .gif")
	case f.Cards && (f.firstGoal || f.deepest || states > 0):
		return exit.Usagef(cmd, "--cards draws the start or the --hardest states, not a STATE")
	case cmd.Flags().Changed("number") && cmd.Flags().Lookup("hardest") != nil && !f.hardest:
		return exit.Usagef(cmd, "-n works only with --hardest")
	case f.N < 1:
		return exit.Usagef(cmd, "-n %d: must be 1 or more", f.N)
	case cmd.Flags().Changed("scale") && !(f.Scale > 0 && f.Scale <= scaleMax):
		return exit.Usagef(cmd, "--scale %v: must be more than 0 and at most %d", f.Scale, scaleMax)
	case f.Format == "gif" && !f.path && !f.space:
		return exit.Usagef(cmd, "a GIF is an animation: add --path or --film, or choose PNG")
	case f.strip && !f.path:
		return exit.Usagef(cmd, "--strip works only with --path")
	case f.Labels && (f.layers || f.graph || f.space):
		return exit.Usagef(cmd, "--labels names the pieces of boards: --layers, --graph and --film draw none")
	case f.log && !f.layers:
		return exit.Usagef(cmd, "--log works only with --layers")
	case f.Format == "gif" && f.strip:
		return exit.Usagef(cmd, "--strip draws board by board: choose svg, png or pdf")
	case f.Cards && f.Format == "png":
		return exit.Usagef(cmd, "--cards makes pages: choose pdf or svg")
	case f.paper != "" && f.Format != "pdf" && !f.Cards:
		return exit.Usagef(cmd, "--paper works only with PDF and --cards")
	case f.toOutput() && env.OutTerm.Is():
		return exit.Usagef(cmd, "%s is not for a terminal: name a file with -o FILE", strings.ToUpper(f.Format))
	}
	if !cmd.Flags().Changed("labels") {
		f.Labels = f.path || f.Cards
	}
	return f.checkPaper(cmd)
}

// checkPaper reads --paper.
func (f *Flags) checkPaper(cmd *cobra.Command) error {
	name := f.paper
	if name == "" && (f.path || f.Cards) {
		name = "A4"
	}
	if name == "" {
		return nil
	}
	var ok bool
	if f.on, ok = draw.PaperOf(name); !ok {
		return exit.Usagef(cmd, "--paper %s: must be one of %s%s", name, strings.Join(draw.PaperNames(), ", "), shell.Meant(name, draw.PaperNames()))
	}
	return nil
}

func (f *Flags) toOutput() bool { return f.Out == "" || f.Out == "-" }

// Options returns how boards are drawn. A picture with text outside of boards has a
// background; a board by itself has none.
func (f *Flags) Options(background bool) draw.Options {
	return draw.Options{Labels: f.Labels, Dark: f.Dark, Background: background, Paper: f.on}
}

func runDraw(env *shell.Env, cmd *cobra.Command, f *Flags, args []string) error {
	if err := f.Check(cmd, env, len(args)-1); err != nil {
		return err
	}
	if err := boards.KnownMetric(cmd, f.Metric, f.Module); err != nil {
		return err
	}
	opts, err := f.Effort.Options(cmd, 0)
	if err != nil {
		return err
	}
	if f.Module != "" || runs.IsFile(args[0]) {
		return drawFile(env, cmd, f, args, opts)
	}
	if f.Given() {
		return exit.Usagef(cmd, "--metric, --notation, --level and --puzzle work only with a FILE: a run has its own")
	}
	var r runs.View
	if f.needsDistances() {
		r, err = runs.OpenWithDistances(cmd.Context(), env, args[0], opts, &f.Effort)
	} else {
		r, err = runs.Open(cmd.Context(), env, args[0])
	}
	if err != nil {
		return err
	}
	p := &Pictures{Flags: f, Env: env}
	err = runs.Explain(env, r.Dir(), p.ofRun(cmd.Context(), r, args[1:]))
	if err = cmp.Or(err, r.Close()); err != nil {
		return err
	}
	return p.Write(cmd.Context())
}

// needsDistances reports whether there is no picture without goal distances.
func (f *Flags) needsDistances() bool { return f.hardest }

// usesDistances reports whether goal distances appear, if there are any.
func (f *Flags) usesDistances() bool {
	return f.hardest || f.layers || f.space || f.graph || f.Cards || f.path && !f.firstGoal && !f.deepest
}

// needsRun reports whether a board alone is not enough.
func (f *Flags) needsRun() bool {
	return f.hardest || f.path || f.layers || f.graph || f.space || f.Cards || f.firstGoal || f.deepest
}

// drawFile draws the boards of a file.
func drawFile(env *shell.Env, cmd *cobra.Command, f *Flags, args []string, opts engine.Options) error {
	jobs, err := f.Jobs(env, cmd, args[:1])
	if err != nil {
		return err
	}
	p := &Pictures{Flags: f, Env: env}
	switch {
	case len(jobs) > 1 && (len(args) > 1 || f.needsRun() && !f.Cards):
		return exit.Errorf(exit.Usage, "%s has %d boards: this picture takes one", args[0], len(jobs))
	case !f.needsRun():
		err = p.boards(jobs, args[1:])
	default:
		for i := range jobs {
			if err = withExplored(cmd.Context(), env, exploredFor{distances: f.usesDistances(), goal: f.needsDistances(), quiet: f.Quiet}, &jobs[i], opts, func(r runs.View) error {
				return p.ofRun(cmd.Context(), r, args[1:])
			}); err != nil {
				break
			}
		}
	}
	if err != nil {
		return err
	}
	return p.Write(cmd.Context())
}

// exploredFor is what a board is explored for.
type exploredFor struct {
	distances bool // goal distances, if there is a goal
	goal      bool // without a goal that can be reached, nothing is of use
	quiet     bool
}

// withExplored explores a board in a temporary directory.
func withExplored(ctx context.Context, env *shell.Env, what exploredFor, j *boards.Job, opts engine.Options, use func(r runs.View) error) (err error) {
	dir, err := shell.TempDir("", "", "everystate-draw-*")
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(dir)) }()
	r, err := engine.Create(filepath.Join(dir, j.Name), j.Board, opts)
	if err != nil {
		return runs.Explain(env, j.Name, err)
	}
	defer func() { err = cmp.Or(err, r.Close()) }()
	want := history.Want{MaxStates: drawingStatesMax, GoalDistance: what.distances && j.Board.Puzzle.Layout().HasGoal}
	if _, err := runs.Watched(ctx, env, r, want, what.quiet, j.Board.Name, j.Board.Expect.States); err != nil {
		return runs.Explain(env, j.Name, err)
	}
	if r.History().End(history.Forward) == nil {
		return exit.Errorf(exit.Incomplete, "%s has more than %s states: explore it (`%s`), then name the run instead of the board", j.Board.Name, quantity.Count(drawingStatesMax), env.Command("explore", j.Label))
	}
	if what.goal && r.History().Goals() == 0 {
		return exit.Errorf(exit.NotFound, "%s: no goal can be reached", j.Board.Name)
	}
	return use(r)
}

// Pictures holds what is drawn until it is written.
type Pictures struct {
	*Flags
	Env   *shell.Env
	Scene *draw.Scene
	at    func(what string, part float64) // tells the progress
	sheet *draw.Sheet                     // of Scene, if it is one
	film  *draw.Film
	gif   []byte // instead of all these
	Cards []draw.Card
	Title string
}

// Write draws what is left to draw, and writes the picture. A picture that is drawn
// when ctx ends is left.
func (p *Pictures) Write(ctx context.Context) error {
	var data []byte
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		data, err = p.bytes()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	var large *draw.TooLargeError
	switch {
	case errors.As(err, &large):
		return exit.Errorf(exit.Usage, "%v: choose a smaller --scale, or svg", err)
	case err != nil:
		return exit.Errorf(exit.Usage, "%v", err)
	}
	to := func(o *shell.Output) error {
		_, err := o.Write(data)
		return cmp.Or(o.Flush(), err)
	}
	if p.toOutput() {
		return to(p.Env.Out)
	}
	return shell.WriteWhole(p.Out, to)
}

// pdf writes pages, and says what the fonts lack.
func (p *Pictures) pdf(pages ...*draw.Scene) ([]byte, error) {
	p.warnMissing(pages...)
	return draw.PDF(p.Title, pages...)
}

// warnMissing says which characters the formats without fonts of a browser lack.
func (p *Pictures) warnMissing(scenes ...*draw.Scene) {
	missing := draw.Missing(scenes...)
	if len(missing) == 0 {
		return
	}
	const most = 20
	some, more := missing[:min(len(missing), most)], ""
	if len(missing) > most {
		more = fmt.Sprintf(" and %d more", len(missing)-most)
	}
	fmt.Fprintf(p.Env.Err, "the built-in fonts (Go Regular and Go Bold) do not have %s%s: %s leaves them out, SVG has them\n", string(some), more, strings.ToUpper(p.Format))
}

// pages returns the pages of a PDF.
func (p *Pictures) pages() []*draw.Scene {
	switch {
	case p.on.Width == 0:
		return []*draw.Scene{p.Scene}
	case p.sheet != nil:
		return p.on.Pages(p.sheet, p.Options(true))
	}
	return []*draw.Scene{p.on.Fit(p.Scene)}
}

func (p *Pictures) bytes() ([]byte, error) {
	if p.gif != nil {
		return p.gif, nil
	}
	if p.Flags.Cards {
		pages := draw.Cards(p.Cards, p.Options(true))
		if p.Format == "pdf" {
			return p.pdf(pages...)
		}
		s := draw.Stacked(p.Title, pages)
		return s.SVG(p.Options(true)), nil
	}
	scale := p.Scale
	if scale == 0 {
		scale = 2
		if p.Format == "gif" {
			scale = 1
		}
	}
	switch {
	case p.film != nil && p.Format == "gif":
		p.warnMissing(p.film.Still(p.Options(true)))
		view, shown := steps(p.Env, p.Quiet, "draw", "drawing ", p.Out)
		defer shown.Stop()
		o := p.Options(true)
		o.Progress = view.Tell
		return p.film.GIF(o, scale)
	case p.film != nil && p.Format == "svg":
		return p.film.SVG(p.Options(true)), nil
	case p.Format == "png":
		p.warnMissing(p.Scene)
		return p.Scene.PNG(scale)
	case p.Format == "pdf":
		return p.pdf(p.pages()...)
	}
	return p.Scene.SVG(p.Options(true)), nil
}

// boards draws start states, or a given state.
func (p *Pictures) boards(jobs []boards.Job, state []string) error {
	sheet := draw.Sheet{}
	for _, j := range jobs {
		b := j.Board
		key := b.Puzzle.Starts()[:b.Puzzle.Layout().Words()]
		if len(state) > 0 {
			var err error
			if key, err = boards.State(p.Env, b.Puzzle, state[0]); err != nil {
				return err
			}
		}
		sheet.Panels = append(sheet.Panels, draw.Panel{Picture: portrait.Look(b).Picture(key), Caption: b.Name})
		if err := puzzle.Err(b.Puzzle); err != nil {
			return err
		}
	}
	p.Title = sheet.Panels[0].Caption
	if len(jobs) == 1 {
		p.one(sheet.Panels[0].Picture, p.Title)
		return nil
	}
	p.Title = fmt.Sprintf("%d boards", len(jobs))
	p.draw(sheet)
	p.Scene.Title = p.Title
	return nil
}

func (p *Pictures) draw(sheet draw.Sheet) { p.Scene, p.sheet = sheet.Draw(p.Options(true)), &sheet }

func (p *Pictures) one(pic *puzzle.Picture, title string) {
	o := p.Options(p.Dark)
	o.Title = title
	p.Scene = draw.Board(pic, o)
	p.Title = title
}

// ofRun draws what a run has found.
func (p *Pictures) ofRun(ctx context.Context, r runs.View, state []string) (err error) {
	defer func() { err = cmp.Or(err, puzzle.Err(r.Board().Puzzle)) }()
	look := portrait.Look(r.Board())
	p.Title = r.Board().Name
	view, shown := steps(p.Env, p.Quiet, "draw", "drawing ", runs.NameOf(r))
	defer shown.Stop()
	p.at = view.At
	switch {
	case p.layers:
		p.Scene = portrait.Layers(r, p.log).Draw(p.Options(true))
		return nil
	case p.space:
		return p.filmOfSpace(ctx, r)
	case p.graph:
		if err := query.Whole(r.Space()); err != nil {
			return err
		}
		if states := r.History().States(history.Forward); states > draw.GraphStatesMax {
			return exit.Errorf(exit.Usage, "%s has %d states: --graph draws at most %d (`%s` has no limit)",
				portrait.Name(r), states, draw.GraphStatesMax, p.Env.Command("export", r.Dir(), "--format", "graphml"))
		}
		p.at("states and moves", 0)
		g, err := portrait.Graph(ctx, r)
		if err == nil {
			const layoutAt = 0.2
			o := p.Options(true)
			o.Progress = func(part float64) error {
				p.at("the layout", layoutAt+(1-layoutAt)*part)
				return ctx.Err()
			}
			p.Scene, err = g.Draw(o)
		}
		return err
	case p.Flags.Cards:
		return p.someCards(ctx, r, look)
	case p.hardest && !p.path:
		return p.sheetOfHardest(ctx, r, look)
	}
	chosen := ask.Trace{Hardest: p.hardest, FirstGoal: p.firstGoal, Deepest: p.deepest, ToGoal: !p.firstGoal && !p.deepest}
	key, _, err := chosen.Target(ctx, p.Env, r, state)
	switch {
	case err != nil:
		return err
	case !p.path:
		p.one(look.Picture(key), p.Title)
		return nil
	}
	path, err := p.pathFrom(ctx, r, key)
	if err != nil {
		return err
	}
	p.drawPath(r, look, path)
	return nil
}

// filmOfSpace draws the film of a space.
func (p *Pictures) filmOfSpace(ctx context.Context, r runs.View) error {
	if err := query.Whole(r.Space()); err != nil {
		return err
	}
	const read = 0.4 // a guess at that part of the work
	p.at("states", 0)
	film, err := portrait.Space(ctx, r, func(part float64) { p.at("states", read*part) })
	if err != nil {
		return err
	}
	film.Progress = func(part float64) { p.at("frames", read+(1-read)*part) }
	p.gif, err = film.GIF()
	return err
}

// pathFrom finds the path to draw: from the start to the first goal or the deepest state,
// or else to the nearest goal.
func (p *Pictures) pathFrom(ctx context.Context, r runs.View, key []uint64) (query.Path, error) {
	space := r.Space()
	if p.firstGoal || p.deepest {
		return space.FromStart(ctx, key)
	}
	if path, err := portrait.Solution(ctx, space, key); !errors.Is(err, query.ErrNoDistances) {
		switch {
		case errors.Is(err, query.ErrUnreachable):
			return path, runs.NotFound(p.Env, r, "the state is not reachable", "the state has not been reached")
		case errors.Is(err, query.ErrNoGoal):
			return path, runs.NotFound(p.Env, r, "no goal can be reached", "no goal has been reached")
		}
		return path, err
	}
	return query.Path{}, runs.NoDistances(p.Env, r)
}

// drawPath draws a path.
func (p *Pictures) drawPath(r runs.View, look puzzle.Pictured, path query.Path) {
	film := portrait.Film(r, look, path)
	p.Title = fmt.Sprintf("%s: %s", portrait.Name(r), quantity.Counted(int64(len(path.Moves)), "move"))
	if !p.strip && (p.Format == "svg" || p.Format == "gif") {
		p.film = film
		return
	}
	panels := film.Panels
	for i := range panels {
		panels[i].Caption = strings.TrimSpace(fmt.Sprintf("%d  %s", i, panels[i].Caption))
	}
	p.draw(draw.Sheet{Heading: p.Title, Panels: panels, Arrows: true})
}

func (p *Pictures) sheetOfHardest(ctx context.Context, r runs.View, look puzzle.Pictured) error {
	p.at("the hardest states", 0)
	found, err := r.Space().Hardest(ctx, p.N)
	if err != nil {
		return err
	}
	p.draw(portrait.HardestSheet(r, look, found))
	return nil
}

// someCards makes a card of the start, or of each of the hardest states.
func (p *Pictures) someCards(ctx context.Context, r runs.View, look puzzle.Pictured) (err error) {
	keys := [][]uint64{r.Board().Puzzle.Starts()[:r.Board().Puzzle.Layout().Words()]}
	if p.hardest {
		found, err := r.Space().Hardest(ctx, p.N)
		if err != nil {
			return err
		}
		keys = found.States
	}
	made, err := portrait.Cards(ctx, r, look, keys, func(card int) {
		p.at(fmt.Sprintf("card %d of %d", card+1, len(keys)), float64(card)/float64(len(keys)))
	})
	p.Cards, p.Title = append(p.Cards, made...), "puzzle cards"
	return err
}
