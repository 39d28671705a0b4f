package solving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/solve/generate"
	"github.com/everystate/everystate/internal/terminal/display"
	"github.com/everystate/everystate/internal/terminal/table"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// generation holds the flags of the command.
type generation struct {
	size, method    string
	exitRow         int
	walls, vehicles shell.Span
	timeMax         time.Duration
	out             string
	quiet, json     bool
	opts            generate.Options
}

// generateBoards is the default number of boards to explore.
const generateBoards = 100_000

// GenerateCommand returns `everystate generate`.
func GenerateCommand(env *shell.Env) *cobra.Command {
	var g generation
	cmd := &cobra.Command{
		Use:   "generate rush-hour|FILE",
		Short: "Search for hard boards where there are too many to sweep",
		Long: `Generate searches for the hardest boards it can find. It changes a board slightly,
explores everything that the changed board can reach, and continues from the hardest
state there: by simulated annealing (anneal, which sometimes accepts an easier board),
by hill climbing (climb), or with random boards (random). The difficulty of a board is
exact: the greatest distance to a goal of any state that it can reach. Boards that
reach more than --max-states are skipped. Pieces that do not make a board harder are
removed.

FILE gives boards to start from, with their size, exit row and metric: each restart
takes the next one. With --size they may be smaller: each is placed with its exit at the
edge, and the cells around it are filled with vehicles at random.

A search consists of restarts, each with its own random numbers: the same --seed and
--evaluations find the same boards with any number of workers. --max-time and Ctrl-C
end it with the best boards so far.

docs/DATABASE.md has the rules for boards, and what a minute finds.`,
		Example: `  everystate generate rush-hour --evaluations 10000 --seed 7
  everystate generate rush-hour --walls 0..2 --max-time 1m -o hard.txt
  everystate generate rush-hour --size 7x7 --metric step --top 3 --json
  everystate generate hard.txt --method climb
  everystate generate hardest-6x6.txt --size 7x7 --max-states 50000`,
		Args: shell.Exactly(1, "rush-hour or FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return runGenerate(env, cmd, &g, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&g.size, "size", "6x6", "`ROWSxCOLUMNS`, each from 3 to 16")
	shell.IntVar(f, &g.exitRow, "exit-row", -1, "row `R` of the goal vehicle and its exit, from 0 (default: the middle, or the one above it)")
	f.Var(&g.walls, "walls", "number of walls, `N` or N..M")
	f.Var(&g.vehicles, "vehicles", "number of vehicles besides the goal vehicle, `N` or N..M (default: as many as fit)")
	f.IntSliceVar(&g.opts.Lengths, "lengths", []int{2, 3}, "`LENGTHS` of the vehicles besides the goal vehicle")
	f.StringVar(&g.opts.Metric, "metric", "slide", "what counts as one move, a `METRIC`: step or slide")
	f.StringVar(&g.method, "method", "anneal", "`METHOD` of the search: "+strings.Join(generate.Methods(), ", "))
	shell.Choices(f, "metric", "step", "slide")
	shell.Choices(f, "method", generate.Methods()...)
	f.Uint64Var(&g.opts.Seed, "seed", 1, "seed `N` of all random numbers")
	shell.CountVar(f, &g.opts.Evaluations, "evaluations", generateBoards, "explore `N` boards")
	f.DurationVar(&g.timeMax, "max-time", 0, "stop after `TIME`, such as 90s or 10m")
	shell.CountVar(f, &g.opts.Restart, "restart", 0, "restart after `N` boards (default 20000)")
	shell.CountVar(f, &g.opts.StatesMax, "max-states", 0, "skip boards with more than `N` states (default 5000)")
	shell.IntVar(f, &g.opts.Top, "top", 10, "find the `K` hardest boards")
	runs.WorkersVar(f, &g.opts.Workers, "workers", "run `N` restarts at a time (default: one per core)")
	f.StringVarP(&g.out, "output", "o", "", "write the boards to `FILE`, as input for explore")
	f.BoolVarP(&g.quiet, "quiet", "q", false, "do not show progress")
	f.BoolVar(&g.json, "json", false, "print one JSON object per board (docs/JSON.md)")
	f.Lookup("exit-row").DefValue = "0" // hides it: the text names the default
	return cmd
}

// check checks the flags and completes the options.
func (g *generation) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	o := &g.opts
	o.ExitRow = g.exitRow
	o.WallsMin, o.WallsMax = g.walls.Least, g.walls.Most
	o.VehiclesMin, o.VehiclesMax = g.vehicles.Least, g.vehicles.Most
	var err error
	if o.Rows, o.Cols, err = generate.ParseSize(g.size); err != nil {
		return exit.Usagef(cmd, "--size %s: %v", g.size, err)
	}
	// An open end of the range means what fits.
	o.WallsMax = min(o.WallsMax, o.Rows*o.Cols)
	if o.VehiclesMax == math.MaxInt {
		o.VehiclesMax = 0
	}
	o.Method = generate.Method(slices.Index(generate.Methods(), g.method))
	for _, name := range []string{"evaluations", "max-time", "restart", "max-states", "top"} {
		if f := cmd.Flags().Lookup(name); f.Changed && (strings.HasPrefix(f.Value.String(), "-") || f.Value.String() == "0" || f.Value.String() == "0s") {
			return exit.Usagef(cmd, "--%s %s: must be more than 0", name, f.Value)
		}
	}
	switch {
	case g.json && g.out == "-":
		return exit.Usagef(cmd, "--json and --output - both write to standard output: give a file, or leave one of them out")
	case changed("exit-row") && g.exitRow < 0:
		return exit.Usagef(cmd, "--exit-row %d: rows count from 0", g.exitRow)
	case changed("vehicles") && g.vehicles.Most == 0:
		return exit.Usagef(cmd, "--vehicles 0: a goal vehicle alone is not a puzzle")
	}
	if changed("max-time") && !changed("evaluations") {
		o.Evaluations = 0
	}
	return nil
}

func runGenerate(env *shell.Env, cmd *cobra.Command, g *generation, arg string) error {
	if err := g.check(cmd); err != nil {
		return err
	}
	o := &g.opts
	if family, ok := families.ByName(arg); ok {
		if family.Name != generate.Family {
			return exit.Errorf(exit.Usage, "cannot generate boards of %s, only of rush-hour", family.Name)
		}
	} else {
		metric := ""
		if cmd.Flags().Changed("metric") {
			metric = o.Metric
		}
		jobs, err := boards.Read(env, []string{arg}, families.Read, puzzle.ReadOptions{Metric: metric})
		if near := shell.Meant(arg, []string{generate.Family}); err != nil && near != "" {
			return exit.Usagef(cmd, "%q is not rush-hour, and no file%s", arg, near)
		}
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("exit-row") {
			return exit.Usagef(cmd, "--exit-row works only with rush-hour: the boards of %s have their own exits", arg)
		}
		for _, job := range jobs {
			o.Starts = append(o.Starts, job.Board)
		}
		o.Grow = cmd.Flags().Changed("size")
	}
	if err := o.Validate(); err != nil {
		return exit.Usagef(cmd, "%s", shell.OneLine(err))
	}
	if g.out != "" && g.out != "-" {
		if err := shell.Writable(g.out); err != nil {
			return err
		}
	}
	o.Progress = new(generate.Progress)
	began := time.Now()
	view := &display.Generation{Paint: env.ErrTerm.Paint(), Began: began, Progress: o.Progress, Evaluations: o.Evaluations}
	shown := env.Show(g.quiet, view)
	ctx, cancel := cmd.Context(), context.CancelFunc(func() {})
	if g.timeMax > 0 {
		ctx, cancel = context.WithTimeout(ctx, g.timeMax)
	}
	defer cancel()
	found, err := generate.Run(ctx, *o)
	shown.Stop()
	if input := new(puzzle.InputError); errors.As(err, &input) {
		return exit.Errorf(exit.Usage, "%v", err)
	}
	if err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	if len(found) == 0 && o.Progress.Evaluations.Load() == 0 && ctx.Err() == nil {
		return exit.Errorf(exit.NotFound, "no board was found with so many vehicles and walls: fewer may fit")
	}
	if len(found) == 0 {
		return exit.Errorf(exit.NotFound, "no board with a solution was found among %s", quantity.Counted(o.Progress.Evaluations.Load(), "board"))
	}
	if err := printGenerated(env, g, found, seconds); err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		return exit.Errorf(exit.Incomplete, "stopped; these are the hardest boards so far")
	}
	return nil
}

func printGenerated(env *shell.Env, g *generation, found []generate.Found, seconds float64) error {
	if g.out != "" {
		text := generate.File(found, "Found by everystate generate with --seed "+strconv.FormatUint(g.opts.Seed, 10)+".")
		to := func(o *shell.Output) error {
			_, err := o.Write(text)
			return cmp.Or(o.Flush(), err)
		}
		if g.out == "-" {
			return to(env.Out)
		}
		if err := shell.WriteWhole(g.out, to); err != nil {
			return err
		}
	}
	if g.json {
		for i := range found {
			if err := env.JSON(generatedOf(g, &found[i])); err != nil {
				return err
			}
		}
		return nil
	}
	p := g.opts.Progress
	best := &found[0]
	fmt.Fprintf(env.Out, "%s, the most among %s\n\n", env.Paint.Bold(quantity.Counted(int64(best.Distance), "move")+" to the nearest goal"),
		quantity.Counted(int64(best.States), "state"))
	board := best.Board()
	pic := runs.PainterOf(env, board).Draw(board.Puzzle.Draw(board.Puzzle.Starts()))
	fmt.Fprintln(env.Out, strings.Join(pic.Lines, "\n"))
	t := table.Table{Columns: []table.Column{{Title: "moves"}, {Title: "states"}, {Title: "goals"}, {Title: "vehicles"}, {Title: "walls"}, {Title: "board", Left: true}}}
	for _, f := range found {
		t.Add(strconv.Itoa(f.Distance), quantity.Count(int64(f.States)), quantity.Count(int64(f.Layers[0])), strconv.Itoa(f.Vehicles), strconv.Itoa(f.Walls), f.Cells)
	}
	fmt.Fprintln(env.Out)
	t.Write(env.Out, env.Paint)
	fmt.Fprintf(env.Out, "\n%s\n", env.Paint.Faint(fmt.Sprintf("%s explored, %s of them too large; %s in %s",
		quantity.Counted(p.Evaluations.Load(), "board"), quantity.Count(p.TooLarge.Load()), quantity.Counted(p.States.Load(), "state"), quantity.Seconds(seconds))))
	return nil
}

// GeneratedJSON is described in docs/JSON.md.
type GeneratedJSON struct {
	Puzzle   string `json:"puzzle"`
	Metric   string `json:"metric"`
	Rows     int    `json:"rows"`
	Columns  int    `json:"columns"`
	Cells    string `json:"cells"`
	Text     string `json:"text"`
	Distance int    `json:"distance"`
	States   int    `json:"states"`
	Layers   []int  `json:"goal_distance_layers"`
	Vehicles int    `json:"vehicles"`
	Walls    int    `json:"walls"`
	Minimal  bool   `json:"minimal"`
	Seed     uint64 `json:"seed"`
	Restart  int64  `json:"restart"`
}

func generatedOf(g *generation, f *generate.Found) GeneratedJSON {
	b := f.Board()
	rows, cols := f.Size()
	return GeneratedJSON{
		Puzzle: b.Family, Metric: b.Metric, Rows: rows, Columns: cols, Cells: f.Cells, Text: b.Text,
		Distance: f.Distance, States: f.States, Layers: f.Layers, Vehicles: f.Vehicles, Walls: f.Walls,
		Minimal: f.Minimal, Seed: g.opts.Seed, Restart: f.Restart,
	}
}
