package drawing

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/draw"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/export"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

//go:embed report.html.tmpl
var reportTemplate string

// reportMovesMax is the longest way that is shown as an animation in a report, and
// of which all moves are listed.
const reportMovesMax = 2000

// reporting holds the flags of the command.
type reporting struct {
	out string
	n   int
}

// ReportCommand is `everystate report`.
func ReportCommand(env *shell.Env) *cobra.Command {
	var f reporting
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Write a page about a run, to send to somebody",
		Long: `Report writes one HTML file with what there is to say of a run: the board, the
counts, the layers as plots, the state graph if it is not large, the shortest
solution as an animation, the hardest boards with their solutions, and how it was
made. It needs no other file and no script. What a run does not know yet, such as
goal distances, is left out.`,
		Example: `  everystate report jam-93 -o jam-93.html
  everystate report 127.0.0.1:7000/huge-8x8 -n 8 -o huge.html`,
		Args:              shell.Exactly(1, "RUN"),
		ValidArgsFunction: runs.CompleteName,
		RunE:              func(cmd *cobra.Command, args []string) error { return makeReport(env, cmd, &f, args[0]) },
	}
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write to `FILE`, which appears when it is whole (default standard output)")
	cmd.Flags().IntVarP(&f.n, "number", "n", 6, "the `K` hardest boards, at the most")
	return cmd
}

// reportPage is what the template shows.
type reportPage struct {
	Title, Family, Metric, Note string
	Complete                    bool
	Board                       template.HTML
	Facts                       []fact
	Plot, LogPlot               template.HTML
	Film                        template.HTML
	Graph                       template.URL // a PNG, empty of spaces that are too large for one
	GraphNote                   string
	Solution                    string
	SolutionLength              int
	Hardest                     []hardBoard
	HardestNote                 string
	Text                        string
	Made                        []fact
}

// fact is a line of a table.
type fact struct{ Name, Value string }

type hardBoard struct {
	Picture  template.HTML
	Number   int
	State    string
	Solution string
}

func makeReport(env *shell.Env, cmd *cobra.Command, f *reporting, arg string) error {
	if f.n < 0 {
		return exit.Usagef(cmd, "-n %d: must be 0 or more", f.n)
	}
	page := template.Must(template.New("report").Parse(reportTemplate))
	return runs.Ask(cmd.Context(), env, arg, func(r runs.View) error {
		content, err := reportOf(cmd.Context(), env, r, f.n)
		if err != nil {
			return err
		}
		to := func(o *shell.Output) error {
			err := page.Execute(o, content)
			return cmp.Or(o.Flush(), err)
		}
		if f.out == "" || f.out == "-" {
			return to(env.Out)
		}
		return shell.WriteWhole(f.out, to)
	})
}

// onPage puts an SVG that the program drew on the page. Texts in it are escaped.
func onPage(svg []byte) template.HTML { return template.HTML(svg) }

func reportOf(ctx context.Context, env *shell.Env, r runs.View, n int) (*reportPage, error) {
	board, space := r.Board(), r.Space()
	s, err := r.Summary(ctx)
	if err != nil {
		return nil, err
	}
	look, err := Pictured(board)
	if err != nil {
		return nil, err
	}
	start := board.Puzzle.Starts()[:board.Puzzle.Layout().Words()]
	page := &reportPage{
		Title: runs.NameOf(r), Family: board.Family, Metric: board.Metric, Note: board.Note, Complete: space.Complete(),
		Board:   onPage(draw.SVG(look.Picture(start), draw.Options{Labels: true, Title: runs.NameOf(r)})),
		Facts:   reportFacts(&s),
		Plot:    onPage(bare(layersPlot(r, false)).Draw(draw.Options{Title: "states by depth and goal distance"}).SVG(draw.Options{})),
		LogPlot: onPage(bare(layersPlot(r, true)).Draw(draw.Options{Title: "the same with a logarithmic scale"}).SVG(draw.Options{})),
		Text:    board.Text,
		Made: []fact{
			{"run", r.Dir()}, {"puzzle", board.Family}, {"metric", board.Metric}, {"digest", s.Digest},
			{"command", "everystate explore FILE --metric " + board.Metric + distancesFlag(space)},
			{"everystate", env.Build.String()},
		},
	}
	path, err := solution(ctx, space, start)
	switch {
	case err == nil:
		names := runs.MoveNames(r, path)
		page.SolutionLength, page.Solution = len(names), listed(names)
		if len(names) > 0 && len(names) <= reportMovesMax {
			page.Film = onPage(filmOf(r, look, path).SVG(draw.Options{Labels: true}))
		}
	case !errors.Is(err, query.ErrNoGoal) && !errors.Is(err, query.ErrNoDistances):
		return nil, err
	}
	if err := addGraph(ctx, env, r, page); err != nil {
		return nil, err
	}
	return page, addHardest(ctx, r, look, page, n)
}

// addGraph adds the state graph, if it is small enough.
func addGraph(ctx context.Context, env *shell.Env, r runs.View, page *reportPage) error {
	if states := r.History().States(history.Forward); states < 2 || states > draw.GraphStatesMax {
		return nil
	}
	p := &Pictures{Flags: &Flags{}, App: env}
	g, err := p.stateGraph(ctx, r)
	if err != nil {
		return err
	}
	page.GraphNote = g.Note
	g.Heading, g.Note = "", ""
	scene, err := g.Draw(draw.Options{Background: true, Title: "the state graph"})
	if err != nil {
		return err
	}
	const scale = 0.75 // 1,200 pixels
	body, err := scene.PNG(scale)
	page.Graph = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(body))
	return err
}

// bare takes a plot's heading away: the page has it.
func bare(p *draw.Plot) *draw.Plot {
	p.Heading, p.Note = "", ""
	return p
}

func distancesFlag(space *query.Space) string {
	if space.HasDistances() {
		return " --goal-distance"
	}
	return ""
}

// listed joins the names of moves, if they are not too many to read.
func listed(names []string) string {
	if len(names) > reportMovesMax {
		return fmt.Sprintf("%s … and %s more", strings.Join(names[:reportMovesMax], " "), quantity.Count(int64(len(names)-reportMovesMax)))
	}
	return strings.Join(names, " ")
}

// filmOf makes an animation of a path.
func filmOf(r runs.View, look puzzle.Pictured, path query.Path) *draw.Film {
	names := runs.MoveNames(r, path)
	film := &draw.Film{}
	for i, key := range path.States {
		panel := draw.Panel{Picture: look.Picture(key)}
		if i > 0 {
			panel.Caption = names[i-1]
		}
		film.Panels = append(film.Panels, panel)
	}
	return film
}

// addHardest adds the hardest boards, if they are known.
func addHardest(ctx context.Context, r runs.View, look puzzle.Pictured, page *reportPage, n int) error {
	if n == 0 || !r.Space().HasDistances() {
		return nil
	}
	found, err := r.Space().Hardest(ctx, n)
	if errors.Is(err, query.ErrNoGoal) {
		return nil
	}
	if err != nil {
		return err
	}
	page.HardestNote = fmt.Sprintf("%s to the nearest goal; there are %s that far", quantity.Counted(int64(found.Distance), "move"), quantity.Counted(found.Count, "state"))
	for i, key := range found.States {
		path, err := r.Space().ToGoal(key)
		if err != nil {
			return err
		}
		page.Hardest = append(page.Hardest, hardBoard{
			Number: i + 1, State: strings.ReplaceAll(r.Board().Puzzle.Format(key), "\n", export.BetweenLines), Solution: listed(runs.MoveNames(r, path)),
			Picture: onPage(draw.SVG(look.Picture(key), draw.Options{Labels: true, Title: fmt.Sprintf("hardest board %d", i+1)})),
		})
	}
	return nil
}

func reportFacts(s *engine.Summary) []fact {
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
		facts = append(facts, fact{"time", fmt.Sprintf("%.2f s, %s states a second", s.Seconds, quantity.Count(int64(s.StatesPerSecond)))})
	}
	if s.DiskBytes > 0 && s.States > 0 {
		facts = append(facts, fact{"disk", fmt.Sprintf("%s bytes, %.1f a state", quantity.Count(s.DiskBytes), float64(s.DiskBytes)/float64(s.States))})
	}
	return facts
}
