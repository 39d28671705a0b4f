package drawing

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/report"
	"github.com/everystate/everystate/internal/terminal/display"
)

// reporting holds the flags of the command.
type reporting struct {
	boards.Choice
	out      string
	n        int
	playable bool
	quiet    bool
}

// ReportCommand is `everystate report`.
func ReportCommand(env *shell.Env) *cobra.Command {
	var f reporting
	cmd := &cobra.Command{
		Use:   "report RUN|FILE",
		Short: "Write a one-page HTML report of a run, or of the levels of a game",
		Long: `Report renders a one-page HTML report of a run: the board, the counts, plots of the
layers, the state graph if it is small, a shortest solution as an animation, the
hardest boards with their solutions, and the command that made it. The file is
self-contained and has no scripts. What the run has not computed, such as goal
distances, is left out.

Given a FILE, report explores each of its boards or levels first, in a temporary
directory and up to 5,000,000 states. Several levels are compared in a table: states,
length and number of the shortest solutions, the hardest state, the share of dead
states (from which no goal can be reached) and the depth of the first.

With --playable, the file is a page to play on instead, which needs neither Everystate
nor a network: the board with the distance to the goal after every move, the solutions,
and the state graph. The run must be complete, with goal distances, and have at most
500,000 states.`,
		Example: `  everystate report jam-93 -o jam-93.html
  everystate report 127.0.0.1:7000/huge-8x8 -n 8 -o huge.html
  everystate report jam-93 --playable -o jam.html
  everystate report game.txt --level all -o game.html`,
		Args:              shell.Exactly(1, "RUN|FILE"),
		ValidArgsFunction: runs.CompleteName,
		RunE:              func(cmd *cobra.Command, args []string) error { return makeReport(env, cmd, &f, args[0]) },
	}
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write to `FILE`, which appears once complete (default: standard output)")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "do not show progress")
	cmd.Flags().Lookup("quiet").Hidden = true
	cmd.Flags().BoolVar(&f.playable, "playable", false, "a page to play on, with all states and moves")
	shell.CountVarP(cmd.Flags(), &f.n, "number", "n", 6, "at most `K` of the hardest boards")
	f.Flags(cmd.Flags(), "for a FILE: ")
	return cmd
}

func makeReport(env *shell.Env, cmd *cobra.Command, f *reporting, arg string) error {
	if f.n < 0 {
		return exit.Usagef(cmd, "-n %d: must be 0 or more", f.n)
	}
	if f.playable && cmd.Flags().Changed("number") {
		return exit.Usagef(cmd, "-n works only without --playable, which has all states")
	}
	if _, err := shell.FormatOf(cmd, "", f.out, "html", "htm"); err != nil {
		return err
	}
	if f.toOutput() && env.OutTerm.Is() {
		return exit.Usagef(cmd, "HTML is not for a terminal: name a file with -o FILE")
	}
	if err := boards.KnownMetric(cmd, f.Metric, f.Module); err != nil {
		return err
	}
	if f.Module != "" || runs.IsFile(arg) {
		return reportFile(env, cmd, f, arg)
	}
	if f.Given() {
		return exit.Usagef(cmd, "--metric, --notation, --level and --puzzle work only with a FILE: a run has its own")
	}
	return runs.Ask(cmd.Context(), env, arg, func(r runs.View) error { return writeReport(cmd.Context(), env, f, r) })
}

// writeReport writes the report on one run.
func writeReport(ctx context.Context, env *shell.Env, f *reporting, r runs.View) error {
	if f.playable {
		return writePlayable(ctx, env, f, r)
	}
	if err := query.Whole(r.Space()); err != nil {
		return err
	}
	view, shown := steps(env, f.quiet, "report", "reporting on ", runs.NameOf(r))
	o := f.options(env)
	o.Progress = view.At
	page, err := report.New(ctx, r, o)
	shown.Stop()
	if err != nil {
		return err
	}
	return f.write(env, page.Write)
}

// steps shows the progress of what is done with a run after it was explored.
func steps(env *shell.Env, quiet bool, phase, title, run string) (*display.Steps, *display.Display) {
	view := &display.Steps{Phase: phase, Title: title + run, Run: run, Paint: env.ErrTerm.Paint()}
	return view, env.Show(quiet, view)
}

func (f *reporting) toOutput() bool { return f.out == "" || f.out == "-" }

func (f *reporting) options(env *shell.Env) report.Options {
	return report.Options{Hardest: f.n, Version: env.Build.String(), Date: time.Now().Format(time.DateOnly)}
}

// write writes a page to the chosen output.
func (f *reporting) write(env *shell.Env, page func(io.Writer) error) error {
	to := func(o *shell.Output) error {
		err := page(o)
		return cmp.Or(o.Flush(), err)
	}
	if f.toOutput() {
		return to(env.Out)
	}
	return shell.WriteWhole(f.out, to)
}

// reportFile explores the boards of a file and writes a report on them.
func reportFile(env *shell.Env, cmd *cobra.Command, f *reporting, arg string) error {
	ctx := cmd.Context()
	jobs, err := f.Jobs(env, cmd, []string{arg})
	if err != nil {
		return err
	}
	if f.playable && len(jobs) > 1 {
		return exit.Usagef(cmd, "--playable is a page of one board: %s has %d (choose one with --level)", arg, len(jobs))
	}
	if len(jobs) == 1 {
		return withExplored(ctx, env, exploredFor{distances: true, quiet: f.quiet}, &jobs[0], engine.Options{}, func(r runs.View) error { return writeReport(ctx, env, f, r) })
	}
	book := report.Book{Title: filepath.Base(arg)}
	for i := range jobs {
		place := fmt.Sprintf(", board %d of %d", i+1, len(jobs))
		err := withExplored(ctx, env, exploredFor{distances: true, quiet: f.quiet}, &jobs[i], engine.Options{}, func(r runs.View) error {
			view, shown := steps(env, f.quiet, "report", "reporting on ", jobs[i].Board.Name+place)
			defer shown.Stop()
			o := f.options(env)
			o.Progress = view.At
			return book.Add(ctx, r, o)
		})
		text, code := exit.Of(err)
		switch {
		case code == exit.Incomplete:
			book.AddFault(jobs[i].Board.Name, text)
		case err != nil:
			return err
		}
	}
	return f.write(env, book.Write)
}
