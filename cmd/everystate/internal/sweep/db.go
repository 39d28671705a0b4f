package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/browse"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/kinds"
	"github.com/everystate/everystate/internal/sweep/pack"
	"github.com/everystate/everystate/internal/sweep/records"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/terminal/bars"
	"github.com/everystate/everystate/internal/terminal/display"
	"github.com/everystate/everystate/internal/terminal/table"
)

const dbHelp = `Db queries the database of a sweep. DIR is its directory, or its name below sweeps/.

Records are selected by ranges of the distance, the size of the cluster, the number of
pieces and, for Rush Hour, the number of walls and the grade (--distance, --states,
--pieces, --walls, --grade). A range is N, N..M, N.. or ..M. Pieces are vehicles, boxes
or sliding blocks. Records have grades after db grade.
A sweep that is not complete can be queried too, while no process is working on it.`

const dbExample = `  everystate db top rushhour-5x5 -n 3
  everystate db filter rushhour-5x5 --distance 15.. --vehicles ..9
  everystate db count rushhour-5x5 --states 1000..2000
  everystate db histogram rushhour-5x5 --by vehicles
  everystate db grade rushhour-5x5
  everystate db export rushhour-5x5 -o puzzles.txt
  everystate db export rushhour-5x5 --distance 10.. --format pack -o hard.json
  everystate db draw rushhour-5x5 -n 12 -o hardest.svg`

// dbOrders are the values of --by.
var dbOrders = []struct {
	name  string
	order database.Order
}{
	{"distance", database.ByDistance}, {"states", database.ByStates}, {"pieces", database.ByPieces}, {"vehicles", database.ByPieces}, {"walls", database.BySecond}, {"grade", database.ByGrade},
}

// selection holds the flags that select records.
type selection struct {
	distance, states, pieces, walls, grade shell.Span

	by string
	n  int
}

func (s *selection) flags(flags *pflag.FlagSet) {
	all := shell.Span{Least: 0, Most: math.MaxInt}
	s.distance, s.states, s.pieces, s.walls, s.grade = all, all, all, all, all
	flags.Var(&s.distance, "distance", "fewest moves to a goal, `N..M`")
	flags.Var(&s.states, "states", "number of states of the cluster, `N..M`")
	flags.Var(&oneOfTwo{&s.pieces, flags, "vehicles"}, "pieces", "number of vehicles (including the goal vehicle), boxes or blocks, `N..M`")
	flags.Var(&oneOfTwo{&s.pieces, flags, "pieces"}, "vehicles", "the same as --pieces, `N..M`")
	flags.Var(&s.walls, "walls", "number of walls, `N..M`; Rush Hour only")
	for _, name := range []string{"distance", "states", "pieces", "vehicles", "walls"} {
		flags.Lookup(name).DefValue = "0" // hides it: all is the default
	}
}

// oneOfTwo is a flag that has another name, of which one may be given.
type oneOfTwo struct {
	*shell.Span
	flags *pflag.FlagSet
	other string
}

// Set parses a span.
func (o *oneOfTwo) Set(text string) error {
	if o.flags.Changed(o.other) {
		return fmt.Errorf("is the same as --%s: give one of them", o.other)
	}
	return o.Span.Set(text)
}

func (s *selection) gradeFlag(flags *pflag.FlagSet) {
	flags.Var(&s.grade, "grade", "grade of difficulty, 1 to 10, `N..M`; Rush Hour only, after db grade")
	flags.Lookup("grade").DefValue = "0" // hides it: all is the default
}

func (s *selection) orderFlag(flags *pflag.FlagSet) {
	flags.StringVar(&s.by, "by", "distance", "`ORDER` by distance, states or grade (descending), or by pieces or walls (ascending)")
	var names []string
	for _, o := range dbOrders {
		names = append(names, o.name)
	}
	shell.Choices(flags, "by", names...)
}

func (s *selection) filter() database.Filter {
	of := func(r shell.Span) database.Range {
		if r.Most == math.MaxInt {
			return database.Range{Least: uint64(r.Least), Most: math.MaxUint64}
		}
		return database.Range{Least: uint64(r.Least), Most: uint64(r.Most)}
	}
	return database.Filter{Distance: of(s.distance), States: of(s.states), Pieces: of(s.pieces), Second: of(s.walls), Grade: of(s.grade)}
}

// ofWalls reports whether numbers of walls are selected.
func (s *selection) ofWalls() bool {
	return s.by == "walls" || s.walls.Least > 0 || s.walls.Most != math.MaxInt
}

// ofGrades reports whether grades are selected.
func (s *selection) ofGrades() bool {
	return s.by == "grade" || s.grade.Least > 0 || s.grade.Most != math.MaxInt
}

func (s *selection) order() database.Order {
	for _, o := range dbOrders {
		if o.name == s.by {
			return o.order
		}
	}
	return database.ByDistance
}

// DatabaseCommand returns `everystate db`.
func DatabaseCommand(env *shell.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "db",
		Short:   "Query the database of a sweep",
		Long:    dbHelp,
		Example: dbExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return shell.UnknownCommand(cmd, args[0])
		},
		RunE: shell.NeedsCommand,
	}
	cmd.AddCommand(dbTopCommand(env), dbFilterCommand(env), dbCountCommand(env), dbHistogramCommand(env), dbCompareCommand(env),
		dbExportCommand(env), dbDrawCommand(env), dbFetchCommand(env), dbMergeCommand(env), dbGradeCommand(env))
	return cmd
}

// openDB is an open database with its rules.
type openDB struct {
	*database.Database
	dir    string
	kind   kinds.Kind
	boards *pack.Boards
}

// walls returns text if records have a number of walls, else "".
func (d *openDB) walls(text string) string {
	if d.kind.HasWalls {
		return text
	}
	return ""
}

// grades returns text if records have grades, else "".
func (d *openDB) grades(text string) string {
	if d.Graded() {
		return text
	}
	return ""
}

// databaseDir returns the directory that an argument means.
func databaseDir(arg string) string {
	if _, err := os.Stat(arg); err != nil && filepath.Base(arg) == arg {
		return filepath.Join(runs.SweepsDir, arg)
	}
	return arg
}

// noSweep says that an argument names no sweep, and which there are.
func noSweep(arg string) error {
	if known := browse.New(runs.SweepsDir).Names(); len(known) > 0 {
		return exit.Errorf(exit.Usage, "%s: no sweep database there: %s/ holds %s", arg, runs.SweepsDir, runs.Enumerate(known))
	}
	return exit.Errorf(exit.Usage, "%s: no sweep database there, and none in %s/: make one with `everystate sweep`", arg, runs.SweepsDir)
}

func openDatabase(arg, dir string, opts database.Options) (*openDB, error) {
	db, err := database.Open(dir, opts)
	if errors.Is(err, database.ErrNotExist) {
		return nil, noSweep(arg)
	}
	if err != nil {
		return nil, err
	}
	d := &openDB{Database: db, dir: dir}
	if d.kind, err = kinds.Of(db.Rules()); err == nil {
		d.boards, err = pack.BoardsOf(db.Rules())
	}
	if err != nil {
		return nil, cmp.Or(fmt.Errorf("%s: %w", dir, err), db.Close())
	}
	return d, nil
}

// check refuses to select by numbers that records do not have.
func (s *selection) check(d *openDB) error {
	switch {
	case !d.kind.HasWalls && s.ofWalls():
		return exit.Errorf(exit.Usage, "%s: the records of a sweep of %s have no walls", d.dir, d.kind.Name)
	case !d.kind.Graded && s.ofGrades():
		return exit.Errorf(exit.Usage, "%s: the records of a sweep of %s have no grades", d.dir, d.kind.Name)
	case !d.Graded() && s.ofGrades():
		return exit.Errorf(exit.Usage, "%s has no grades yet: everystate db grade %s", d.dir, d.dir)
	}
	return nil
}

// withDatabase opens a database, calls use, and closes it.
func withDatabase(env *shell.Env, arg string, s *selection, use func(d *openDB) error) error {
	dir := databaseDir(arg)
	d, err := openDatabase(arg, dir, database.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	err = s.check(d)
	if err == nil {
		err = use(d)
	}
	done, all := d.Progress()
	switch err = cmp.Or(err, d.Close()); {
	case done < all && errors.Is(err, errNoMatch):
		return d.incomplete(env, "; no record matches so far")
	case errors.Is(err, errNoMatch):
		return exit.Errorf(exit.NotFound, "%s has no matching records", dir)
	case err == nil && done < all:
		return d.incomplete(env, "; these are its records so far")
	}
	return err
}

// incomplete returns the error of a question to a sweep that is not complete.
func (d *openDB) incomplete(env *shell.Env, but string) error {
	done, all := d.Progress()
	return exit.Errorf(exit.Incomplete, "%s is not complete (%s of %s)%s: %s", d.dir,
		quantity.Count(int64(done)), quantity.Counted(int64(all), "unit"), but, env.Command("sweep", "resume", d.dir))
}

// errNoMatch reports that a selection is empty.
var errNoMatch = errors.New("no matching records")

// steps returns the view of a command that does something with one record after another.
func (d *openDB) steps(env *shell.Env, phase, title string) *display.Steps {
	return &display.Steps{Phase: phase, Title: title + d.dir, Run: d.dir, Paint: env.ErrTerm.Paint()}
}

// each calls use with the records of a selection, at most s.n if that is not 0, and shows
// how many are done, unless it is to be quiet. It returns how many that are. When ctx is
// cancelled, it says where it stopped.
func (d *openDB) each(ctx context.Context, env *shell.Env, quiet bool, view *display.Steps, s *selection, use func(r *sweep.Record) error) (n int, err error) {
	found, err := d.Count(s.filter())
	if err != nil {
		return 0, err
	}
	all := int64(found)
	if s.n > 0 {
		all = min(all, int64(s.n))
	}
	shown := env.Show(quiet, view)
	for r, fault := range d.Select(s.filter(), s.order()) {
		if err = cmp.Or(fault, ctx.Err()); err != nil {
			break
		}
		view.At(fmt.Sprintf("%s of %s records", quantity.Count(int64(n)), quantity.Count(all)), float64(n)/float64(all))
		if err = use(r); err != nil {
			break
		}
		if n++; n == s.n {
			break
		}
	}
	shown.Stop()
	if err = cmp.Or(err, ctx.Err()); errors.Is(err, context.Canceled) {
		fmt.Fprintf(env.Err, "stopped after %s of %s\n", quantity.Count(int64(n)), quantity.Counted(all, "record"))
		err = exit.Reported(exit.Incomplete)
	}
	return n, err
}

// question is the query of a command to a database.
type question struct {
	selection
	json bool
}

// questionCommand sets up what all commands that query a database share. objects is
// what one JSON object is for.
func questionCommand(cmd *cobra.Command, objects string, ask func(cmd *cobra.Command, q *question, dir string) error) (*cobra.Command, *question) {
	q := new(question)
	cmd.Use += " DIR"
	cmd.Args = shell.Exactly(1, "DIR")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return ask(cmd, q, args[0]) }
	q.flags(cmd.Flags())
	q.gradeFlag(cmd.Flags())
	cmd.Flags().BoolVar(&q.json, "json", false, "print one JSON object "+objects+"(docs/JSON.md)")
	return cmd, q
}

func dbTopCommand(env *shell.Env) *cobra.Command {
	cmd, q := questionCommand(&cobra.Command{
		Use:     "top",
		Short:   "Print the hardest or largest records",
		Long:    "Top prints the first records in an order: the hardest, the largest, those with the\nhighest grade or with the fewest pieces or walls. Ties are ordered by distance and then\ncluster size.",
		Example: "  everystate db top rushhour-5x5 -n 3\n  everystate db top rushhour-5x5 --by states --distance 12..",
	}, "per record ", func(cmd *cobra.Command, q *question, dir string) error {
		if q.n < 1 {
			return exit.Usagef(cmd, "-n %d: must be 1 or more", q.n)
		}
		return dbList(env, cmd, q, dir)
	})
	q.orderFlag(cmd.Flags())
	shell.CountVarP(cmd.Flags(), &q.n, "number", "n", 10, "print at most `K`")
	return cmd
}

func dbFilterCommand(env *shell.Env) *cobra.Command {
	cmd, q := questionCommand(&cobra.Command{
		Use:     "filter",
		Short:   "Print the records in the given ranges",
		Long:    "Filter prints all records in the given ranges.",
		Example: "  everystate db filter rushhour-5x5 --distance 15..\n  everystate db filter rushhour-5x5 --states ..50 --vehicles 9 --json",
	}, "per record ", func(cmd *cobra.Command, q *question, dir string) error { return dbList(env, cmd, q, dir) })
	q.orderFlag(cmd.Flags())
	return cmd
}

// dbList prints records, all if q.n is 0.
func dbList(env *shell.Env, cmd *cobra.Command, q *question, dir string) error {
	return withDatabase(env, dir, &q.selection, func(d *openDB) error {
		n := 0
		for r, err := range d.Select(q.filter(), q.order()) {
			if err = cmp.Or(err, cmd.Context().Err()); err != nil {
				return err
			}
			if q.json {
				err = env.JSON(records.JSONOf(&d.kind, r))
			} else {
				if n == 0 {
					fmt.Fprintln(env.Out, env.Paint.Faint(fmt.Sprintf("moves   states   goals  %8s%s%s  board", d.kind.Pieces, d.walls("  walls"), d.grades("  grade"))))
				}
				walls := d.walls(fmt.Sprintf("  %5d", r.Attribute(rushhour.Walls)))
				grade := d.grades(fmt.Sprintf("  %5d", r.Grade()))
				_, err = fmt.Fprintf(env.Out, "%5d %8s %7s  %8d%s%s  %s\n", r.Distance(), quantity.Count(int64(r.States())), quantity.Count(int64(r.Goals())), r.Pieces, walls, grade, r.Board)
			}
			if err != nil {
				return err
			}
			if n++; n == q.n {
				break
			}
		}
		if n == 0 {
			return errNoMatch
		}
		return nil
	})
}

func dbCountCommand(env *shell.Env) *cobra.Command {
	cmd, _ := questionCommand(&cobra.Command{
		Use:     "count",
		Short:   "Count the records in the given ranges",
		Long:    "Count prints the number of records in the given ranges.",
		Example: "  everystate db count rushhour-5x5 --distance 10..\n  everystate db count rushhour-5x5 --distance 10.. --vehicles 8",
	}, "", func(cmd *cobra.Command, q *question, dir string) error { return dbCount(env, cmd, q, dir) })
	return cmd
}

func dbCount(env *shell.Env, _ *cobra.Command, q *question, dir string) error {
	return withDatabase(env, dir, &q.selection, func(d *openDB) error {
		n, err := d.Count(q.filter())
		switch {
		case err != nil:
			return err
		case q.json:
			return env.JSON(struct {
				Records uint64 `json:"records"`
				Of      uint64 `json:"of"`
			}{n, d.Totals().Records})
		}
		fmt.Fprintln(env.Out, n)
		return nil
	})
}

// bin is a line of a histogram.
type bin struct {
	Least   uint64 `json:"least"`
	Most    uint64 `json:"most"`
	Records uint64 `json:"records"`
}

func dbHistogramCommand(env *shell.Env) *cobra.Command {
	cmd, q := questionCommand(&cobra.Command{
		Use:     "histogram",
		Short:   "Count records by distance, states, pieces, walls or grade",
		Long:    "Histogram counts the records by distance, number of pieces, number of walls or grade, or\nby states in powers of two.",
		Example: "  everystate db histogram rushhour-5x5\n  everystate db histogram rushhour-5x5 --by states --distance 10..",
	}, "", func(_ *cobra.Command, q *question, dir string) error { return dbHistogram(env, q, dir) })
	q.orderFlag(cmd.Flags())
	return cmd
}

func dbHistogram(env *shell.Env, q *question, dir string) error {
	return withDatabase(env, dir, &q.selection, func(d *openDB) error {
		var found []bin
		err := d.Histogram(q.filter(), q.order(), func(number, records uint64) {
			b := bin{number, number, records}
			if q.order() == database.ByStates {
				b.Least = 1 << (bits.Len64(number) - 1)
				b.Most = 2*b.Least - 1
			}
			if last := len(found) - 1; last >= 0 && found[last].Least == b.Least {
				found[last].Records += records
				return
			}
			found = append(found, b)
		})
		if err != nil {
			return err
		}
		return dbBins(env, q.by, found, q.json)
	})
}

func dbBins(env *shell.Env, by string, found []bin, asJSON bool) error {
	if asJSON {
		if found == nil {
			found = []bin{}
		}
		return env.JSON(struct {
			By   string `json:"by"`
			Bins []bin  `json:"bins"`
		}{by, found})
	}
	most := int64(0)
	for _, b := range found {
		most = max(most, int64(b.Records))
	}
	t := table.Table{Columns: []table.Column{{Title: by}, {Title: "records"}, {Left: true, Bar: true}}}
	for _, b := range found {
		name := strconv.FormatUint(b.Least, 10)
		if b.Most > b.Least {
			name += "-" + strconv.FormatUint(b.Most, 10)
		}
		t.Add(name, quantity.Count(int64(b.Records)), bars.Bar(int64(b.Records), most, barWidth))
	}
	t.Write(env.Out, env.Paint)
	return nil
}

// barWidth is how many characters the longest bar has.
const barWidth = 40
