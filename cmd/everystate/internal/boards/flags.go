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

// Choice holds the flags that say how a text is read, and which of its boards.
type Choice struct{ Metric, Notation, Level, Module string }

// Flags adds the flags. of begins what is said of each.
func (c *Choice) Flags(flags *pflag.FlagSet, of string) {
	flags.StringVar(&c.Metric, "metric", "", of+MetricHelp)
	flags.StringVar(&c.Notation, "notation", "", of+"`NOTATION` of the board (default: detected)")
	flags.StringVar(&c.Level, "level", "", of+"one `LEVEL` of a game, or board of a file: its number, its name or the message before it; or all (default: the file's choice, else all)")
	flags.StringVar(&c.Module, "puzzle", "", of+ModuleHelp)
}

// Given reports whether any of the flags has a value.
func (c *Choice) Given() bool { return *c != Choice{} }

// Options returns the flags as the families have them.
func (c *Choice) Options() puzzle.ReadOptions {
	return puzzle.ReadOptions{Metric: c.Metric, Notation: c.Notation, Level: c.Level}
}

// Jobs reads the boards of the arguments.
func (c *Choice) Jobs(env *shell.Env, cmd *cobra.Command, args []string) ([]Job, error) {
	return c.jobs(env, cmd, args, c.Options())
}

func (c *Choice) jobs(env *shell.Env, cmd *cobra.Command, args []string, opts puzzle.ReadOptions) ([]Job, error) {
	read, err := ReaderOf(cmd, c.Module, c.Notation)
	if err != nil {
		return nil, err
	}
	return Read(env, args, read, opts)
}

// Reading holds the flags that say how a board that is to be explored is read.
type Reading struct {
	Choice
	prune, fromGoals bool
}

// Flags adds the flags.
func (r *Reading) Flags(flags *pflag.FlagSet) {
	r.Choice.Flags(flags, "")
	flags.BoolVar(&r.prune, "prune", false, "leave out, and count, moves after which no goal can be reached ("+
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
	case r.Metric != "" && r.fromGoals:
		return exit.Usagef(cmd, "--from-goals is a metric of its own: it is not for --metric %s", r.Metric)
	case r.Module != "" && (r.prune || r.fromGoals):
		return exit.Usagef(cmd, "--prune and --from-goals are for the puzzles that are built in")
	}
	return KnownMetric(cmd, r.Metric, r.Module)
}

// Jobs reads the boards of the arguments.
func (r *Reading) Jobs(env *shell.Env, cmd *cobra.Command, args []string) ([]Job, error) {
	opts := r.Options()
	opts.Prune, opts.FromGoals = r.prune, r.fromGoals
	return r.jobs(env, cmd, args, opts)
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
