package boards

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// MetricHelp describes --metric.
const MetricHelp = "what counts as one move, a `METRIC` of the puzzle (default: the file's, or the puzzle's default)"

// Reading holds the flags that say how a board that is to be explored is read.
type Reading struct {
	notation, metric, module string
	prune, fromGoals         bool
}

// Flags adds the flags.
func (r *Reading) Flags(flags *pflag.FlagSet) {
	flags.StringVar(&r.metric, "metric", "", MetricHelp)
	flags.StringVar(&r.notation, "notation", "", "`NOTATION` of the board (default: detected)")
	flags.StringVar(&r.module, "puzzle", "", ModuleHelp)
	flags.BoolVar(&r.prune, "prune", false, "prune moves after which no goal can be reached, and count them ("+
		namesOf(func(f *families.Family) bool { return f.Prunes })+")")
	flags.BoolVar(&r.fromGoals, "from-goals", false, "start from all goals and undo moves ("+
		namesOf(func(f *families.Family) bool {
			return slices.ContainsFunc(f.Metrics, func(m families.Metric) bool { return m.FromGoals })
		})+")")
}

// namesOf lists the families of a kind.
func namesOf(is func(*families.Family) bool) string {
	var names []string
	for _, f := range families.All() {
		if is(&f) {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Check looks at what no board needs to be read for.
func (r *Reading) Check(cmd *cobra.Command) error {
	switch {
	case r.metric != "" && r.fromGoals:
		return exit.Usagef(cmd, "--from-goals has a metric of its own: leave out --metric %s", r.metric)
	case r.module != "" && (r.prune || r.fromGoals):
		return exit.Usagef(cmd, "--prune and --from-goals work only with built-in puzzles")
	}
	return KnownMetric(cmd, r.metric, r.module)
}

// Jobs reads the boards of the arguments.
func (r *Reading) Jobs(env *shell.Env, cmd *cobra.Command, args []string) ([]Job, error) {
	read, err := ReaderOf(cmd, r.module, r.notation)
	if err != nil {
		return nil, err
	}
	return Read(env, args, read, puzzle.ReadOptions{
		Metric: r.metric, Notation: r.notation, Prune: r.prune, FromGoals: r.fromGoals,
	})
}

// KnownMetric refuses a metric that no puzzle has.
func KnownMetric(cmd *cobra.Command, metric, module string) error {
	if metric == "" || module != "" {
		return nil
	}
	for _, f := range families.All() {
		for _, m := range f.Metrics {
			if metric == m.Name || slices.Contains(m.Aliases, metric) {
				return nil
			}
		}
	}
	return exit.Usagef(cmd, "--metric: no puzzle has a metric %q (`%s` lists them)", metric, "everystate puzzles")
}
