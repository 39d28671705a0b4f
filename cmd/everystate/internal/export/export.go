// Package export implements the command that writes the states of a run as a
// table.
//
// It must never define formats, which internal/export does.
package export

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/export"
	"github.com/everystate/everystate/internal/terminal/display"
)

// exportFlags holds the flags of the command.
type exportFlags struct {
	format, out string
	text, edges bool
	quiet       bool
}

// Command returns `everystate export`.
func Command(env *shell.Env) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Export all states as a table or a graph",
		Long: `Export streams one row per state: the state (its rows joined by " / "), its depth, its
predecessor, the move from there, and its goal distance. Predecessor and move are
empty for a start, and the predecessor wherever a state and its move do not determine
it (Murphi, PuzzleScript); the goal distance is empty if no goal can be reached or the
run has no goal distances. In JSON Lines they are null.

Parquet is for large spaces: a row has the depth, the goal distance, the state's key
as a number, the move that leads to it, whether it is a goal, and its partition; with
--text also the state and its predecessor, as in CSV (docs/FORMAT.md#parquet).

With --edges, export streams one row per transition instead: the state, the move and
the successor. dot (Graphviz), graphml (Gephi, NetworkX, igraph) and aut (Aldebaran,
for CADP and mCRL2) are graphs and always have transitions; if the run is not
complete, those of the states expanded so far.

Rows are ordered by depth, in the same order in every format and on every call.`,
		Example: `  everystate export jam-93 --format csv -o jam-93.csv
  everystate export jam-93 --format jsonl | jq -r 'select(.goal_distance == 0).state'
  everystate export jam-93 -o jam-93.parquet --text
  everystate export jam-93 --edges -o moves.parquet
  everystate export small-5x5 -o small-5x5.graphml`,
		Args:              shell.Exactly(1, "RUN"),
		ValidArgsFunction: runs.CompleteName,
		RunE:              func(cmd *cobra.Command, args []string) error { return runExport(env, cmd, &f, args[0]) },
	}
	shell.FormatFlag(cmd, &f.format, "", export.Formats()...)
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write to `FILE`, which appears once complete (default: standard output)")
	cmd.Flags().BoolVar(&f.edges, "edges", false, "one row per transition instead of one per state")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "do not show progress")
	cmd.Flags().BoolVar(&f.text, "text", false, "parquet: add columns with the texts of the state and its predecessor")
	return cmd
}

func runExport(env *shell.Env, cmd *cobra.Command, f *exportFlags, arg string) error {
	var err error
	if f.format, err = shell.FormatOf(cmd, f.format, f.out, export.Formats()...); err != nil {
		return err
	}
	switch {
	case f.text && f.edges:
		return exit.Usagef(cmd, "--text works only for states: with --edges, choose csv or jsonl for texts")
	case f.text && f.format != "parquet":
		return exit.Usagef(cmd, "--text works only with parquet: %s always has texts", f.format)
	case f.format == "parquet" && f.toOutput() && env.OutTerm.Is():
		return exit.Usagef(cmd, "Parquet is binary: name a file with -o FILE")
	}
	return runs.Ask(cmd.Context(), env, arg, func(r runs.View) error {
		view := &display.Verification{
			Run: r.Dir(), Paint: env.ErrTerm.Paint(), Doing: display.Exporting, States: r.History().States(history.Forward),
		}
		to := func(o *shell.Output) error {
			// Rows on the same terminal and what is shown of them do not go together.
			shown := env.Show(f.quiet || f.toOutput(), view)
			defer shown.Stop()
			err := export.Write(cmd.Context(), r, export.Options{
				Format: f.format, Edges: f.edges, Text: f.text, Scratch: f.scratch(), Version: env.Build.String(), Written: view.Done.Store,
			}, o)
			if unsuited := new(export.UnsuitedError); errors.As(err, &unsuited) {
				err = exit.Errorf(exit.Usage, "%v", err)
			}
			return cmp.Or(o.Flush(), err) // both return an error of the output
		}
		var err error
		if f.toOutput() {
			err = to(env.Out)
		} else {
			err = shell.WriteWhole(f.out, to)
		}
		if err == nil && !r.Space().Complete() {
			err = exit.Errorf(exit.Incomplete, "%s is not complete; these are the states so far: %s", r.Dir(), runs.More(env, r))
		}
		return err
	})
}

// toOutput reports whether the rows go to standard output.
func (f *exportFlags) toOutput() bool { return f.out == "" || f.out == "-" }

// scratch returns the directory for temporary files, on the disk to which the rows
// are written.
func (f *exportFlags) scratch() string {
	if f.toOutput() {
		return ""
	}
	if info, err := os.Stat(f.out); err == nil && !info.Mode().IsRegular() {
		return "" // a pipe or a device
	}
	return filepath.Dir(f.out)
}
