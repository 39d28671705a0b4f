// Package ask implements the commands that print what a run has found: hardest,
// trace, layers and show.
package ask

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/terminal/display"
	"github.com/everystate/everystate/internal/terminal/picture"
	"github.com/everystate/everystate/internal/terminal/summary"
	"github.com/everystate/everystate/puzzle"
)

// hardest holds the flags of the command.
type hardest struct {
	runs.Effort
	n      int
	solved string // the pieces that are solved in the states in question; empty for all states
	json   bool
}

// hardestJSON is described in docs/JSON.md.
type hardestJSON struct {
	Name     string   `json:"name"`
	Metric   string   `json:"metric"`
	Distance int      `json:"distance"`
	Count    int64    `json:"count"`
	Stand    int64    `json:"represented_states,omitempty"`
	States   []string `json:"states"`
	Solved   string   `json:"solved,omitempty"`
	Total    int64    `json:"solved_states,omitempty"`
	Layers   []int64  `json:"solved_layers,omitempty"`
	Run      string   `json:"run"`
}

// HardestCommand returns `everystate hardest`.
func HardestCommand(env *shell.Env) *cobra.Command {
	var f hardest
	cmd := &cobra.Command{
		Use:   "hardest RUN",
		Short: "Draw the states farthest from their nearest goal",
		Long: `Hardest draws the states farthest from their nearest goal, ordered by their
texts. It first computes goal distances if the run has none yet; like any
exploration, that can be stopped and resumed.

With --solved it takes only states in which some pieces of a permutation puzzle are
as in a goal, and counts them by distance; the greatest distance is God's number of
the phase that begins with these pieces solved. Pieces are named as in the header
"only".`,
		Example: `  everystate hardest jam-93
  everystate hardest runs/large-8x8 -n 20
  everystate hardest pocket --solved "CORNERS 2 4 7"
  everystate trace jam-93 --hardest --to-goal`,
		Args:              shell.Exactly(1, "RUN"),
		ValidArgsFunction: runs.CompleteName,
		RunE:              func(cmd *cobra.Command, args []string) error { return runHardest(env, cmd, &f, args[0]) },
	}
	shell.CountVarP(cmd.Flags(), &f.n, "number", "n", 4, "draw at most `K`")
	cmd.Flags().StringVar(&f.solved, "solved", "", "only states in which these `PIECES` are solved: sets, or sets and places of them, as in \"EDGES 1 2, CORNERS\"")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	f.Flags(cmd.Flags())
	return cmd
}

func runHardest(env *shell.Env, cmd *cobra.Command, f *hardest, arg string) (err error) {
	if f.n < 1 {
		return exit.Usagef(cmd, "-n %d: must be 1 or more", f.n)
	}
	opts, err := f.Options(cmd, 0)
	if err != nil {
		return err
	}
	r, err := runs.OpenWithDistances(cmd.Context(), env, arg, opts, &f.Effort)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, r.Close()) }()
	found, err := f.find(cmd, env, r)
	switch fault := (*puzzle.InputError)(nil); {
	case errors.As(err, &fault):
		return exit.Usagef(cmd, "--solved %q: %s", f.solved, fault.What)
	case errors.Is(err, query.ErrNoGoal):
		return exit.Errorf(exit.NotFound, "%s: no goal can be reached", runs.NameOf(r))
	case err != nil:
		return runs.Explain(env, r.Dir(), err)
	}
	if f.json {
		return env.JSON(hardestJSON{
			Name: r.Board().Name, Metric: r.Board().Metric, Distance: found.Distance, Count: found.Count, Stand: found.Represented,
			States: runs.Texts(r, found.Hardest.States), Solved: f.solved, Total: found.States, Layers: found.Distances, Run: r.Dir(),
		})
	}
	printHardest(env, r, f.solved, found)
	return nil
}

// find returns the hardest states: of all, or of those in which pieces are solved.
func (f *hardest) find(cmd *cobra.Command, env *shell.Env, r runs.View) (query.Phase, error) {
	if cmd.Flags().Changed("solved") {
		view := &display.Steps{Phase: "solved", Title: "states with " + f.solved + " solved", Run: r.Dir(), Paint: env.ErrTerm.Paint()}
		defer env.Show(f.Quiet, view).Stop()
		return query.PhaseFrom(cmd.Context(), r.Space(), f.solved, f.n, view.Tell)
	}
	found, err := r.Space().Hardest(cmd.Context(), f.n)
	return query.Phase{Hardest: found}, err
}

func printHardest(env *shell.Env, r runs.View, solved string, found query.Phase) {
	if found.Distances != nil {
		fmt.Fprintf(env.Out, "%s: %s with %s solved\n\n", runs.NameOf(r), quantity.Counted(found.States, "state"), solved)
		summary.GoalDistances(env.Out, found.Distances, env.Paint)
		fmt.Fprintln(env.Out)
	}
	what, verb := "states", "are"
	if found.Count == 1 {
		what, verb = "state", "is"
	}
	if found.Represented > 0 {
		what += fmt.Sprintf(" up to symmetry (%s in all)", quantity.Count(found.Represented))
	}
	fmt.Fprintf(env.Out, "%s: %s to the nearest goal; %s %s %s that far\n\n",
		runs.NameOf(r), quantity.Counted(int64(found.Distance), "move"), quantity.Count(found.Count), what, verb)
	pen := runs.Painter(env, r)
	var pics []picture.Picture
	for _, text := range runs.Drawings(r, found.Hardest.States) {
		pics = append(pics, pen.Draw(text))
	}
	fmt.Fprintln(env.Out, strings.Join(picture.Beside(pics, env.OutTerm.Width()), "\n"))
	if left := found.Count - int64(len(pics)); left > 0 {
		fmt.Fprintf(env.Out, "\nand %s more (-n)\n", quantity.Count(left))
	}
	next := []string{"trace", r.Dir(), "--hardest", "--to-goal"}
	if found.Distances != nil {
		next = []string{"trace", r.Dir(), runs.Texts(r, found.Hardest.States[:1])[0], "--to-goal"}
	}
	fmt.Fprintf(env.Out, "\nnext  %s\n", env.Command(next...))
}
