package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/picture"
	"github.com/everystate/everystate/cmd/everystate/internal/quantity"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
)

// trace holds the flags of the command.
type trace struct {
	effort
	hardest, firstGoal, deepest bool
	toGoal, boards, json        bool
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

func traceCommand(env *app) *cobra.Command {
	var f trace
	cmd := &cobra.Command{
		Use:   "trace RUN [STATE]",
		Short: "Print the shortest way to a state, or from it to its nearest goal",
		Long: `Trace prints the shortest way from the start to a state, along the predecessor
links; with --to-goal the shortest way from the state to its nearest goal.

STATE is a board in any notation of the puzzle, or one of --hardest, --first-goal
and --deepest. Without any it is the first goal, or, with --to-goal, the start.`,
		Example: `  everystate trace jam-93
  everystate trace jam-93 --hardest --to-goal --boards
  everystate trace jam-93 --deepest --json
  everystate trace small-4x4 "E.BB / ECCC / .AAF / DD.F"`,
		Args:              between(1, 2, "RUN [STATE]"),
		ValidArgsFunction: completeRun,
		RunE:              func(cmd *cobra.Command, args []string) error { return runTrace(env, cmd, &f, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.hardest, "hardest", false, "the state farthest from its nearest goal")
	flags.BoolVar(&f.firstGoal, "first-goal", false, "the goal nearest to the start")
	flags.BoolVar(&f.deepest, "deepest", false, "the state farthest from the start")
	flags.BoolVar(&f.toGoal, "to-goal", false, "from the state to its nearest goal")
	flags.BoolVar(&f.boards, "boards", false, "draw the board after every move")
	flags.BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	f.flags(flags)
	return cmd
}

func runTrace(env *app, cmd *cobra.Command, f *trace, args []string) error {
	opts, err := f.options(cmd, 0)
	if err != nil {
		return err
	}
	chosen := len(args) - 1
	for _, set := range []bool{f.hardest, f.firstGoal, f.deepest} {
		if set {
			chosen++
		}
	}
	if chosen > 1 {
		return usagef(cmd, "one of STATE, --hardest, --first-goal and --deepest, not several")
	}
	answer := func(r runView) error { return traceIn(cmd.Context(), env, r, f, args[1:]) }
	if !f.toGoal && !f.hardest {
		return ask(cmd.Context(), env, args[0], answer)
	}
	r, err := openWithDistances(cmd.Context(), env, args[0], opts, &f.effort)
	if err != nil {
		return err
	}
	return cmp.Or(explain(env, r.Dir(), answer(r)), r.Close())
}

// traceIn finds the way and prints it.
func traceIn(ctx context.Context, env *app, r runView, f *trace, state []string) error {
	space := r.Space()
	key, name, err := f.target(ctx, r, state)
	if errors.Is(err, query.ErrNoGoal) {
		return notFound(env, r, "no goal is reachable", "no goal has been reached")
	}
	if err != nil {
		return err
	}
	find := space.FromStart
	title := "from the start to " + name
	if f.toGoal {
		find, title = space.ToGoal, "from "+name+" to the nearest goal"
	}
	path, err := find(key)
	switch {
	case errors.Is(err, query.ErrUnreachable):
		return notFound(env, r, name+" is not reachable", name+" has not been reached")
	case errors.Is(err, query.ErrNoGoal):
		return failf(exitNotFound, "%s: no goal can be reached from %s", nameOf(r), name)
	case err != nil:
		return err
	}
	if f.json {
		return writeTraceJSON(env, r, path)
	}
	fmt.Fprintf(env.out, "%s: %s in %s\n\n", nameOf(r), title, quantity.Counted(int64(len(path.Moves)), "move"))
	if f.boards {
		printBoards(env, r, path)
	} else {
		printMoves(env, r, path)
	}
	return nil
}

// notFound says that something is not in a space, or, of a run that is not
// complete, not yet.
func notFound(env *app, r runView, never, notYet string) error {
	if r.Space().Complete() {
		return failf(exitNotFound, "%s: %s", nameOf(r), never)
	}
	return failf(exitIncomplete, "%s: %s to depth %d, where the run stopped: %s",
		nameOf(r), notYet, len(r.History().Layers(history.Forward))-1, env.command("resume", r.Dir()))
}

// target returns the state that was asked for and what to call it.
func (f *trace) target(ctx context.Context, r runView, state []string) (key []uint64, name string, err error) {
	space := r.Space()
	switch {
	case len(state) > 0:
		key, err = parseState(r, state[0])
		return key, "the state", err
	case f.hardest:
		found, err := space.Hardest(ctx, 1)
		if err != nil {
			return nil, "", err
		}
		return found.States[0], "the hardest state", nil
	case f.deepest:
		key, err = space.Deepest(ctx)
		return key, "the deepest state", err
	case f.toGoal && !f.firstGoal:
		puzzle := r.Board().Puzzle
		return puzzle.Starts()[:puzzle.Layout().Words()], "the start", nil
	}
	key, err = space.FirstGoal(ctx)
	return key, "the first goal", err
}

// parseState reads a state from the command line.
func parseState(r runView, text string) ([]uint64, error) {
	key, err := r.Board().Puzzle.Parse(text)
	if err != nil {
		return nil, failf(exitUsage, "%s", placed("STATE", err))
	}
	return key, nil
}

func moveNames(r runView, path query.Path) []string {
	names := make([]string, 0, len(path.Moves))
	for _, m := range path.Moves {
		names = append(names, r.Board().Puzzle.FormatMove(m))
	}
	return names
}

func writeTraceJSON(env *app, r runView, path query.Path) error {
	names := moveNames(r, path)
	return env.json(traceJSON{
		Name: r.Board().Name, Metric: r.Board().Metric, Length: len(names),
		Moves: strings.Join(names, " "), MoveList: names,
		States: texts(r, path.States), Run: r.Dir(),
	})
}

func printMoves(env *app, r runView, path query.Path) { printNames(env, moveNames(r, path)) }

func printBoards(env *app, r runView, path query.Path) {
	printWay(env, painter(env, r), drawings(r, path.States), moveNames(r, path))
}

// printWay prints boards, and the moves that lead from each to the next.
func printWay(env *app, pen picture.Painter, boards, names []string) {
	pics := make([]picture.Picture, 0, len(boards))
	for i, text := range boards {
		pic := pen.Draw(text)
		pic.Title = "start"
		if i > 0 {
			pic = pen.DrawMove(boards[i-1], text)
			pic.Title = fmt.Sprintf("%d. %s", i, names[i-1])
		}
		pics = append(pics, pic)
	}
	fmt.Fprintln(env.out, strings.Join(picture.Beside(pics, env.outTerm.width()), "\n"))
}
