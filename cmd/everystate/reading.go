package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

const metricHelp = "`METRIC`, what counts as one move: see puzzles (default the file's, else the puzzle's usual one)"

// reading holds the flags that say how a board that is to be explored is read.
type reading struct {
	notation, metric, module string
	prune, fromGoals         bool
}

func (r *reading) flags(flags *pflag.FlagSet) {
	flags.StringVar(&r.metric, "metric", "", metricHelp)
	flags.StringVar(&r.notation, "notation", "", "`NOTATION` in which the board is written (default recognised)")
	flags.StringVar(&r.module, "puzzle", "", moduleHelp)
	flags.BoolVar(&r.prune, "prune", false, "leave out, and count, moves after which no goal can be reached ("+
		namesOf(func(f *families.Family) bool { return f.Prunes })+")")
	flags.BoolVar(&r.fromGoals, "from-goals", false, "begin with all goals, and take moves back ("+
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

// check looks at what no board needs to be read for.
func (r *reading) check(cmd *cobra.Command) error {
	switch {
	case r.metric != "" && r.fromGoals:
		return usagef(cmd, "--from-goals is a metric of its own: it is not for --metric %s", r.metric)
	case r.module != "" && (r.prune || r.fromGoals):
		return usagef(cmd, "--prune and --from-goals are for the puzzles that are built in")
	}
	return knownMetric(cmd, r.metric, r.module)
}

// jobs reads the boards of the arguments.
func (r *reading) jobs(env *app, cmd *cobra.Command, args []string) ([]job, error) {
	read, err := readerOf(cmd, r.module, r.notation)
	if err != nil {
		return nil, err
	}
	return readJobs(env, args, read, puzzle.ReadOptions{
		Metric: r.metric, Notation: r.notation, Prune: r.prune, FromGoals: r.fromGoals,
	})
}

func knownMetric(cmd *cobra.Command, metric, module string) error {
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
	return usagef(cmd, "--metric: no puzzle has a metric %q: `%s` lists them", metric, "everystate puzzles")
}
