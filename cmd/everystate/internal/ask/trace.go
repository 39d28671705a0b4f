package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/terminal/display"
)

// Trace holds the flags of the command.
type Trace struct {
	runs.Effort
	Hardest, FirstGoal, Deepest, dead bool
	ToGoal, boards, json              bool
}

// traceJSON is described in docs/JSON.md.
type traceJSON struct {
	Name     string   `json:"name"`
	Metric   string   `json:"metric"`
	Length   int      `json:"length"`
	Moves    string   `json:"moves"`
	MoveList []string `json:"move_list"`
	States   []string `json:"states"`
	Run      string   `json:"run"`
}

// TraceCommand returns `everystate trace`.
func TraceCommand(env *shell.Env) *cobra.Command {
	var f Trace
	cmd := &cobra.Command{
		Use:   "trace RUN [STATE]",
		Short: "Print a shortest path to a state, or from a state to its nearest goal",
		Long: `Trace prints a shortest path from the start to a state, along predecessor links;
with --to-goal, a shortest path from the state to its nearest goal.

Give the state as STATE (a board in any notation of the puzzle, a file that holds one,
or - for standard input) or as --hardest, --first-goal, --deepest or --dead. The default
is the first goal; with --to-goal, the start. With --dead, the last move of the path is
the one after which no goal can be reached.`,
		Example: `  everystate trace jam-93
  everystate trace jam-93 --hardest --to-goal --boards
  everystate trace jam-93 --deepest --json
  everystate trace small-4x4 "E.BB / ECCC / .AAF / DD.F"`,
		Args:              shell.Between(1, 2, "RUN [STATE]"),
		ValidArgsFunction: runs.CompleteName,
		RunE:              func(cmd *cobra.Command, args []string) error { return runTrace(env, cmd, &f, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Hardest, "hardest", false, "the state farthest from its nearest goal")
	flags.BoolVar(&f.FirstGoal, "first-goal", false, "the goal nearest to the start")
	flags.BoolVar(&f.Deepest, "deepest", false, "the state farthest from the start")
	flags.BoolVar(&f.dead, "dead", false, "the dead state nearest to the start, from which no goal can be reached")
	flags.BoolVar(&f.ToGoal, "to-goal", false, "from the state to its nearest goal")
	flags.BoolVar(&f.boards, "boards", false, "draw the board after each move")
	flags.BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	f.Flags(flags)
	return cmd
}

func runTrace(env *shell.Env, cmd *cobra.Command, f *Trace, args []string) error {
	opts, err := f.Options(cmd, 0)
	if err != nil {
		return err
	}
	chosen := len(args) - 1
	for _, set := range []bool{f.Hardest, f.FirstGoal, f.Deepest, f.dead} {
		if set {
			chosen++
		}
	}
	if chosen > 1 {
		return exit.Usagef(cmd, "give only one of STATE, --hardest, --first-goal, --deepest and --dead")
	}
	if f.dead && f.ToGoal {
		return exit.Usagef(cmd, "--dead is a state from which there is no way --to-goal")
	}
	answer := func(r runs.View) error { return traceIn(cmd.Context(), env, r, f, args[1:]) }
	if !f.ToGoal && !f.Hardest && !f.dead {
		return runs.Ask(cmd.Context(), env, args[0], answer)
	}
	r, err := runs.OpenWithDistances(cmd.Context(), env, args[0], opts, &f.Effort)
	if err != nil {
		return err
	}
	return cmp.Or(runs.Explain(env, r.Dir(), answer(r)), r.Close())
}

// traceIn finds the path and prints it.
func traceIn(ctx context.Context, env *shell.Env, r runs.View, f *Trace, state []string) error {
	space := r.Space()
	key, name, err := f.Target(ctx, env, r, state)
	if err != nil {
		return err
	}
	find := space.FromStart
	title := "from the start to " + name
	if f.ToGoal {
		find, title = space.ToGoal, "from "+name+" to the nearest goal"
	}
	path, err := searching(env, r, space, f.Quiet, func() (query.Path, error) { return find(ctx, key) })
	switch {
	case errors.Is(err, query.ErrUnreachable):
		return runs.NotFound(env, r, name+" is not reachable", name+" has not been reached")
	case errors.Is(err, query.ErrNoGoal):
		return exit.Errorf(exit.NotFound, "%s: no goal can be reached from %s", runs.NameOf(r), name)
	case err != nil:
		return err
	}
	if n := path.Searched; n > 0 {
		env.Complain(fmt.Sprintf("%s keeps only its frontier: the first %s were found by searching again, and may differ from those of a run that keeps all layers", r.Dir(), quantity.Counted(int64(n), "move")))
	}
	if f.json {
		return writeTraceJSON(env, r, path)
	}
	fmt.Fprintf(env.Out, "%s: %s in %s\n\n", runs.NameOf(r), title, quantity.Counted(int64(len(path.Moves)), "move"))
	if f.boards {
		printBoards(env, r, path)
	} else {
		printMoves(env, r, path)
	}
	return nil
}

// searching shows the progress of a search for a path again, where layers were dropped.
func searching(env *shell.Env, r runs.View, space *query.Space, quiet bool, find func() (query.Path, error)) (query.Path, error) {
	if r.History().DroppedLayers() == 0 {
		return find()
	}
	view := &display.Steps{Phase: "trace", Title: "searching again for a path in " + runs.NameOf(r), Run: r.Dir(), Paint: env.ErrTerm.Paint()}
	space.Searching = func(part float64) { view.At("", part) }
	defer env.Show(quiet, view).Stop()
	return find()
}

// Target returns the requested state and a name for it. The error says what to do if there
// is none, or none yet.
func (f *Trace) Target(ctx context.Context, env *shell.Env, r runs.View, state []string) (key []uint64, name string, err error) {
	key, name, err = f.find(ctx, env, r, state)
	switch {
	case errors.Is(err, query.ErrNoGoal):
		err = runs.NotFound(env, r, "no goal can be reached", "no goal has been reached")
	case errors.Is(err, query.ErrUnreachable):
		err = runs.NotFound(env, r, "there is no state", "there is no state yet")
	case errors.Is(err, query.ErrNoDead):
		err = exit.Errorf(exit.NotFound, "%s: %v", runs.NameOf(r), err)
	}
	return key, name, err
}

func (f *Trace) find(ctx context.Context, env *shell.Env, r runs.View, state []string) (key []uint64, name string, err error) {
	space := r.Space()
	switch {
	case len(state) > 0:
		key, err = boards.State(env, r.Board().Puzzle, state[0])
		return key, "the state", err
	case f.Hardest:
		found, err := space.Hardest(ctx, 1)
		if err != nil {
			return nil, "", err
		}
		return found.States[0], "the hardest state", nil
	case f.Deepest:
		key, err = space.Deepest(ctx)
		return key, "the deepest state", err
	case f.dead:
		key, err = space.FirstDead(ctx, query.TableOptions{})
		return key, "the first dead state", err
	case f.ToGoal && !f.FirstGoal:
		puzzle := r.Board().Puzzle
		return puzzle.Starts()[:puzzle.Layout().Words()], "the start", nil
	}
	key, err = space.FirstGoal(ctx)
	return key, "the first goal", err
}

func writeTraceJSON(env *shell.Env, r runs.View, path query.Path) error {
	names := path.Names(r.Board().Puzzle)
	return env.JSON(traceJSON{
		Name: r.Board().Name, Metric: r.Board().Metric, Length: len(names),
		Moves: strings.Join(names, " "), MoveList: names,
		States: runs.Texts(r, path.States), Run: r.Dir(),
	})
}

func printMoves(env *shell.Env, r runs.View, path query.Path) {
	runs.PrintNames(env, path.Names(r.Board().Puzzle))
}

func printBoards(env *shell.Env, r runs.View, path query.Path) {
	runs.PrintPath(env, runs.Painter(env, r), runs.Drawings(r, path.States), path.Names(r.Board().Puzzle))
}
