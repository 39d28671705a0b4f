package sweep

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/sweep/records"
)

// dbExport holds the flags of the command.
type dbExport struct {
	selection
	format, out string
}

func dbExportCommand(env *shell.Env) *cobra.Command {
	var f dbExport
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write records as text, a table or a puzzle pack",
		Long: `Export writes the records that lie in the ranges given, all by default, the hardest
first. The formats:

  text      the reference's lines: distance, board, size of the cluster, and how
            many states there are at each distance; of Rush Hour
  database  the lines of the published database: moves, board, size; of Rush Hour
  boards    boards with headers, which everystate explore takes
  csv       a table, with a line of names
  jsonl     a JSON object a line
  parquet   a table for large databases
  pack      one JSON document with puzzles, solutions and their difficulty, for
            apps and books; each cluster is explored again (docs/JSON.md); not
            of Sokoban`,
		Example: `  everystate db export rushhour-5x5 -o puzzles.txt
  everystate db export rushhour-5x5 --format database --distance 10..
  everystate db export rushhour-5x5 --distance 15.. --format pack -o hard.json
  everystate db export rushhour-5x5 -o puzzles.parquet`,
		Args: shell.Exactly(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return runDBExport(env, cmd, &f, args[0]) },
	}
	f.flags(cmd.Flags())
	f.orderFlag(cmd.Flags())
	cmd.Flags().IntVarP(&f.n, "number", "n", 0, "write `K` at the most")
	cmd.Flags().StringVar(&f.format, "format", "", "`FORMAT` "+strings.Join(records.Formats(), ", ")+" (default what the name of FILE ends in, json being pack, else text, or csv if it is not of Rush Hour)")
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write to `FILE`, which appears when it is whole (default standard output)")
	return cmd
}

func runDBExport(env *shell.Env, cmd *cobra.Command, f *dbExport, arg string) error {
	order, err := f.order(cmd)
	if err != nil {
		return err
	}
	if f.format == "" {
		switch ending := strings.TrimPrefix(filepath.Ext(f.out), "."); {
		case ending == "json":
			f.format = "pack"
		case slices.Contains([]string{"csv", "jsonl", "parquet"}, ending):
			f.format = ending
		}
	}
	toOutput := f.out == "" || f.out == "-"
	switch {
	case f.format != "" && !slices.Contains(records.Formats(), f.format):
		return exit.Usagef(cmd, "--format: there is no format %q: there are %s", f.format, strings.Join(records.Formats(), ", "))
	case f.n < 1 && cmd.Flags().Changed("number"):
		return exit.Usagef(cmd, "-n %d: must be 1 or more", f.n)
	case f.format == "parquet" && toOutput && env.OutTerm.Is():
		return exit.Usagef(cmd, "parquet is nothing for a terminal: name a file with -o FILE")
	}
	return withDatabase(arg, &f.selection, func(d *opened) error {
		src := &records.Source{Database: d.Database, Kind: d.kind, Name: filepath.Base(d.dir), Boards: d.boards, Version: env.Build.String()}
		format := cmp.Or(f.format, records.DefaultFormat(d.boards))
		if err := records.Check(format, src); err != nil {
			return exit.Errorf(exit.Usage, "%v", err)
		}
		if err := f.oneBoard(d, format); err != nil {
			return err
		}
		to := func(o *shell.Output) error {
			w, err := records.NewWriter(format, src, o)
			if err != nil {
				return err
			}
			n := 0
			for r, err := range d.Select(f.filter(), order) {
				if err = cmp.Or(err, cmd.Context().Err()); err == nil {
					err = w.Write(cmd.Context(), r)
				}
				if err != nil {
					return cmp.Or(o.Flush(), err)
				}
				if n++; n == f.n {
					break
				}
			}
			err = w.Close()
			return cmp.Or(o.Flush(), err)
		}
		if toOutput {
			return to(env.Out)
		}
		return shell.WriteWhole(f.out, to)
	})
}

// oneBoard refuses to write boards one after the other where a file holds one.
func (f *dbExport) oneBoard(d *opened, format string) error {
	if format != "boards" || !d.boards.One || f.n == 1 {
		return nil
	}
	n, err := d.Count(f.filter())
	if err == nil && n > 1 {
		err = exit.Errorf(exit.Usage, "these are %d boards, and a file of %s holds one: ask for one with -n 1, or for csv, jsonl or parquet", n, d.boards.Family)
	}
	return err
}
