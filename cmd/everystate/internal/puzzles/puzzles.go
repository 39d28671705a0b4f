// Package puzzles implements the commands that explain the known puzzles, write
// the beginning of a new one, and examine a module.
package puzzles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// FamilyJSON is described in docs/JSON.md.
type FamilyJSON struct {
	Puzzle  string       `json:"puzzle"`
	Aliases []string     `json:"aliases"`
	Summary string       `json:"summary"`
	Metrics []metricJSON `json:"metrics"` // the default first
	Formats []formatJSON `json:"formats"`

	// Symmetries are the groups of --symmetry, omitted if there are none.
	Symmetries []symmetryJSON `json:"symmetries,omitempty"`
}

type metricJSON struct {
	Metric  string   `json:"metric"`
	Aliases []string `json:"aliases"`
	Summary string   `json:"summary"`
}

type symmetryJSON struct {
	Symmetry string `json:"symmetry"`
	Summary  string `json:"summary"`
}

type formatJSON struct {
	Format  string `json:"format"`
	Example string `json:"example"`
}

// Command returns `everystate puzzles`.
func Command(env *shell.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "puzzles",
		Short: "List the built-in puzzles",
		Long: `Puzzles lists the built-in puzzles: their names for the header "puzzle:" of a file,
their metrics (what counts as a move, --metric), the default first, and an example
of a board. puzzles show explains one, with an example of each notation; puzzles new
writes a template for a puzzle of your own.`,
		Example: `  everystate puzzles
  everystate puzzles show tiles`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exit.Usagef(cmd, "there is no command %q; `puzzles show %s` explains a puzzle%s", args[0], args[0], shell.Meant(args[0], []string{"show", "check", "new"}))
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error { return listPuzzles(env, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per puzzle (docs/JSON.md)")
	cmd.AddCommand(puzzlesShowCommand(env), checkPuzzleCommand(env), newPuzzleCommand(env))
	return cmd
}

func puzzlesShowCommand(env *shell.Env) *cobra.Command {
	var asJSON bool
	var as string
	var choice boards.Choice
	cmd := &cobra.Command{
		Use:   "show PUZZLE | show FILE",
		Short: "Explain a puzzle, or a board",
		Long: `Show explains a puzzle: its metrics, which define what counts as a move, and its
notations, each with an example that explore takes as it is. docs/NOTATIONS.md has
the details.

Given a FILE, show describes its board and, for a permutation puzzle, the order of its
group and the number of its states; with --puzzle MODULE, also the module. With --as
it writes the definition for twsearch and ksolve (tws) or for cubing.js and twips
(kpuzzle), or in Everystate's own notation (moves).`,
		Example: `  everystate puzzles show tiles
  everystate puzzles show rush-hour --json
  everystate puzzles show puzzles/permutation/skewb.txt
  everystate puzzles show puzzles/permutation/skewb.txt --as tws
  everystate puzzles show --puzzle mine.wasm board.txt`,
		Args: shell.Exactly(1, "PUZZLE"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return familyNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			_, known := families.ByName(args[0])
			info, err := os.Stat(args[0])
			isFile := err == nil && !info.IsDir()
			switch {
			case asJSON && !known && (isFile || choice.Given()):
				return exit.Usagef(cmd, "--json describes a PUZZLE, and %s is a FILE", args[0])
			case known && !isFile && (choice.Given() || as != ""):
				return exit.Usagef(cmd, "%s is a PUZZLE: --as, and the flags for a FILE, work only with a FILE", args[0])
			case choice.Given() || as != "" || !known && !asJSON:
				return showBoards(env, cmd, &choice, args[0], as)
			}
			return showPuzzle(env, args[0], asJSON)
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "write the definition in a `FILE` as tws, kpuzzle or moves (permutation)")
	shell.Choices(cmd.Flags(), "as", "tws", "kpuzzle", "moves")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	choice.Flags(cmd.Flags(), "for a FILE: ")
	return cmd
}

func listPuzzles(env *shell.Env, asJSON bool) error {
	for _, f := range families.All() {
		if asJSON {
			if err := env.JSON(DescribeFamily(&f)); err != nil {
				return err
			}
			continue
		}
		var formats []string
		for _, format := range f.Formats {
			formats = append(formats, format.Name)
		}
		fmt.Fprintf(env.Out, "%s: %s\n", env.Paint.Bold(f.Name), f.Summary)
		fmt.Fprintf(env.Out, "%s  %s\n", env.Paint.Faint("metrics  "), strings.Join(MetricNames(&f), ", "))
		fmt.Fprintf(env.Out, "%s  %s\n", env.Paint.Faint("notations"), strings.Join(formats, ", "))
		example(env, &f.Formats[0])
		fmt.Fprintln(env.Out)
	}
	if !asJSON {
		fmt.Fprintf(env.Out, "next  %s\n", env.Command("puzzles", "show", families.All()[0].Name))
	}
	return nil
}

// example prints the example of a notation.
func example(env *shell.Env, format *families.Format) {
	for line := range strings.SplitSeq(format.Example, "\n") {
		fmt.Fprintln(env.Out, strings.TrimRight("  "+line, " "))
	}
}

func showPuzzle(env *shell.Env, name string, asJSON bool) error {
	f, ok := families.ByName(name)
	if !ok {
		return exit.Errorf(exit.Usage, "there is no puzzle %q; the puzzles are %s%s", name, strings.Join(familyNames(), ", "), boards.MeantFamily(name))
	}
	if asJSON {
		return env.JSON(DescribeFamily(&f))
	}
	fmt.Fprintf(env.Out, "%s: %s\n", env.Paint.Bold(f.Name), f.Summary)
	if len(f.Aliases) > 0 {
		fmt.Fprintf(env.Out, "also called %s\n", strings.Join(f.Aliases, ", "))
	}
	fmt.Fprintf(env.Out, "\n%s\n", env.Paint.Faint("metrics, the default first"))
	width := 0
	for _, m := range f.Metrics {
		width = max(width, len(withAliases(m)))
	}
	for _, m := range f.Metrics {
		fmt.Fprintf(env.Out, "  %-*s  %s\n", width, withAliases(m), m.Summary)
	}
	if len(f.Symmetries) > 0 {
		fmt.Fprintf(env.Out, "\n%s\n", env.Paint.Faint("symmetries under which --symmetry merges states"))
		width = 0
		for _, s := range f.Symmetries {
			width = max(width, len(s.Name))
		}
		for _, s := range f.Symmetries {
			fmt.Fprintf(env.Out, "  %-*s  %s\n", width, s.Name, s.Summary)
		}
	}
	for _, format := range f.Formats {
		fmt.Fprintf(env.Out, "\n%s\n", env.Paint.Faint("notation "+format.Name))
		example(env, &format)
	}
	return nil
}

// showBoards describes the boards of a file.
func showBoards(env *shell.Env, cmd *cobra.Command, choice *boards.Choice, arg, as string) error {
	if err := boards.KnownMetric(cmd, choice.Metric, choice.Module); err != nil {
		return err
	}
	if isModule(arg) {
		return exit.Usagef(cmd, "%s is a module: its boards are shown by `%s`", arg, env.Command("puzzles", "show", "--puzzle", arg, "FILE"))
	}
	jobs, err := choice.Jobs(env, cmd, []string{arg})
	if _, absent := os.Stat(arg); err != nil && errors.Is(absent, fs.ErrNotExist) && !strings.ContainsAny(arg, ". /\n") {
		return exit.Errorf(exit.Usage, "there is no puzzle and no file %q; the puzzles are %s%s", arg, strings.Join(familyNames(), ", "), boards.MeantFamily(arg))
	}
	if err != nil {
		return err
	}
	for i := range jobs {
		b := &jobs[i].Board
		if as != "" {
			defined, ok := b.Puzzle.(puzzle.Defined)
			if !ok {
				return exit.Errorf(exit.Usage, "%s: --as is for definitions of moves, and this is %s", arg, b.Family)
			}
			text, what, ok := defined.Definition(as)
			if !ok {
				return exit.Errorf(exit.Usage, "%s: %s", arg, what)
			}
			fmt.Fprint(env.Out, text)
			continue
		}
		fmt.Fprintf(env.Out, "%s (%s, %s): %s\n", env.Paint.Bold(b.Name), b.Family, b.Metric, b.Note)
		if err := showModule(env, b); err != nil {
			return err
		}
		showSymmetries(env, b)
		sized, ok := puzzle.Unmerged(b.Puzzle).(puzzle.Sized)
		if !ok {
			continue
		}
		size := sized.Size()
		if size.Group != nil {
			fmt.Fprintf(env.Out, "group   of order %s, all pieces told apart\n", quantity.Big(size.Group))
		}
		if size.Exact {
			fmt.Fprintf(env.Out, "states  %s\n", quantity.Big(size.States))
		} else {
			fmt.Fprintf(env.Out, "states  at most %s\n", quantity.Big(size.States))
		}
	}
	return nil
}

// showSymmetries says how many symmetries a board has, or why it has none.
func showSymmetries(env *shell.Env, b *puzzle.Board) {
	symmetric, ok := puzzle.Unmerged(b.Puzzle).(puzzle.Symmetric)
	if !ok {
		return
	}
	family, _ := families.ByName(b.Family)
	for _, group := range family.Symmetries {
		s, err := symmetric.Symmetries(group.Name)
		if err != nil && group.Meant {
			continue
		}
		if err != nil {
			fmt.Fprintf(env.Out, "symmetry %s  none: %v\n", group.Name, err)
			continue
		}
		fmt.Fprintf(env.Out, "symmetry %s  %d: a state stands for up to as many\n", group.Name, len(s.Names))
	}
}

// withAliases returns the name of a metric with its aliases.
func withAliases(m families.Metric) string {
	if len(m.Aliases) == 0 {
		return m.Name
	}
	return fmt.Sprintf("%s (also %s)", m.Name, strings.Join(m.Aliases, ", "))
}

func familyNames() []string {
	var names []string
	for _, f := range families.All() {
		names = append(names, f.Name)
	}
	return names
}

// MetricNames lists the metrics of a family.
func MetricNames(f *families.Family) []string {
	var names []string
	for _, m := range f.Metrics {
		names = append(names, m.Name)
	}
	return names
}

// DescribeFamily describes a family.
func DescribeFamily(f *families.Family) FamilyJSON {
	d := FamilyJSON{Puzzle: f.Name, Aliases: shell.OrEmpty(f.Aliases), Summary: f.Summary}
	for _, m := range f.Metrics {
		d.Metrics = append(d.Metrics, metricJSON{m.Name, shell.OrEmpty(m.Aliases), m.Summary})
	}
	for _, format := range f.Formats {
		d.Formats = append(d.Formats, formatJSON{format.Name, format.Example})
	}
	for _, s := range f.Symmetries {
		d.Symmetries = append(d.Symmetries, symmetryJSON{s.Name, s.Summary})
	}
	return d
}
