package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/grading"
	"github.com/everystate/everystate/internal/terminal/display"
)

const dbGradeHelp = `Grade measures the difficulty of all records of a complete Rush Hour sweep, and grades
them from 1 to 10 (docs/DATABASE.md has the formula). It explores the cluster of each
record again, which also checks the sweep. Stop it any time: it resumes with the
remaining records.

Afterwards db top, filter, count, histogram, export and draw can use the grades, and
exports have the measures.`

// dbGrade holds the flags of the command.
type dbGrade struct {
	workers     int
	quiet, json bool
}

// GradedJSON is described in docs/JSON.md.
type GradedJSON struct {
	Data     string `json:"data"`
	Records  uint64 `json:"records"`
	Complete bool   `json:"complete"`
}

func dbGradeCommand(env *shell.Env) *cobra.Command {
	var f dbGrade
	cmd := &cobra.Command{
		Use:     "grade DIR",
		Short:   "Grade the difficulty of all records",
		Long:    dbGradeHelp,
		Example: "  everystate db grade rushhour-5x5\n  everystate db top rushhour-5x5 --grade 4..",
		Args:    shell.Exactly(1, "DIR"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runDBGrade(env, cmd, &f, args[0]) },
	}
	runs.WorkersVar(cmd.Flags(), &f.workers, "workers", "number `N` of workers (default: one per core)")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "do not show progress")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

func runDBGrade(env *shell.Env, cmd *cobra.Command, f *dbGrade, arg string) error {
	dir := databaseDir(arg)
	d, err := openDatabase(arg, dir, database.Options{})
	if err != nil {
		return err
	}
	switch done, all := d.Progress(); {
	case !d.kind.Graded:
		err = exit.Errorf(exit.Usage, "%s: only boards of Rush Hour have grades, and this is a sweep of %s", dir, d.kind.Name)
	case d.boards.Fault() != nil:
		err = exit.Errorf(exit.Usage, "%s cannot be graded: %v", dir, d.boards.Fault())
	case done < all:
		err = d.incomplete(env, "")
	case !d.Graded():
		err = gradeAll(cmd.Context(), env, f, d)
	}
	graded := GradedJSON{Data: dir, Records: d.Totals().Records, Complete: d.Graded()}
	err = cmp.Or(err, d.Close())
	switch _, code := exit.Of(err); {
	case f.json && (err == nil || code == exit.Incomplete):
		return cmp.Or(env.JSON(graded), err)
	case err != nil:
		return err
	}
	fmt.Fprintf(env.Out, "%s with grades\n", quantity.Counted(int64(graded.Records), "record"))
	return nil
}

func gradeAll(ctx context.Context, env *shell.Env, f *dbGrade, d *openDB) error {
	var p grading.Progress
	shown := env.Show(f.quiet, &gradingView{Steps: &display.Steps{Phase: "grade", Title: "grading " + d.dir, Run: d.dir, Paint: env.ErrTerm.Paint()}, progress: &p})
	err := grading.Run(ctx, d.Database, d.boards, cmp.Or(f.workers, runtime.GOMAXPROCS(0)), &p)
	shown.Stop()
	if errors.Is(err, context.Canceled) {
		how := "records that have measures keep them"
		if all := p.All.Load(); all > 0 {
			how = fmt.Sprintf("%s of %s have measures", quantity.Count(p.Done.Load()), quantity.Count(all))
		}
		fmt.Fprintf(env.Err, "stopped; %s\ncontinue with: %s\n", how, env.Command("db", "grade", d.dir))
		return exit.Reported(exit.Incomplete)
	}
	return err
}

// gradingView shows how many records have measures.
type gradingView struct {
	*display.Steps
	progress *grading.Progress
}

func (v *gradingView) update() {
	done, all := v.progress.Done.Load(), v.progress.All.Load()
	if all == 0 {
		v.At("reading records", 0)
		return
	}
	v.At(fmt.Sprintf("%s of %s records", quantity.Count(done), quantity.Count(all)), float64(done)/float64(all))
}

// Frame draws the part that is done.
func (v *gradingView) Frame(width int) []string {
	v.update()
	return v.Steps.Frame(width)
}

// Line returns the same for programs.
func (v *gradingView) Line() string {
	v.update()
	return v.Steps.Line()
}
