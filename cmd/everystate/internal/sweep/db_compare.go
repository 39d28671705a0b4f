package sweep

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/reference"
	"github.com/everystate/everystate/internal/terminal/table"
)

const dbCompareHelp = `Compare compares the records of a Rush Hour sweep with a text file of puzzles, such
as the published 6x6 database: one line per puzzle with the moves, the board and the
number of states of its cluster. It counts the puzzles that are equal, that have
different moves or states, that are only in the file (missing) and that are only in the
sweep (extra), and prints the first of those that are not equal, with their lines.
--by-distance also counts them for each number of moves. With ranges, it compares the
puzzles that lie in them on either side. Lines that begin with a semicolon are comments.

It exits with 0 if the two agree, and with 1 if not.`

// dbCompare holds the flags of the command.
type dbCompare struct {
	selection
	json, byDistance bool
}

func dbCompareCommand(env *shell.Env) *cobra.Command {
	var f dbCompare
	cmd := &cobra.Command{
		Use:   "compare DIR FILE",
		Short: "Compare the records with a text file of puzzles",
		Long:  dbCompareHelp,
		Example: `  everystate db compare rushhour-6x6 rush.txt --walls 0
  everystate db compare rushhour-6x6 rush.txt --distance 30.. -n 100 --json`,
		Args: shell.Exactly(2, "DIR and FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return runDBCompare(env, cmd, &f, args[0], args[1]) },
	}
	f.flags(cmd.Flags())
	shell.CountVarP(cmd.Flags(), &f.n, "number", "n", 10, "print at most `K` differences")
	cmd.Flags().BoolVar(&f.byDistance, "by-distance", false, "also count the puzzles for each number of moves")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

func runDBCompare(env *shell.Env, cmd *cobra.Command, f *dbCompare, arg, file string) error {
	if f.n < 0 {
		return exit.Usagef(cmd, "-n %d: must be 0 or more", f.n)
	}
	in, err := os.Open(file)
	if err != nil {
		return exit.Errorf(exit.Usage, "%s: %v", file, pathless(err))
	}
	defer in.Close() //nolint:errcheck // it was read only
	return withDatabase(env, arg, &f.selection, func(d *openDB) error {
		if !d.kind.HasWalls {
			return exit.Errorf(exit.Usage, "%s: files of puzzles are of Rush Hour, and this is a sweep of %s", arg, d.kind.Name)
		}
		filter := f.filter()
		c, err := reference.Compare(untilDone(cmd.Context(), d.Select(database.Everything(), database.ByDistance)), in, filter.Wants, f.n)
		if err != nil {
			return cmp.Or(cmd.Context().Err(), exit.Errorf(exit.Usage, "%s: %v", file, err))
		}
		if f.json {
			err = env.JSON(c)
		} else {
			writeComparison(env, c, f.byDistance)
		}
		if err != nil || c.Same() {
			return err
		}
		return exit.Reported(exit.Failed)
	})
}

// untilDone ends a sequence when ctx is cancelled.
func untilDone(ctx context.Context, records iter.Seq2[*sweep.Record, error]) iter.Seq2[*sweep.Record, error] {
	return func(yield func(*sweep.Record, error) bool) {
		for r, err := range records {
			if err = cmp.Or(err, ctx.Err()); !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func writeComparison(env *shell.Env, c *reference.Comparison, byDistance bool) {
	for _, n := range []struct {
		label string
		count uint64
		note  string
	}{
		{"equal", c.Equal, ""},
		{"different", c.Different, "other moves or states"},
		{"missing", c.Missing, "in the file only"},
		{"extra", c.Extra, "not in the file"},
	} {
		line := fmt.Sprintf("%s  %12s", env.Paint.Faint(fmt.Sprintf("%-9s", n.label)), quantity.Count(int64(n.count)))
		if n.note != "" {
			line += "  " + env.Paint.Faint(n.note)
		}
		fmt.Fprintln(env.Out, line)
	}
	if byDistance {
		writeByDistance(env, c)
	}
	for _, d := range c.Differences {
		switch {
		case d.File == nil:
			fmt.Fprintf(env.Out, "extra      %v\n", d.Here)
		case d.Here == nil:
			fmt.Fprintf(env.Out, "missing    line %d: %v\n", d.Line, d.File)
		default:
			fmt.Fprintf(env.Out, "different  line %d: %v, here %v\n", d.Line, d.File, d.Here)
		}
	}
}

// writeByDistance writes a table of the numbers of moves.
func writeByDistance(env *shell.Env, c *reference.Comparison) {
	fmt.Fprintln(env.Out)
	t := table.Table{Columns: []table.Column{{Title: "moves"}, {Title: "equal"}, {Title: "different"}, {Title: "missing"}, {Title: "extra"}}}
	count := func(n uint64) string { return quantity.Count(int64(n)) }
	for distance, n := range c.ByDistance {
		if n != (reference.Counts{}) {
			t.Add(strconv.Itoa(distance), count(n.Equal), count(n.Different), count(n.Missing), count(n.Extra))
		}
	}
	t.Write(env.Out, env.Paint)
	if len(c.Differences) > 0 {
		fmt.Fprintln(env.Out)
	}
}
