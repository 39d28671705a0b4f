package sweep

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/sweep/blocks"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

const sweepBlocksHelp = `Sweep blocks enumerates all placements of the pieces of a sliding block board in its
box. Boards that can be reached from one another form a cluster; in each cluster with
a goal state it finds the hardest board, the one that takes the most moves.

The goal and the metric are those of BOARD; the positions of its pieces do not
matter.`

const sweepBlocksExample = `  everystate sweep blocks puzzles/blocks/hengdaolima.txt
  everystate sweep blocks puzzles/blocks/hengdaolima.txt --metric move --top 3`

// sweepBlocks holds the flags of the command.
type sweepBlocks struct {
	sweepPlace
	metric      string
	minDistance int
}

func sweepBlocksCommand(env *shell.Env) *cobra.Command {
	var f sweepBlocks
	cmd := &cobra.Command{
		Use:     "blocks BOARD",
		Short:   "Enumerate all placements of the pieces of a sliding block board",
		Long:    sweepBlocksHelp,
		Example: sweepBlocksExample,
		Args:    shell.Exactly(1, "BOARD"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runSweepBlocks(env, cmd, &f, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.metric, "metric", "", "what counts as one move, a `METRIC`: step, slide or move (default: the board's, or step)")
	shell.Choices(flags, "metric", "step", "slide", "move")
	shell.IntVar(flags, &f.minDistance, "min-distance", 0, "keep only puzzles of `D` moves or more")
	f.flags(flags)
	return cmd
}

func runSweepBlocks(env *shell.Env, cmd *cobra.Command, f *sweepBlocks, arg string) error {
	if err := boards.KnownMetric(cmd, f.metric, ""); err != nil {
		return err
	}
	if err := cmp.Or(checkMinDistance(cmd, f.minDistance), f.check(cmd)); err != nil {
		return err
	}
	in, found, err := boards.ReadArgument(env, arg, readBlocks, puzzle.ReadOptions{Metric: f.metric})
	if err != nil {
		return exit.Refused(boards.Placed(in.Label, err))
	}
	rules := blocks.Rules{Board: found[0].Text, MinDistance: f.minDistance}
	e, err := blocks.New(rules)
	if err != nil {
		return exit.Usagef(cmd, "%s: %s", in.Label, shell.OneLine(err))
	}
	return beginSweep(env, cmd, &f.sweepPlace, e, f.name(in.Base, &rules, found[0].Metric))
}

// readBlocks is blocks.Read that names the puzzle of a board that is another.
func readBlocks(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	found, err := blocks.Read(text, opts)
	if err == nil {
		return found, nil
	}
	if other, e := families.Read(text, puzzle.ReadOptions{}); e == nil && other[0].Family != blocks.Family {
		return nil, fmt.Errorf("a board of %s: must be one of sliding blocks (%s); see `everystate sweep --help` for other puzzles", other[0].Family, blocks.Family)
	}
	return nil, err
}

// name returns the default name of a sweep.
func (f *sweepBlocks) name(base string, r *blocks.Rules, metric string) string {
	if base == "" {
		base = "board"
	}
	parts := []string{"blocks", base, metric}
	if r.MinDistance > 0 {
		parts = append(parts, fmt.Sprintf("from-%d", r.MinDistance))
	}
	return boards.FileName(strings.Join(parts, "-"))
}
