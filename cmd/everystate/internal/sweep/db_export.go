package sweep

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/records"
)

// dbExport holds the flags of the command.
type dbExport struct {
	selection
	format, out string
	quiet       bool
}

func dbExportCommand(env *shell.Env) *cobra.Command {
	var f dbExport
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Export records as text, a table or a puzzle pack",
		Long: `Export writes the records in the given ranges, by default all, the hardest first. The
formats:

  text      lines as in the reference: distance, board, cluster size, and the
            number of states at each distance; only for Rush Hour
  database  the lines of the published database: moves, board, size; only for
            Rush Hour
  boards    boards with headers, as input for explore
  csv       a table with a header line
  jsonl     one JSON object per line
  parquet   a table for large databases
  pack      one JSON document with puzzles, solutions and their difficulty, for
            apps and books (docs/JSON.md); explores each cluster again; not for
            Sokoban`,
		Example: `  everystate db export rushhour-5x5 -o puzzles.txt
  everystate db export rushhour-5x5 --format database --distance 10..
  everystate db export rushhour-5x5 --distance 15.. --format pack -o hard.json
  everystate db export rushhour-5x5 -o puzzles.parquet`,
		Args: shell.Exactly(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return runDBExport(env, cmd, &f, args[0]) },
	}
	f.flags(cmd.Flags())
	f.gradeFlag(cmd.Flags())
	f.orderFlag(cmd.Flags())
	shell.CountVarP(cmd.Flags(), &f.n, "number", "n", 0, "write at most `K`")
	shell.FormatFlag(cmd, &f.format, "by the extension of FILE, json meaning pack; or text for Rush Hour and csv otherwise", records.Formats()...)
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write to `FILE`, which appears once complete (default: standard output)")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "do not show progress")
	return cmd
}

func runDBExport(env *shell.Env, cmd *cobra.Command, f *dbExport, arg string) error {
	if f.format == "" {
		switch ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(f.out), ".")); {
		case slices.Contains(dbDrawFormats, ending):
			return exit.Usagef(cmd, "-o %s: export writes records: `everystate db draw` draws them", f.out)
		case ending == "json":
			f.format = "pack"
		case slices.Contains([]string{"csv", "jsonl", "parquet"}, ending):
			f.format = ending
		}
	}
	toOutput := f.out == "" || f.out == "-"
	switch {
	case f.n < 1 && cmd.Flags().Changed("number"):
		return exit.Usagef(cmd, "-n %d: must be 1 or more", f.n)
	case f.format == "parquet" && toOutput && env.OutTerm.Is():
		return exit.Usagef(cmd, "Parquet is binary: name a file with -o FILE")
	}
	return withDatabase(env, arg, &f.selection, func(d *openDB) error {
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
			hidden := f.quiet || toOutput && env.OutTerm.Is() // the records are there to see
			_, err = d.each(cmd.Context(), env, hidden, d.steps(env, "export", "exporting "), &f.selection, func(r *sweep.Record) error { return w.Write(cmd.Context(), r) })
			if err == nil {
				err = w.Close()
			}
			return cmp.Or(o.Flush(), err)
		}
		if toOutput {
			return to(env.Out)
		}
		return shell.WriteWhole(f.out, to)
	})
}

// oneBoard refuses to write several boards in a format whose files hold one.
func (f *dbExport) oneBoard(d *openDB, format string) error {
	if format != "boards" || !d.boards.One || f.n == 1 {
		return nil
	}
	n, err := d.Count(f.filter())
	if err == nil && n > 1 {
		err = exit.Errorf(exit.Usage, "there are %d boards, and a file of %s holds one: add -n 1, or choose csv, jsonl or parquet", n, d.boards.Family)
	}
	return err
}
