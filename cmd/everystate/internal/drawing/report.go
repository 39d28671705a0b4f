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
		Short: "Write a page about a run, to send to somebody",
		Long: `Report writes one HTML file with what there is to say of a run: the board, the
counts, the layers as plots, the state graph if it is not large, the shortest
solution as an animation, the hardest boards with their solutions, and how it was
made. It needs no other file and no script. What a run does not know yet, such as
goal distances, is left out.`,
		Example: `  everystate report jam-93 -o jam-93.html
  everystate report 127.0.0.1:7000/huge-8x8 -n 8 -o huge.html`,
		Args:              shell.Exactly(1, "RUN"),
		ValidArgsFunction: runs.CompleteName,
		RunE:              func(cmd *cobra.Command, args []string) error { return makeReport(env, cmd, &f, args[0]) },
	}
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write to `FILE`, which appears when it is whole (default standard output)")
	cmd.Flags().BoolP("quiet", "q", false, "do not show how far it has come, which it never does")
	cmd.Flags().Lookup("quiet").Hidden = true
	cmd.Flags().IntVarP(&f.n, "number", "n", 6, "the `K` hardest boards, at the most")
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
