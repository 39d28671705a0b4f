package drawing

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/portrait"
	"github.com/everystate/everystate/internal/report"
)

// reporting holds the flags of the command.
type reporting struct {
	out string
	n   int
}

// ReportCommand is `everystate report`.
func ReportCommand(env *shell.Env) *cobra.Command {
	var f reporting
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Write a one-page HTML report of a run",
		Long: `Report renders a one-page HTML report of a run: the board, the counts, plots of the
layers, the state graph if it is small, a shortest solution as an animation, the
hardest boards with their solutions, and the command that made it. The file is
self-contained and has no scripts. What the run has not computed, such as goal
distances, is left out.`,
		Example: `  everystate report jam-93 -o jam-93.html
  everystate report 127.0.0.1:7000/huge-8x8 -n 8 -o huge.html`,
		Args:              shell.Exactly(1, "RUN"),
		ValidArgsFunction: runs.CompleteName,
		RunE:              func(cmd *cobra.Command, args []string) error { return makeReport(env, cmd, &f, args[0]) },
	}
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write to `FILE`, which appears once complete (default: standard output)")
	cmd.Flags().BoolP("quiet", "q", false, "do not show progress")
	cmd.Flags().Lookup("quiet").Hidden = true
	cmd.Flags().IntVarP(&f.n, "number", "n", 6, "at most `K` of the hardest boards")
	return cmd
}

func makeReport(env *shell.Env, cmd *cobra.Command, f *reporting, arg string) error {
	if f.n < 0 {
		return exit.Usagef(cmd, "-n %d: must be 0 or more", f.n)
	}
	if _, err := shell.FormatOf(cmd, "", f.out, "html", "htm"); err != nil {
		return err
	}
	return runs.Ask(cmd.Context(), env, arg, func(r runs.View) error {
		page, err := report.New(cmd.Context(), r, report.Options{Hardest: f.n, Version: env.Build.String()})
		if none := new(portrait.NoPicturesError); errors.As(err, &none) {
			return exit.Errorf(exit.Usage, "%v", err)
		}
		if err != nil {
			return err
		}
		to := func(o *shell.Output) error {
			err := page.Write(o)
			return cmp.Or(o.Flush(), err)
		}
		if f.out == "" || f.out == "-" {
			return to(env.Out)
		}
		return shell.WriteWhole(f.out, to)
	})
}
