package boards

import (
	"cmp"
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

// Choice holds the flags that select how a text is read, and which of its boards.
type Choice struct {
	Metric, Notation, Level string
	Module                  string // a puzzle's name, or the file of a module

	headers [len(headerFlags)]string
	moves   string
}

// headerFlags are the headers of board files that have flags of their own. Those that
// only a few puzzles have are not listed in the help of every command.
var headerFlags = [...]struct {
	key, help string
	hidden    bool
}{
	{key: "goal", help: "the `GOAL`, as in the header of a board; docs/NOTATIONS.md lists the other headers, which are flags too"},
	{key: "size", help: "size, `ROWSxCOLUMNS`, of a board on one line"},
	{key: "symmetry", help: "merge symmetric states: on, off, or a `GROUP` that puzzles show names"},
	{key: "exit", help: "`SIDE` of the exit", hidden: true},
	{key: "vertical", help: "`VEHICLES` of one cell that move up and down", hidden: true},
	{key: "horizontal", help: "`VEHICLES` of one cell that move left and right", hidden: true},
	{key: "any", help: "`TILES` that cannot be told apart", hidden: true},
	{key: "box", help: "`ROWSxCOLUMNS` of a box", hidden: true},
	{key: "interchangeable", help: "`no`: every piece is distinct", hidden: true},
	{key: "rule", help: "`RULE` by which discs move", hidden: true},
	{key: "pegs", help: "number `N` of pegs", hidden: true},
	{key: "modulo", help: "count states once that differ by these `TURNS` of the whole, such as \"x y\", or rotations", hidden: true},
	{key: "fixed", help: "`no`: all faces turn", hidden: true},
}

// Flags adds the flags. of begins each description.
func (c *Choice) Flags(flags *pflag.FlagSet, of string) {
	flags.StringVar(&c.Metric, "metric", "", of+MetricHelp)
	flags.StringVar(&c.Notation, "notation", "", of+"`NOTATION` of the board (default: detected)")
	flags.StringVar(&c.Level, "level", "", of+"`LEVEL` of a game, or board of a file: a number, a name, the message before it, or all (default: the file's choice, or all)")
	flags.StringVar(&c.Module, "puzzle", "", of+ModuleHelp)
	flags.StringVar(&c.moves, "moves", "", of+"allow only these `MOVES`, such as U,F,R2 (permutation)")
	for i := range headerFlags {
		h := &headerFlags[i]
		flags.StringVar(&c.headers[i], h.key, "", of+h.help)
		flags.Lookup(h.key).Hidden = h.hidden
	}
}

// Given reports whether any of the flags has a value.
func (c *Choice) Given() bool { return *c != Choice{} }

// given returns the headers given by flags.
func (c *Choice) given() []families.Header {
	var all []families.Header
	for i := range headerFlags {
		h := &headerFlags[i]
		if c.headers[i] != "" {
			all = append(all, families.Header{Key: h.key, Value: c.headers[i]})
		}
	}
	return all
}

// Options returns the flags as the families' read options.
func (c *Choice) Options() puzzle.ReadOptions {
	return puzzle.ReadOptions{Metric: c.Metric, Notation: c.Notation, Level: c.Level, Moves: c.moves}
}

// Jobs reads the boards of the arguments.
func (c *Choice) Jobs(env *shell.Env, cmd *cobra.Command, args []string) ([]Job, error) {
	return c.jobs(env, cmd, args, c.Options())
}

// JobsToPlay reads the boards of the arguments, and those of random games too.
func (c *Choice) JobsToPlay(env *shell.Env, cmd *cobra.Command, args []string, seed string) ([]Job, error) {
	opts := c.Options()
	opts.Seed = seed
	return c.jobs(env, cmd, args, opts)
}

func (c *Choice) jobs(env *shell.Env, cmd *cobra.Command, args []string, opts puzzle.ReadOptions) ([]Job, error) {
	read, err := ReaderOf(cmd, c.Module, c.Notation, c.given())
	if err != nil {
		return nil, err
	}
	return Read(env, args, read, opts)
}

// Reading holds the flags for reading a board that is to be explored.
type Reading struct {
	Choice
	prune, fromGoals bool
}

// Flags adds the flags.
func (r *Reading) Flags(flags *pflag.FlagSet) {
	r.Choice.Flags(flags, "")
	flags.BoolVar(&r.prune, "prune", false, "prune moves after which no goal can be reached, and count them ("+
		namesOf(func(f *families.Family) bool { return f.Prunes })+")")
	flags.BoolVar(&r.fromGoals, "from-goals", false, "start from all goals and undo moves ("+
		namesOf(func(f *families.Family) bool {
			return slices.ContainsFunc(f.Metrics, func(m families.Metric) bool { return m.FromGoals })
		})+")")
}

// namesOf lists the families for which is returns true.
func namesOf(is func(*families.Family) bool) string {
	var names []string
	for _, f := range families.All() {
		if is(&f) {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Check checks what can be checked without reading a board.
func (r *Reading) Check(cmd *cobra.Command) error {
	switch {
	case r.Metric != "" && r.fromGoals:
		return exit.Usagef(cmd, "--from-goals has a metric of its own: leave out --metric %s", r.Metric)
	case isModule(r.Module) && (r.prune || r.fromGoals):
		return exit.Usagef(cmd, "--prune and --from-goals work only with built-in puzzles")
	}
	return KnownMetric(cmd, r.Metric, r.Module)
}

// Jobs reads the boards of the arguments.
func (r *Reading) Jobs(env *shell.Env, cmd *cobra.Command, args []string) ([]Job, error) {
	opts := r.Options()
	opts.Prune, opts.FromGoals = r.prune, r.fromGoals
	return r.jobs(env, cmd, args, opts)
}

// MetricNames lists the metrics of all puzzles, including their aliases.
func MetricNames() []string {
	var names []string
	for _, f := range families.All() {
		for _, m := range f.Metrics {
			names = append(append(names, m.Name), m.Aliases...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// NotationNames lists the notations of all puzzles.
func NotationNames() []string {
	var names []string
	for _, f := range families.All() {
		for _, format := range f.Formats {
			names = append(names, format.Name)
		}
	}
	return names
}

// FamilyNames lists the puzzles.
func FamilyNames() []string {
	return strings.Split(namesOf(func(*families.Family) bool { return true }), ", ")
}

// MeantFamily is shell.Meant for the name of a puzzle, or else for another of its names.
func MeantFamily(name string) string {
	var others []string
	for _, f := range families.All() {
		others = append(others, f.Aliases...)
	}
	return cmp.Or(shell.Meant(name, FamilyNames()), shell.Meant(name, others))
}

// isModule distinguishes a module from the name of a puzzle.
func isModule(puzzle string) bool {
	_, known := families.ByName(puzzle)
	return puzzle != "" && !known
}

// KnownMetric refuses a metric that no puzzle has.
func KnownMetric(cmd *cobra.Command, metric, module string) error {
	if metric == "" || isModule(module) {
		return nil
	}
	known := MetricNames()
	if slices.Contains(known, metric) {
		return nil
	}
	return exit.Usagef(cmd, "--metric: no puzzle has a metric %q (`%s` lists them)%s", metric, "everystate puzzles", shell.Meant(metric, known))
}
