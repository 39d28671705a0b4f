// Package solving implements the commands that find and check solutions of boards and
// find hard boards: solve, compare, check and generate.
package solving

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/algorithms"
	"github.com/everystate/everystate/internal/solve/heuristic"
	"github.com/everystate/everystate/internal/solve/sokoban"
	"github.com/everystate/everystate/internal/solve/trial"
	"github.com/everystate/everystate/internal/terminal/display"
	"github.com/everystate/everystate/puzzle"
)

// solver holds the flags of the commands that search.
type solver struct {
	boards.Choice
	heuristic, pdb string
	weight         float64
	width          int
	nodesMax       int64
	timeMax        time.Duration
	memory         shell.Size
	workers        int
	quiet, json    bool
	form, out      string // the form of a Sokoban solution, and where answers go

	databases databases
}

// solverMemoryBytes is the default memory for a search's tables.
const solverMemoryBytes = 1 << 30

func (s *solver) flags(flags *pflag.FlagSet) {
	s.memory = solverMemoryBytes
	s.Flags(flags, "")
	flags.StringVar(&s.heuristic, "heuristic", "", "`HEURISTIC`: "+strings.Join(HeuristicNames(), ", ")+" or none (default: the best for the puzzle)")
	flags.StringVar(&s.pdb, "pdb", "", "use the goal distances of `RUN`, a run of an abstraction, as a pattern database; separate several with commas")
	flags.Float64Var(&s.weight, "weight", 2, "for wastar: multiply the estimate by `W`")
	shell.IntVar(flags, &s.width, "width", 1000, "for beam: keep `N` states of each layer")
	shell.CountVar(flags, &s.nodesMax, "max-nodes", 0, "give up after expanding `N` states")
	flags.DurationVar(&s.timeMax, "max-time", 0, "give up on a board after `TIME`, such as 90s or 10m")
	flags.Var(&s.memory, "memory", "memory for the tables of a search, a `SIZE`")
	runs.WorkersVar(flags, &s.workers, "workers", "solve `N` boards at a time (default: one per core)")
	flags.BoolVarP(&s.quiet, "quiet", "q", false, "do not show progress")
}

func (s *solver) check(cmd *cobra.Command) error {
	switch {
	case s.nodesMax < 0 || s.nodesMax == 0 && cmd.Flags().Changed("max-nodes"):
		return exit.Usagef(cmd, "--max-nodes %d: must be 1 or more", s.nodesMax)
	case s.timeMax < 0 || s.timeMax == 0 && cmd.Flags().Changed("max-time"):
		return exit.Usagef(cmd, "--max-time %v: must be more than 0", s.timeMax)
	case s.memory < 1:
		return exit.Usagef(cmd, "--memory 0: must be more than 0")
	case s.width < 1:
		return exit.Usagef(cmd, "--width %d: must be 1 or more", s.width)
	case !(s.weight >= 1 && s.weight <= 1e6):
		return exit.Usagef(cmd, "--weight %g: must be 1 to 1000000", s.weight)
	case s.heuristic != "" && s.heuristic != "none" && !slices.Contains(HeuristicNames(), s.heuristic):
		return exit.Usagef(cmd, "--heuristic %s: must be %s or none%s", s.heuristic, strings.Join(HeuristicNames(), ", "), shell.Meant(s.heuristic, HeuristicNames()))
	}
	return boards.KnownMetric(cmd, s.Metric, s.Module)
}

// AlgorithmNames lists the algorithms.
func AlgorithmNames() []string {
	var names []string
	for _, a := range algorithms.All() {
		names = append(names, a.Name)
	}
	return names
}

// algorithm returns the algorithm with a name from the command line.
func algorithm(cmd *cobra.Command, name string) (solve.Algorithm, error) {
	a, ok := algorithms.ByName(name)
	if !ok {
		return a, exit.Usagef(cmd, "there is no algorithm %q; the algorithms are %s%s", name, strings.Join(AlgorithmNames(), ", "), shell.Meant(name, AlgorithmNames()))
	}
	return a, nil
}

// attempt is a trial and how to report it.
type attempt struct{ trial.Trial }

// solveJSON is described in docs/JSON.md.
type solveJSON struct {
	Puzzle       string          `json:"puzzle"`
	Name         string          `json:"name"`
	Metric       string          `json:"metric"`
	Board        string          `json:"board"`
	Algorithm    string          `json:"algorithm"`
	Result       string          `json:"result"`
	Reason       string          `json:"reason,omitempty"`
	StoppedBy    string          `json:"stopped_by,omitempty"`
	Length       *int            `json:"length"`
	Moves        *string         `json:"moves"`
	MoveList     []string        `json:"move_list"`
	Steps        *string         `json:"steps,omitempty"`
	Optimal      bool            `json:"optimal"`
	InitialBound int             `json:"initial_bound"`
	Expanded     int64           `json:"expanded"`
	Generated    int64           `json:"generated"`
	Frontier     int64           `json:"peak_frontier"`
	Stored       int64           `json:"stored"`
	MemoryBytes  int64           `json:"memory_bytes"`
	Iterations   []iterationJSON `json:"iterations,omitempty"`
	Seconds      float64         `json:"seconds"`
}

type iterationJSON struct {
	Bound    int   `json:"bound"`
	Expanded int64 `json:"expanded"`
}

const solveHelp = `Solve searches for one solution of each board, without exploring the whole space.
Every solution is replayed by an independent checker before it is printed.

FILE is a file of one or more boards, - for standard input, or a board itself.
Several boards are solved in parallel and printed in order.

A board is solved, proved to have no solution (exit code 4), or not solved within the
limits (exit code 3). The algorithms:

`

// Command returns `everystate solve`.
func Command(env *shell.Env) *cobra.Command {
	var s solver
	var name string
	cmd := &cobra.Command{
		Use:   "solve FILE...",
		Short: "Find a solution of a board",
		Long:  solveHelp + listAlgorithms(),
		Example: `  everystate solve puzzles/rushhour/jam-93.txt
  everystate solve puzzles/rushhour/bird.txt --algorithm plan
  everystate solve '5 1 2 4 / 9 6 3 8 / 13 10 7 11 / 0 14 15 12' --algorithm idastar
  everystate solve lines.txt --metric slide --json`,
		Args: shell.Between(1, 1<<20, "FILE..."),
		RunE: func(cmd *cobra.Command, args []string) error { return runSolve(env, cmd, &s, name, args) },
	}
	s.flags(cmd.Flags())
	cmd.Flags().StringVar(&name, "algorithm", "", "`ALGORITHM` to use (default: the puzzle's own, idastar for tiles, or bfs)")
	cmd.Flags().BoolVar(&s.json, "json", false, "print one JSON object per board (docs/JSON.md)")
	cmd.Flags().StringVarP(&s.out, "output", "o", "", "write to `FILE`, which appears once complete; as JSON if its name ends in .json or .jsonl, as text if in .txt, .sol or .log (default: standard output)")
	cmd.Flags().StringVar(&s.form, "form", formMoves, formHelp)
	shell.Choices(cmd.Flags(), "form", formMoves, formLURD, formRows)
	return cmd
}

// listAlgorithms describes the algorithms for the help.
func listAlgorithms() string {
	var text strings.Builder
	for _, a := range algorithms.All() {
		of := ""
		if len(a.Families) > 0 {
			of = " (" + strings.Join(a.Families, ", ") + ")"
		}
		fmt.Fprintf(&text, "  %-15s %s%s\n", a.Name, a.Summary, of)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func runSolve(env *shell.Env, cmd *cobra.Command, s *solver, name string, args []string) error {
	if err := s.check(cmd); err != nil {
		return err
	}
	var chosen solve.Algorithm
	if name != "" {
		var err error
		if chosen, err = algorithm(cmd, name); err != nil {
			return err
		}
	}
	jobs, err := s.Jobs(env, cmd, args)
	if err != nil {
		return err
	}
	if s.form != formMoves && !slices.ContainsFunc(jobs, func(j boards.Job) bool { return j.Board.Family == sokoban.Family }) {
		return exit.Usagef(cmd, "--form %s works only for Sokoban", s.form)
	}
	attempts := make([]*attempt, len(jobs))
	for i, j := range jobs {
		attempts[i] = &attempt{trial.Trial{Board: j.Board, Algorithm: chosen}}
		if name == "" {
			attempts[i].Algorithm = algorithms.Default(&j.Board)
		}
	}
	if by := attempts[0].Algorithm; !by.Heuristic && (s.pdb != "" || s.heuristic != "" && s.heuristic != "none") {
		return exit.Usagef(cmd, "%s uses no heuristic: choose another --algorithm, such as astar", by.Name)
	}
	for _, only := range []struct{ flag, algorithm string }{{"weight", "wastar"}, {"width", "beam"}} {
		if cmd.Flags().Changed(only.flag) && !slices.ContainsFunc(attempts, func(t *attempt) bool { return t.Algorithm.Name == only.algorithm }) {
			return exit.Usagef(cmd, "--%s works only with --algorithm %s", only.flag, only.algorithm)
		}
	}
	if s.out == "" || s.out == "-" {
		return solveAll(cmd.Context(), env, s, attempts)
	}
	format, err := shell.FormatOf(cmd, "", s.out, "txt", "sol", "log", "json", "jsonl")
	if err != nil {
		return err
	}
	s.json = s.json || strings.HasPrefix(format, "json")
	var answer error // whatever it is, what was found is written
	err = shell.WriteWhole(s.out, func(o *shell.Output) error {
		answer = solveAll(cmd.Context(), env.To(o), s, attempts)
		return o.Flush()
	})
	return cmp.Or(err, answer)
}

// solveAll solves boards and prints the answers.
func solveAll(ctx context.Context, env *shell.Env, s *solver, attempts []*attempt) error {
	code := exit.Complete
	err := tryAll(ctx, env, s, attempts, func(t *attempt) (err error) {
		code = exit.Worse(code, env.Report(t.fault()))
		switch {
		case t.Err != nil: // it has been reported
		case s.json:
			err = env.JSON(t.json())
		default:
			printAttempt(env, t, s.form, len(attempts) > 1)
		}
		return cmp.Or(env.Out.Flush(), err) // of the same error, Flush has better words
	})
	return cmp.Or(err, exit.Reported(code))
}

// tryAll makes attempts, several at a time, and calls tell for each, in order.
func tryAll(ctx context.Context, env *shell.Env, s *solver, attempts []*attempt, tell func(*attempt) error) error {
	workers := s.workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	o := s.options(env)
	view := &display.Search{Paint: env.ErrTerm.Paint(), Boards: int64(len(attempts))}
	o.Expanded = func(states int64) { view.Expanded.Add(states) }
	shown := env.Show(s.quiet, view)
	defer func() { shown.Stop() }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make([]chan struct{}, len(attempts))
	for i := range done {
		done[i] = make(chan struct{})
	}
	next := make(chan int)
	var wait sync.WaitGroup
	defer wait.Wait()
	for range min(workers, len(attempts)) {
		wait.Go(func() {
			for i := range next {
				attempts[i].Run(ctx, &o)
				view.Done.Add(1)
				close(done[i])
			}
		})
	}
	go func() {
		defer close(next)
		for i := range attempts {
			next <- i
		}
	}()
	var first error
	skipped := false
	for i := range attempts {
		<-done[i]
		switch {
		case errors.Is(attempts[i].Err, context.Canceled):
			skipped = true
		case first == nil:
			// What is written to a terminal must not be in a frame that is redrawn.
			visible := env.OutTerm.Is() || env.ErrTerm.Is() && attempts[i].fault() != nil
			if visible {
				shown.Stop()
			}
			if first = tell(attempts[i]); first != nil {
				cancel() // nobody will read the others
			}
			if visible {
				shown = env.Show(s.quiet, view)
			}
		}
		attempts[i].release()
	}
	if skipped && first == nil {
		env.Complain("stopped before trying all boards")
		return exit.Reported(exit.Incomplete)
	}
	return first
}

// options returns the options that all trials of a command share.
func (s *solver) options(env *shell.Env) trial.Options {
	return trial.Options{
		Heuristic: func(ctx context.Context, b *puzzle.Board) (solve.Heuristic, error) {
			return heuristicOf(ctx, env, s, b)
		},
		Weight: s.weight, Width: s.width, NodesMax: s.nodesMax, MemoryBytesMax: int64(s.memory), TimeMax: s.timeMax,
	}
}

// release drops what a solved board holds in memory: a file may hold many thousands.
func (t *attempt) release() { t.Board.Puzzle = nil }

// fault returns what is wrong with an attempt as an error with its exit code.
func (t *attempt) fault() error {
	name := t.Board.Name
	switch {
	case errors.Is(t.Err, solve.ErrUnsuited):
		return exit.Errorf(exit.Usage, "%s: %s %v", name, t.Algorithm.Name, t.Err)
	case errors.Is(t.Err, trial.ErrNoGoal):
		return exit.Errorf(exit.Usage, "%s: %v; docs/NOTATIONS.md describes how to state one, often with goal: or --goal", name, t.Err)
	case t.Err != nil:
		return fmt.Errorf("%s: %w", name, t.Err)
	case t.Result.Outcome == solve.Unsolvable:
		return exit.Reported(exit.NotFound)
	case t.Result.Outcome == solve.Unknown:
		return exit.Reported(exit.Incomplete)
	}
	return nil
}

func (t *attempt) json() solveJSON {
	r := &t.Result
	j := solveJSON{
		Puzzle: t.Board.Family, Name: t.Board.Name, Metric: t.Board.Metric, Board: t.Board.Text,
		Algorithm: t.Algorithm.Name, Result: r.Outcome.String(), Reason: t.Why, StoppedBy: r.Stop.String(),
		Optimal: r.Optimal, InitialBound: r.InitialBound, Expanded: r.Expanded, Generated: r.Generated,
		Frontier: r.Frontier, Stored: r.Stored, MemoryBytes: r.MemoryBytes, Seconds: t.Seconds,
	}
	for _, i := range r.Iterations {
		j.Iterations = append(j.Iterations, iterationJSON{i.Bound, i.Expanded})
	}
	if r.Outcome == solve.Solved {
		length, moves := len(t.Names), strings.Join(t.Names, " ")
		j.Length, j.Moves, j.MoveList = &length, &moves, shell.OrEmpty(t.Names)
		if t.Walk != nil {
			j.Steps = &t.Walk.Moves
		}
	}
	return j
}

// printAttempt prints an answer.
func printAttempt(env *shell.Env, t *attempt, form string, oneOfMany bool) {
	r, name := &t.Result, t.Board.Name
	counts := env.Paint.Faint(fmt.Sprintf("%s: %s expanded, %s generated, %s",
		t.Algorithm.Name, quantity.Counted(r.Expanded, "state"), quantity.Count(r.Generated), quantity.Seconds(t.Seconds)))
	if oneOfMany && r.Outcome == solve.Solved && form != formRows {
		solution := strings.Join(t.Names, " ")
		if t.Walk != nil && form == formLURD {
			solution = t.Walk.Moves
		}
		fmt.Fprintf(env.Out, "%s: %s: %s\n", name, t.inMoves(), solution)
		return
	}
	switch r.Outcome {
	case solve.Solved:
		best := ", not proved optimal"
		if r.Optimal {
			best = ", optimal"
		}
		fmt.Fprintf(env.Out, "%s: solved in %s%s\n", name, t.inMoves(), best)
		switch {
		case len(t.Names) == 0:
		case t.Walk != nil && form != formMoves:
			fmt.Fprintln(env.Out)
			printWalk(env, t.Walk, form)
		default:
			fmt.Fprintln(env.Out)
			runs.PrintNames(env, t.Names)
		}
	case solve.Unsolvable:
		why := " (proved)"
		if t.Why != "" {
			why = ": " + t.Why
		}
		fmt.Fprintf(env.Out, "%s: no solution%s\n", name, why)
	default:
		fmt.Fprintf(env.Out, "%s: not solved within %s\n", name, t.limit())
	}
	if !oneOfMany {
		fmt.Fprintf(env.Out, "\n%s\n", counts)
		if rounds := t.rounds(); rounds != "" {
			fmt.Fprintln(env.Out, env.Paint.Faint(rounds))
		}
	}
}

// inMoves describes the length of a solution: for Sokoban in pushes and in steps, the
// metric's own first.
func (t *attempt) inMoves() string {
	if t.Walk == nil {
		return quantity.Counted(int64(len(t.Names)), "move")
	}
	pushes, steps := countPushes(len(t.Walk.Pushes)), quantity.Counted(int64(len(t.Walk.Moves)), "step")
	if t.Board.Metric == sokoban.Steps {
		return steps + " (" + pushes + ")"
	}
	return pushes + " (" + steps + ")"
}

// countPushes is quantity.Counted for a word whose plural is irregular.
func countPushes(n int) string {
	if n == 1 {
		return "1 push"
	}
	return quantity.Count(int64(n)) + " pushes"
}

// rounds lists how many states each round of iterative deepening expanded, as papers
// do, unless there are very many.
func (t *attempt) rounds() string {
	const most = 40
	all := t.Result.Iterations
	if len(all) == 0 || len(all) > most {
		return ""
	}
	var list []string
	for _, i := range all {
		list = append(list, fmt.Sprintf("%d: %s", i.Bound, quantity.Count(i.Expanded)))
	}
	return fmt.Sprintf("initial depth %d; states expanded to each depth %s; top level %s",
		t.Result.InitialBound, strings.Join(list, ", "), quantity.Count(all[len(all)-1].Expanded))
}

// thrifty suggests what needs less memory, if anything does.
func (t *attempt) thrifty() string {
	if t.Algorithm.Name == "idastar" || len(t.Algorithm.Families) > 0 {
		return ""
	}
	if h, err := heuristic.For(&t.Board, ""); h == nil || err != nil {
		return ""
	}
	return "; --algorithm idastar needs less"
}

// limit describes what kept a search from an answer.
func (t *attempt) limit() string {
	r := &t.Result
	switch r.Stop {
	case solve.StopNodes:
		return quantity.Counted(r.Expanded, "expanded state") + " (--max-nodes)"
	case solve.StopTime:
		return quantity.Seconds(t.Seconds) + " (--max-time)"
	case solve.StopMemory:
		return quantity.Bytes(r.MemoryBytes) + " (--memory)" + t.thrifty()
	case solve.StopPruned:
		return "the states that the algorithm keeps (--width)"
	case solve.StopNone, solve.StopCancel:
	}
	return quantity.Seconds(t.Seconds) + ", when it was stopped"
}
