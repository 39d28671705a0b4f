package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/spf13/cobra"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/pack"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// dbExport holds the flags of the command.
type dbExport struct {
	selection
	format, out string
}

// recordWriter writes records, one after the other, and then an end.
type recordWriter interface {
	write(ctx context.Context, r *sweep.Record) error
	close() error
}

// dbFormats are the values of --format and what writes them.
var dbFormats = []struct {
	name string
	make func(d *opened, o *output) (recordWriter, error)
}{
	{"text", rushHourLines("text", referenceLine)},
	{"database", rushHourLines("database", databaseLine)},
	{"boards", newBoardsWriter},
	{"csv", func(_ *opened, o *output) (recordWriter, error) {
		_, err := o.Write([]byte("distance,board,states,goals,vehicles,walls,minimal,states_by_distance\n"))
		return lineWriter{o, csvLine}, err
	}},
	{"jsonl", func(_ *opened, o *output) (recordWriter, error) { return lineWriter{o, jsonLine}, nil }},
	{"parquet", newRecordParquet},
	{"pack", newPackWriter},
}

// rushHourLines makes a writer of lines that only Rush Hour has.
func rushHourLines(format string, line func(r *sweep.Record) ([]byte, error)) func(d *opened, o *output) (recordWriter, error) {
	return func(d *opened, o *output) (recordWriter, error) {
		if d.boards.Family != rushhour.Family {
			return nil, failf(exitUsage, "--format %s is of Rush Hour: a sweep of %s has %s", format, d.boards.Family, formatsOf(d))
		}
		return lineWriter{o, line}, nil
	}
}

// formatsOf lists the formats of other puzzles than Rush Hour.
func formatsOf(d *opened) string {
	if d.boards.Reversible {
		return "boards, csv, jsonl, parquet and pack"
	}
	return "boards, csv, jsonl and parquet"
}

func dbFormatNames() []string {
	var names []string
	for _, f := range dbFormats {
		names = append(names, f.name)
	}
	return names
}

func dbExportCommand(env *app) *cobra.Command {
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
		Args: exactly(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return runDBExport(env, cmd, &f, args[0]) },
	}
	f.flags(cmd.Flags())
	f.orderFlag(cmd.Flags())
	cmd.Flags().IntVarP(&f.n, "number", "n", 0, "write `K` at the most")
	cmd.Flags().StringVar(&f.format, "format", "", "`FORMAT` "+strings.Join(dbFormatNames(), ", ")+" (default what the name of FILE ends in, json being pack, else text, or csv if it is not of Rush Hour)")
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write to `FILE`, which appears when it is whole (default standard output)")
	return cmd
}

func runDBExport(env *app, cmd *cobra.Command, f *dbExport, arg string) error {
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
	at := slices.Index(dbFormatNames(), f.format)
	toOutput := f.out == "" || f.out == "-"
	switch {
	case at < 0 && f.format != "":
		return usagef(cmd, "--format: there is no format %q: there are %s", f.format, strings.Join(dbFormatNames(), ", "))
	case f.n < 1 && cmd.Flags().Changed("number"):
		return usagef(cmd, "-n %d: must be 1 or more", f.n)
	case f.format == "parquet" && toOutput && env.outTerm.is():
		return usagef(cmd, "parquet is nothing for a terminal: name a file with -o FILE")
	}
	return withDatabase(arg, func(d *opened) error {
		if at < 0 {
			usual := "text"
			if d.boards.Family != rushhour.Family {
				usual = "csv"
			}
			at = slices.Index(dbFormatNames(), usual)
		}
		if err := f.oneBoard(d, dbFormats[at].name); err != nil {
			return err
		}
		to := func(o *output) error {
			w, err := dbFormats[at].make(d, o)
			if err != nil {
				return err
			}
			n := 0
			for r, err := range d.Select(f.filter(), order) {
				if err = cmp.Or(err, cmd.Context().Err()); err == nil {
					err = w.write(cmd.Context(), r)
				}
				if err != nil {
					return cmp.Or(o.flush(), err)
				}
				if n++; n == f.n {
					break
				}
			}
			err = w.close()
			return cmp.Or(o.flush(), err)
		}
		if toOutput {
			return to(env.out)
		}
		return writeWhole(f.out, to)
	})
}

// oneBoard refuses to write boards one after the other where a file holds one.
func (f *dbExport) oneBoard(d *opened, format string) error {
	if format != "boards" || !d.boards.One || f.n == 1 {
		return nil
	}
	n, err := d.Count(f.filter())
	if err == nil && n > 1 {
		err = failf(exitUsage, "these are %d boards, and a file of %s holds one: ask for one with -n 1, or for csv, jsonl or parquet", n, d.boards.Family)
	}
	return err
}

// lineWriter writes a line a record.
type lineWriter struct {
	o    *output
	line func(r *sweep.Record) ([]byte, error)
}

func (w lineWriter) write(_ context.Context, r *sweep.Record) error {
	line, err := w.line(r)
	if err == nil {
		_, err = w.o.Write(append(line, '\n'))
	}
	return err
}

func (w lineWriter) close() error { return nil }

// counted joins counts with a separator.
func counted(layers []uint64, separator string) string {
	var text []string
	for _, n := range layers {
		text = append(text, strconv.FormatUint(n, 10))
	}
	return strings.Join(text, separator)
}

// referenceLine is a line of the reference's enumerator, whose empty cells are dots.
func referenceLine(r *sweep.Record) ([]byte, error) {
	return fmt.Appendf(nil, "%02d %s %d %s", r.Distance(), strings.ReplaceAll(r.Board, "o", "."), r.States(), counted(r.Layers, ",")), nil
}

// databaseLine is a line of the published database.
func databaseLine(r *sweep.Record) ([]byte, error) {
	return fmt.Appendf(nil, "%02d %s %d", r.Distance(), r.Board, r.States()), nil
}

func csvLine(r *sweep.Record) ([]byte, error) {
	return fmt.Appendf(nil, "%d,%s,%d,%d,%d,%d,%t,%s", r.Distance(), r.Board, r.States(), r.Goals(), r.Vehicles, r.Walls, r.Minimal, counted(r.Layers, " ")), nil
}

func jsonLine(r *sweep.Record) ([]byte, error) { return json.Marshal(recordOf(r)) }

// boardsWriter writes boards with headers.
type boardsWriter struct {
	d *opened
	o *output
	n int
}

func newBoardsWriter(d *opened, o *output) (recordWriter, error) {
	_, err := o.Write(d.boards.Headers())
	return &boardsWriter{d: d, o: o}, err
}

func (w *boardsWriter) write(_ context.Context, r *sweep.Record) error {
	w.n++
	text := fmt.Appendf(nil, "name: %d of %s\n", w.n, filepath.Base(w.d.dir))
	if !w.d.boards.One {
		text = append([]byte("\n"), text...)
	}
	_, err := w.o.Write(append(text, w.d.boards.Body(r)...))
	return err
}

func (w *boardsWriter) close() error { return nil }

// recordRow is a row of a table. docs/FORMAT.md describes it.
type recordRow struct {
	Distance int32  `parquet:"distance,dict"`
	Board    string `parquet:"board"`
	States   int64  `parquet:"states,delta"`
	Goals    int64  `parquet:"goals"`
	Vehicles int32  `parquet:"vehicles,dict"`
	Walls    int32  `parquet:"walls,dict"`
	Minimal  bool   `parquet:"minimal"`
	Layers   string `parquet:"states_by_distance"`
}

// recordParquet writes rows some at a time.
type recordParquet struct {
	w    *parquet.GenericWriter[recordRow]
	rows []recordRow
}

func newRecordParquet(d *opened, o *output) (recordWriter, error) {
	totals := d.Totals()
	return &recordParquet{w: parquet.NewGenericWriter[recordRow](o,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.CreatedBy("everystate", version(), ""),
		parquet.MaxRowsPerRowGroup(parquetGroupRows),
		parquet.KeyValueMetadata("everystate.rules", d.Rules()),
		parquet.KeyValueMetadata("everystate.digest", totals.Digest.String()),
		parquet.KeyValueMetadata("everystate.version", version()),
	)}, nil
}

func (w *recordParquet) write(_ context.Context, r *sweep.Record) error {
	w.rows = append(w.rows, recordRow{
		int32(r.Distance()), r.Board, int64(r.States()), int64(r.Goals()), int32(r.Vehicles), int32(r.Walls), r.Minimal, counted(r.Layers, ","),
	})
	if len(w.rows) < parquetValues {
		return nil
	}
	return w.flush()
}

func (w *recordParquet) flush() error {
	_, err := w.w.Write(w.rows)
	w.rows = w.rows[:0]
	return err
}

func (w *recordParquet) close() error {
	err := w.flush()
	return cmp.Or(err, w.w.Close())
}

// packWriter writes a puzzle pack.
type packWriter struct {
	d *opened
	e pack.Explorer
	w *pack.Writer
}

func newPackWriter(d *opened, o *output) (recordWriter, error) {
	if !d.boards.Reversible {
		return nil, failf(exitUsage, "--format pack has solutions and difficulty, which are not looked for where moves cannot be undone by moves, as in %s: there are %s", d.boards.Family, formatsOf(d))
	}
	totals := d.Totals()
	w, err := pack.NewWriter(o, pack.Head{
		Puzzle: d.boards.Family, Metric: d.boards.Metric, Rows: d.boards.Rows, Columns: d.boards.Columns,
		Rules: d.Rules(), Digest: totals.Digest.String(),
	})
	return &packWriter{d: d, w: w}, err
}

func (w *packWriter) write(ctx context.Context, r *sweep.Record) error {
	b, err := w.d.boards.Board(r)
	if err != nil {
		return err
	}
	p, err := w.e.Explore(ctx, r, b)
	if err != nil {
		return err
	}
	return w.w.Write(p)
}

func (w *packWriter) close() error { return w.w.Close() }
