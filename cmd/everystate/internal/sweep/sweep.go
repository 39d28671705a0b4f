// Package sweep implements the commands that enumerate all boards of a size, and
// those that query the resulting databases.
package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/kinds"
	"github.com/everystate/everystate/internal/sweep/records"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
	"github.com/everystate/everystate/internal/terminal/display"
	"github.com/everystate/everystate/internal/terminal/table"
)

const sweepHelp = `Sweep enumerates all boards of a kind and keeps the puzzles among them: the hardest
board of each cluster. In Rush Hour, only minimal puzzles count: those that get easier
when any piece is removed.

It stores what it finds in a database, a directory below sweeps/, one unit of work at
a time. Kill it any time and it resumes; the final database is the same
(docs/SWEEP.md).`

const sweepExample = `  everystate sweep rushhour --size 5x5 --top 3
  everystate sweep sokoban room.txt --boxes 3
  everystate sweep blocks puzzles/blocks/hengdaolima.txt
  everystate sweep resume sweeps/rushhour-6x6`

const sweepRushHourHelp = `Sweep rushhour enumerates all Rush Hour boards of a size.

By default the rules are those of the reference, M. Fogleman's database: the goal
vehicle has two cells and exits to the right; no other horizontal vehicle is in its
row; no row or column is completely filled; moves are slides. docs/SWEEP.md has the
details.`

const sweepRushHourExample = `  everystate sweep rushhour --size 4x4
  everystate sweep rushhour --size 5x5 --metric step --top 3
  everystate sweep rushhour --dry-run
  everystate sweep rushhour --walls 0..2 --part 3/64
  everystate sweep rushhour --family IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM
  everystate sweep resume sweeps/rushhour-6x6`

// Sweeping holds the flags of the commands that sweep.
type Sweeping struct {
	Workers, top int
	Quiet, json  bool
	part         sweep.Part
	partText     string
}

func (s *Sweeping) flags(flags *pflag.FlagSet) {
	runs.WorkersVar(flags, &s.Workers, "workers", "number `N` of workers (default: one per core)")
	shell.IntVar(flags, &s.top, "top", 1, "print the `K` hardest puzzles")
	flags.BoolVarP(&s.Quiet, "quiet", "q", false, "do not show progress")
	flags.BoolVar(&s.json, "json", false, "print one JSON object (docs/JSON.md)")
	flags.StringVar(&s.partText, "part", "", "do only part K of N parts of about equal work, `K/N`; or several, such as 1-8,11/64")
}

func (s *Sweeping) check(cmd *cobra.Command) error {
	if s.top < 0 {
		return exit.Usagef(cmd, "--top %d: must be 0 or more", s.top)
	}
	if s.partText != "" {
		var err error
		if s.part, err = sweep.ParsePart(s.partText); err != nil {
			return exit.Usagef(cmd, "--part %s: %v", s.partText, err)
		}
	}
	if s.Workers == 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	return nil
}

// A share is what a sweep is to do: a part of an enumeration.
type share struct {
	part   sweep.Part
	units  []int // ascending
	states uint64
}

func shareOf(e sweep.Enumeration, part sweep.Part) *share {
	s := &share{part: part, units: part.Units(e), states: kinds.Expected(e)}
	if !part.Whole() && s.states > 0 {
		s.states = 0
		for _, unit := range s.units {
			s.states += e.Cost(unit)
		}
	}
	return s
}

// totals returns those of the units of the share that are done.
func (s *share) totals(db *database.Database) (sweep.Totals, error) {
	if s.part.Whole() {
		return db.Totals(), nil
	}
	return db.TotalsOf(s.units)
}

// holds reports whether a unit is of the share.
func (s *share) holds(unit int) bool {
	_, ok := slices.BinarySearch(s.units, unit)
	return ok
}

// partNote says which part is done, nothing if it is the whole.
func partNote(p sweep.Part) string {
	if p.Whole() {
		return ""
	}
	return "part " + p.String() + ", "
}

// sweepPlace holds the flags of a command that begins a sweep: where it runs and is
// kept.
type sweepPlace struct {
	Sweeping
	data   string
	dryRun bool
	remote sweepRemote
}

func (f *sweepPlace) flags(flags *pflag.FlagSet) {
	flags.Var((*shell.Directory)(&f.data), "data", "directory `DIR` of the database (default: sweeps/NAME)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the amount of work and an estimate of the time, and stop")
	f.Sweeping.flags(flags)
	f.remote.flags(flags)
}

// sweepRushHour holds the flags of the command.
type sweepRushHour struct {
	sweepPlace
	size, walls, lengths, metric, limits, sample, family string
	mirrors, primaryRow                                  string

	exitRow, minDistance              int
	fullRows, fullColumns, everything bool
	exhaustive                        bool
}

// Command returns `everystate sweep`.
func Command(env *shell.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sweep",
		Short:   "Enumerate all boards of a kind and keep the hardest",
		Long:    sweepHelp,
		Example: sweepExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return shell.UnknownCommand(cmd, args[0])
		},
		RunE: shell.NeedsCommand,
	}
	cmd.AddCommand(sweepRushHourCommand(env), sweepSokobanCommand(env), sweepBlocksCommand(env), sweepResumeCommand(env), sweepSumCommand(env))
	return cmd
}

func sweepRushHourCommand(env *shell.Env) *cobra.Command {
	var f sweepRushHour
	cmd := &cobra.Command{
		Use:     "rushhour",
		Aliases: []string{"rush-hour"},
		Short:   "Enumerate all Rush Hour boards of a size",
		Long:    sweepRushHourHelp,
		Example: sweepRushHourExample,
		Args:    shell.Exactly(0, "no arguments: flags define the sweep"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runSweepRushHour(env, cmd, &f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.size, "size", "6x6", "`SIZE` of the boards, ROWSxCOLUMNS")
	shell.IntVar(flags, &f.exitRow, "exit-row", -1, "`ROW` of the goal vehicle, from 0 at the top (default: the middle, or the one above it)")
	flags.Lookup("exit-row").DefValue = "0" // hides it: the text names the default
	flags.StringVar(&f.walls, "walls", "0", "number `N` of walls, or a range A..B")
	flags.StringVar(&f.lengths, "lengths", "", "`LENGTHS` of the vehicles other than the goal vehicle, which has 2 (default 2,3)")
	flags.StringVar(&f.metric, "metric", "slide", "what counts as one move, a `METRIC`: slide or step")
	flags.StringVar(&f.limits, "per-type", "", "`LIMITS` on vehicles by kind, such as h3=1,v2=4: at most one horizontal of 3 cells and four vertical of 2")
	flags.BoolVar(&f.fullRows, "full-rows", false, "include boards with a completely filled row")
	flags.BoolVar(&f.fullColumns, "full-columns", false, "include boards with a completely filled column")
	shell.Choices(flags, "metric", "slide", "step")
	flags.StringVar(&f.primaryRow, "primary-row", "alone", "`HOW` the goal vehicle occupies its row: alone, or shared with vehicles to its left")
	flags.StringVar(&f.mirrors, "mirrors", "apart", "`HOW` to count boards that are mirror images, top to bottom: apart, or merged into one")
	shell.Choices(flags, "primary-row", "alone", "shared")
	shell.Choices(flags, "mirrors", "apart", "merged")
	flags.BoolVar(&f.everything, "all", false, "keep all solvable clusters, not only minimal ones")
	flags.BoolVar(&f.exhaustive, "exhaustive", false, "visit every board, not only those that may be puzzles")
	shell.IntVar(flags, &f.minDistance, "min-distance", 0, "keep only puzzles of `D` moves or more")
	flags.StringVar(&f.sample, "sample", "1/1", "enumerate only a sample of the families, one in N: `1/N`")
	flags.StringVar(&f.family, "family", "", "only boards with the same vehicles in each row and column as `BOARD`, written row by row")
	f.flags(flags)
	return cmd
}

func sweepResumeCommand(env *shell.Env) *cobra.Command {
	var f Sweeping
	cmd := &cobra.Command{
		Use:     "resume DIR",
		Short:   "Resume a sweep that was stopped",
		Long:    "Resume continues a sweep with the workers given now. If the sweep is complete, it\nprints the results at once. DIR is its directory, or its name below sweeps/.",
		Example: "  everystate sweep resume sweeps/rushhour-6x6",
		Args:    shell.Exactly(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return resumeSweep(cmd.Context(), env, &f, args[0])
		},
	}
	f.flags(cmd.Flags())
	return cmd
}

func resumeSweep(ctx context.Context, env *shell.Env, f *Sweeping, arg string) error {
	dir := databaseDir(arg)
	db, err := database.Open(dir, database.Options{})
	if errors.Is(err, database.ErrNotExist) {
		return noSweep(arg)
	}
	if err != nil {
		return explainSweep(env, dir, nil, err)
	}
	if done, all := db.Progress(); f.part.Whole() && all > 0 && done == all {
		_, err := finish(env, f, db, dir, time.Now())
		return err
	}
	e, err := kinds.Open(db.Rules())
	if err != nil {
		return cmp.Or(fmt.Errorf("%s: %w", dir, err), db.Close())
	}
	return SweepInto(ctx, env, f, e, db, dir)
}

// rules reads the flags.
func (f *sweepRushHour) rules(cmd *cobra.Command) (r rules.Rules, err error) {
	r = rules.Rules{
		ExitRow: f.exitRow, Step: f.metric == "step", FullRows: f.fullRows, FullColumns: f.fullColumns,
		Everything: f.everything, MinDistance: f.minDistance, Family: f.family,
		// All clusters are wanted, or those of one family, which takes no time.
		Reduced: !f.exhaustive && !f.everything && f.family == "",
	}
	if f.family != "" {
		for _, name := range []string{"size", "exit-row", "walls", "lengths", "per-type", "full-rows", "full-columns", "sample"} {
			if cmd.Flags().Changed(name) {
				return r, exit.Usagef(cmd, "--%s: the board of --family determines it; leave out one of the two", name)
			}
		}
	}
	if cmd.Flags().Changed("exit-row") && f.exitRow < 0 {
		return r, exit.Usagef(cmd, "--exit-row %d: must be 0 or more", f.exitRow)
	}
	if err := checkMinDistance(cmd, f.minDistance); err != nil {
		return r, err
	}
	flag := func(name, value string, read func() error) {
		if err == nil && value != "" {
			if e := read(); e != nil {
				err = exit.Usagef(cmd, "--%s %s: %v", name, value, e)
			}
		}
	}
	flag("size", f.size, func() (err error) { r.Size, err = rules.ParseSize(f.size); return err })
	flag("walls", f.walls, func() (err error) { r.WallsMin, r.WallsMax, err = rules.ParseRange(f.walls); return err })
	flag("primary-row", f.primaryRow, func() (err error) {
		r.PrimaryRowShared, err = rules.ParseChoice(f.primaryRow, "alone", "shared")
		return err
	})
	flag("mirrors", f.mirrors, func() (err error) {
		r.MirrorsMerged, err = rules.ParseChoice(f.mirrors, "apart", "merged")
		return err
	})
	flag("lengths", f.lengths, func() (err error) { r.Lengths, err = rules.ParseLengths(f.lengths); return err })
	flag("per-type", f.limits, func() (err error) { r.Limits, err = rules.ParseLimits(f.limits); return err })
	flag("sample", f.sample, func() (err error) { r.Sample, err = sweep.ParseSample(f.sample); return err })
	return r, err
}

// checkMinDistance checks the flag that all kinds of sweeps have.
func checkMinDistance(cmd *cobra.Command, d int) error {
	if d < 0 {
		return exit.Usagef(cmd, "--min-distance %d: must be 0 or more", d)
	}
	return nil
}

// name returns the default name of a sweep.
func (f *sweepRushHour) name(r *rules.Rules) string {
	parts := []string{"rushhour", f.size}
	add := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	if f.family != "" {
		parts = []string{"rushhour", "family", strings.ToLower(f.family)}
	}
	add(f.exitRow >= 0, "exit-%d", f.exitRow)
	add(r.WallsMax > 0 && f.family == "", "walls-%d-%d", r.WallsMin, r.WallsMax)
	add(f.lengths != "" && f.lengths != "2,3", "lengths-%s", f.lengths)
	add(r.Step, "step")
	add(f.limits != "", "limits-%s", f.limits)
	add(r.FullRows, "full-rows")
	add(r.FullColumns, "full-columns")
	add(r.PrimaryRowShared, "row-shared")
	add(r.MirrorsMerged, "mirrors-merged")
	add(r.Everything, "all")
	add(f.exhaustive, "exhaustive")
	add(r.MinDistance > 0, "from-%d", r.MinDistance)
	add(r.Sample > 1, "sample-%d", r.Sample)
	return boards.FileName(strings.Join(parts, "-"))
}

func runSweepRushHour(env *shell.Env, cmd *cobra.Command, f *sweepRushHour) error {
	rules, err := f.rules(cmd)
	if err == nil {
		err = f.check(cmd)
	}
	if err != nil {
		return err
	}
	e, err := rushhour.New(rules)
	if err != nil {
		return exit.Usagef(cmd, "%s", shell.OneLine(err))
	}
	return beginSweep(env, cmd, &f.sweepPlace, e, f.name(&rules))
}

// beginSweep begins or resumes a sweep. name is its default name.
func beginSweep(env *shell.Env, cmd *cobra.Command, f *sweepPlace, e sweep.Enumeration, name string) error {
	dir := cmp.Or(f.data, filepath.Join(runs.SweepsDir, name))
	if f.dryRun {
		return sweepDryRun(cmd.Context(), env, &f.Sweeping, e, dir)
	}
	if !cmd.Flags().Changed("coordinator") && (f.remote.wait || f.remote.name != "") {
		return exit.Usagef(cmd, "--name and --wait work only with --coordinator; --data names the directory of a sweep on this machine")
	}
	if cmd.Flags().Changed("coordinator") {
		if f.partText != "" {
			return exit.Usagef(cmd, "--part %s: a coordinator divides the whole sweep among its workers; leave out --part, or --coordinator to do a part here", f.partText)
		}
		return submitSweep(env, cmd, f, e, name)
	}
	db, err := database.Create(dir, e.Rules(), database.Options{Units: e.Units()})
	if other := new(database.RulesError); errors.As(err, &other) {
		if visitOtherwise(other) {
			return resumeSweep(cmd.Context(), env, &f.Sweeping, dir) // as it began
		}
		return exit.Errorf(exit.Usage, "%s %v; name another directory with --data", dir, err)
	}
	if err != nil {
		return explainSweep(env, dir, nil, err)
	}
	if f.part.Whole() && db.Totals().Units == 0 {
		if err := announce(cmd.Context(), env, &f.Sweeping, e); err != nil {
			return cmp.Or(err, db.Close())
		}
	}
	return SweepInto(cmd.Context(), env, &f.Sweeping, e, db, dir)
}

// sweepSink counts what is committed of a share, for the display.
type sweepSink struct {
	*database.Database
	mu     sync.Mutex // guards totals
	totals sweep.Totals
}

// Commit implements sweep.Sink.
func (s *sweepSink) Commit(unit int, f *sweep.Findings) error {
	err := s.Database.Commit(unit, f)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.totals.AddSealed(unit, &f.Totals)
	}
	return err
}

func (s *sweepSink) now() display.SweepProgress {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.totals
	return display.SweepProgress{
		Units: int64(t.Units), States: int64(t.Covered()), Puzzles: int64(t.Puzzles), Greatest: t.Greatest(),
	}
}

// SweepInto begins or resumes a sweep, closes the database and reports.
func SweepInto(ctx context.Context, env *shell.Env, f *Sweeping, e sweep.Enumeration, db *database.Database, dir string) error {
	work := shareOf(e, f.part)
	sink := &sweepSink{Database: db}
	var err error
	if sink.totals, err = work.totals(db); err != nil {
		return cmp.Or(err, db.Close())
	}
	started := time.Now()
	shown := env.Show(f.Quiet, &display.Sweeping{
		Paint: env.ErrTerm.Paint(), Units: int64(len(work.units)), States: int64(work.states),
		Started: started, Before: sink.now().States, Progress: sink.now,
	})
	err = sweep.Run(ctx, e, f.part, sink, f.Workers)
	if _, lost := db.Sync(); err == nil || errors.Is(err, context.Canceled) {
		err = cmp.Or(lost, err)
	}
	if err == nil {
		err = db.Finish()
	}
	shown.Stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		return explainSweep(env, dir, db, cmp.Or(err, db.Close()))
	}
	s := sweepSummary{
		Rules: e.Rules(), Part: f.part, Totals: sink.totals, Complete: err == nil, Dir: dir, UnitsInAll: len(work.units), Seconds: time.Since(started).Seconds(),
	}
	s.Top, err = work.hardest(db, f.top)
	if err = cmp.Or(err, db.Close()); err != nil {
		return err
	}
	if err := reportSweep(env, f, &s); err != nil {
		return err
	}
	if !s.Complete {
		again := []string{"sweep", "resume", dir}
		if f.partText != "" {
			again = append(again, "--part", f.partText)
		}
		return env.Stopped(fmt.Sprintf("stopped; saved %s of %d", quantity.Counted(int64(s.Totals.Units), "unit"), len(work.units)), again...)
	}
	return nil
}

// sweepSummary is the report on a sweep.
type sweepSummary struct {
	Rules      string
	Part       sweep.Part
	Totals     sweep.Totals
	Complete   bool
	Dir        string
	UnitsInAll int
	Seconds    float64
	Top        []sweep.Record
	// OfRecordsAlone means that the counts of what was visited do not add up.
	OfRecordsAlone bool
}

// SweepJSON is described in docs/JSON.md.
type SweepJSON struct {
	sweep.Totals
	Rules     string         `json:"rules"`
	Part      string         `json:"part"`
	Digest    string         `json:"digest"`
	OfRecords string         `json:"digest_of_records"`
	UnitsAll  int            `json:"units_in_all"`
	Seconds   float64        `json:"seconds"`
	Complete  bool           `json:"complete"`
	Data      string         `json:"data"`
	Top       []records.JSON `json:"top"`
}

// hardest returns the first n records of the share in the order of db top.
func (s *share) hardest(db *database.Database, n int) ([]sweep.Record, error) {
	var top []sweep.Record
	if n == 0 {
		return nil, nil
	}
	if s.part.Whole() {
		for r, err := range db.Select(database.Everything(), database.ByDistance) {
			if err != nil {
				return nil, err
			}
			if top = append(top, *r); len(top) == n {
				break
			}
		}
		return top, nil
	}
	err := db.Numbered(func(id database.ID, r *sweep.Record) error {
		if !s.holds(int(id.Unit)) {
			return nil
		}
		at := len(top)
		for at > 0 && sweep.Compare(&top[at-1], r) > 0 {
			at--
		}
		if top = slices.Insert(top, at, *r); len(top) > n {
			top = top[:n]
		}
		return nil
	})
	return top, err
}

func reportSweep(env *shell.Env, f *Sweeping, s *sweepSummary) error {
	if f.json {
		out := SweepJSON{
			Totals: s.Totals, Rules: s.Rules, Part: s.Part.String(), Digest: s.Totals.Digest.String(), OfRecords: s.Totals.OfRecords.String(), UnitsAll: s.UnitsInAll,
			Seconds: s.Seconds, Complete: s.Complete, Data: s.Dir, Top: []records.JSON{},
		}
		if s.OfRecordsAlone {
			out.Digest = ""
		}
		kind, err := kinds.Of(s.Rules)
		if err != nil {
			return err
		}
		for i := range s.Top {
			out.Top = append(out.Top, records.JSONOf(&kind, &s.Top[i]))
		}
		if err := env.JSON(out); err != nil {
			return err
		}
		return env.Out.Flush()
	}
	if err := sweepTable(env, s); err != nil {
		return err
	}
	return env.Out.Flush()
}

func sweepTable(env *shell.Env, s *sweepSummary) error {
	kind, err := kinds.Of(s.Rules)
	if err != nil {
		return err
	}
	t := table.Table{Columns: []table.Column{
		{Title: "distance"}, {Title: "puzzles"}, {Title: "states in them"}, {Title: kind.Clusters}, {Title: "states in them"}, {Title: "states at it"},
	}}
	count := func(n uint64) string { return quantity.Count(int64(n)) }
	for d, n := range s.Totals.Distances {
		t.Add(fmt.Sprint(d), count(n.Puzzles), count(n.PuzzleStates), count(n.Clusters), count(n.ClusterStates), count(n.States))
	}
	t.Write(env.Out, env.Paint)
	fmt.Fprintln(env.Out)
	line := func(label, format string, args ...any) {
		fmt.Fprintf(env.Out, "%s  %s\n", env.Paint.Faint(fmt.Sprintf("%-*s", len(kind.Clusters), label)), fmt.Sprintf(format, args...))
	}
	state := env.Paint.Good("complete")
	if !s.Complete {
		state = env.Paint.Bad(fmt.Sprintf("%s of %s", count(s.Totals.Units), quantity.Counted(int64(s.UnitsInAll), "unit")))
	}
	line("puzzles", "%s, %s%s", env.Paint.Bold(count(s.Totals.Puzzles)), partNote(s.Part), state)
	clusters := count(s.Totals.Clusters)
	if !kind.Solvable {
		clusters += fmt.Sprintf(", %s of them solvable", count(s.Totals.Solvable))
	}
	states := count(s.Totals.States)
	if passed := s.Totals.Passed; passed > 0 {
		clusters = count(s.Totals.Clusters) + " visited"
		states += fmt.Sprintf(" visited of %s", count(s.Totals.States+passed))
	}
	if !s.OfRecordsAlone {
		line(kind.Clusters, "%s", clusters)
		line("states", "%s, %s of them goals; the largest %s has %s", states, count(s.Totals.Goals), strings.TrimSuffix(kind.Clusters, "s"), count(s.Totals.Largest))
	}
	line("time", "%s", quantity.Seconds(s.Seconds))
	if !s.OfRecordsAlone {
		line("digest", "%s", s.Totals.Digest)
	}
	if kind.Reduces {
		line("records", "%s", s.Totals.OfRecords)
	}
	if s.Dir != "" {
		line("database", "%s", s.Dir)
	}
	for i := range s.Top {
		r := &s.Top[i]
		label := ""
		if i == 0 {
			label = "hardest"
		}
		line(label, "%d %s %d", r.Distance(), r.Board, r.States())
	}
	return nil
}

// sweepDryRun prints the size of a sweep, and its time as estimated from some units,
// spread over all of them, whose results are dropped.
func sweepDryRun(ctx context.Context, env *shell.Env, f *Sweeping, e sweep.Enumeration, dir string) error {
	shown := env.Show(f.Quiet, timing{time.Now()})
	estimate, err := forecastIn(ctx, f, e, dir)
	shown.Stop()
	if err != nil {
		return explainSweep(env, dir, nil, err)
	}
	work := shareOf(e, f.part)
	if f.json {
		return env.JSON(struct {
			Units   int     `json:"units"`
			States  uint64  `json:"states"`
			Seconds float64 `json:"seconds_estimated"`
			Busy    float64 `json:"seconds_estimated_busy"`
			Workers int     `json:"workers"`
		}{len(work.units), work.states, estimate.Alone, estimate.Busy, f.Workers})
	}
	fmt.Fprintf(env.Out, "%s\n", strings.TrimSuffix(e.Rules(), "\n"))
	much := partNote(f.part) + quantity.Counted(int64(len(work.units)), "unit")
	if work.states > 0 {
		much += " with " + quantity.Counted(int64(work.states), "state")
	}
	fmt.Fprintf(env.Out, "%s\n%s\n", much, aboutTime(estimate, f.Workers))
	return env.Out.Flush()
}
