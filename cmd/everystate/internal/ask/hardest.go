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
	"github.com/everystate/everystate/internal/terminal/picture"
)

// hardest holds the flags of the command.
type hardest struct {
	runs.Effort
	n    int
	json bool
}

// hardestJSON is described in docs/JSON.md.
type hardestJSON struct {
	Name     string   `json:"name"`
	Metric   string   `json:"metric"`
	Distance int      `json:"distance"`
	Count    int64    `json:"count"`
	Stand    int64    `json:"represented_states,omitempty"`
	States   []string `json:"states"`
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
exploration, that can be stopped and resumed.`,
		Example: `  everystate hardest jam-93
  everystate hardest runs/large-8x8 -n 20
  everystate trace jam-93 --hardest --to-goal`,
		Args:              shell.Exactly(1, "RUN"),
		ValidArgsFunction: runs.CompleteName,
		RunE:              func(cmd *cobra.Command, args []string) error { return runHardest(env, cmd, &f, args[0]) },
	}
	cmd.Flags().IntVarP(&f.n, "number", "n", 4, "draw at most `K`")
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
	found, err := r.Space().Hardest(cmd.Context(), f.n)
	if errors.Is(err, query.ErrNoGoal) {
		return exit.Errorf(exit.NotFound, "%s: no goal can be reached", runs.NameOf(r))
	}
	if err != nil {
		return runs.Explain(env, r.Dir(), err)
	}
	if f.json {
		return env.JSON(hardestJSON{
			Name: r.Board().Name, Metric: r.Board().Metric, Distance: found.Distance, Count: found.Count, Stand: found.Represented,
			States: runs.Texts(r, found.States), Run: r.Dir(),
		})
	}
	printHardest(env, r, found)
	return nil
}

func printHardest(env *shell.Env, r runs.View, found query.Hardest) {
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
	for _, text := range runs.Drawings(r, found.States) {
		pics = append(pics, pen.Draw(text))
	}
	fmt.Fprintln(env.Out, strings.Join(picture.Beside(pics, env.OutTerm.Width()), "\n"))
	if left := found.Count - int64(len(pics)); left > 0 {
		fmt.Fprintf(env.Out, "\nand %s more (-n)\n", quantity.Count(left))
	}
	fmt.Fprintf(env.Out, "\nnext  %s\n", env.Command("trace", r.Dir(), "--hardest", "--to-goal"))
}
