package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/picture"
	"github.com/everystate/everystate/cmd/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/query"
)

// hardest holds the flags of the command.
type hardest struct {
	effort
	n    int
	json bool
}

// hardestJSON is described in docs/JSON.md.
type hardestJSON struct {
	Name     string   `json:"name"`
	Metric   string   `json:"metric"`
	Distance int      `json:"distance"`
	Count    int64    `json:"count"`
	States   []string `json:"states"`
	Run      string   `json:"run"`
}

func hardestCommand(env *app) *cobra.Command {
	var f hardest
	cmd := &cobra.Command{
		Use:   "hardest RUN",
		Short: "Draw the states that are farthest from their nearest goal",
		Long: `Hardest draws the states that are farthest from their nearest goal, in the order
of their texts. If the run does not know goal distances yet, it computes them
first, which can be stopped and gone on with like any exploration.`,
		Example: `  everystate hardest jam-93
  everystate hardest runs/large-8x8 -n 20
  everystate trace jam-93 --hardest --to-goal`,
		Args:              exactly(1, "RUN"),
		ValidArgsFunction: completeRun,
		RunE:              func(cmd *cobra.Command, args []string) error { return runHardest(env, cmd, &f, args[0]) },
	}
	cmd.Flags().IntVarP(&f.n, "number", "n", 4, "draw `K` at the most")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	f.flags(cmd.Flags())
	return cmd
}

func runHardest(env *app, cmd *cobra.Command, f *hardest, arg string) (err error) {
	if f.n < 1 {
		return usagef(cmd, "-n %d: must be 1 or more", f.n)
	}
	opts, err := f.options(cmd, 0)
	if err != nil {
		return err
	}
	r, err := openWithDistances(cmd.Context(), env, arg, opts, &f.effort)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, r.Close()) }()
	found, err := r.Space().Hardest(cmd.Context(), f.n)
	if errors.Is(err, query.ErrNoGoal) {
		return failf(exitNotFound, "%s: no goal can be reached", nameOf(r))
	}
	if err != nil {
		return explain(env, r.Dir(), err)
	}
	if f.json {
		return env.json(hardestJSON{
			Name: r.Board().Name, Metric: r.Board().Metric, Distance: found.Distance, Count: found.Count,
			States: texts(r, found.States), Run: r.Dir(),
		})
	}
	printHardest(env, r, found)
	return nil
}

func printHardest(env *app, r runView, found query.Hardest) {
	verb := "states are"
	if found.Count == 1 {
		verb = "state is"
	}
	fmt.Fprintf(env.out, "%s: %s to the nearest goal; %s %s that far\n\n",
		nameOf(r), quantity.Counted(int64(found.Distance), "move"), quantity.Count(found.Count), verb)
	pen := painter(env, r)
	var pics []picture.Picture
	for _, text := range drawings(r, found.States) {
		pics = append(pics, pen.Draw(text))
	}
	fmt.Fprintln(env.out, strings.Join(picture.Beside(pics, env.outTerm.width()), "\n"))
	if left := found.Count - int64(len(pics)); left > 0 {
		fmt.Fprintf(env.out, "\nand %s more (-n)\n", quantity.Count(left))
	}
	fmt.Fprintf(env.out, "\nnext  %s\n", env.command("trace", r.Dir(), "--hardest", "--to-goal"))
}

// drawings draws states for people, with the names that moves use.
func drawings(r runView, keys [][]uint64) []string {
	list := make([]string, 0, len(keys))
	for _, key := range keys {
		list = append(list, r.Board().Puzzle.Draw(key))
	}
	return list
}

// texts formats states.
func texts(r runView, keys [][]uint64) []string {
	list := make([]string, 0, len(keys))
	for _, key := range keys {
		list = append(list, r.Board().Puzzle.Format(key))
	}
	return list
}
