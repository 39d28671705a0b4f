package puzzles

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/wasm"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/conformance"
)

// ModuleJSON is described in docs/JSON.md.
type ModuleJSON struct {
	Module   string        `json:"module"`
	Metric   string        `json:"metric"`
	Note     string        `json:"note"`
	States   int           `json:"states"`
	All      bool          `json:"all_states"`
	Findings []findingJSON `json:"findings"`
}

type findingJSON struct {
	Rule string `json:"rule"`
	What string `json:"what"`
}

func checkPuzzleCommand(env *shell.Env) *cobra.Command {
	var statesMax int
	var metric string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check MODULE [FILE]",
		Short: "Check a puzzle module of your own",
		Long: `Check tests whether a WebAssembly module keeps the contract of a puzzle, and
explains each violation (docs/WASM.md). It examines states near the starts of the
board in FILE, states on random walks, and keys that may not be states. Without FILE
the module gets an empty text.`,
		Example: `  everystate puzzles check mine.wasm board.txt
  everystate puzzles check mine.wasm board.txt --states 100000`,
		Args: shell.Between(1, 2, "MODULE [FILE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if statesMax < 1 {
				return exit.Usagef(cmd, "--states %d: must be 1 or more", statesMax)
			}
			return checkPuzzle(env, args, metric, statesMax, asJSON)
		},
	}
	shell.CountVar(cmd.Flags(), &statesMax, "states", 500, "examine `N` states near the starts, and about as many more on random walks")
	cmd.Flags().StringVar(&metric, "metric", "", "what counts as one move, a `METRIC` of the module (default: the file's, or the module's default)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

func checkPuzzle(env *shell.Env, args []string, metric string, statesMax int, asJSON bool) error {
	module, err := boards.ReadModule(args[0])
	if err != nil {
		return err
	}
	name := filepath.Base(args[0])
	read := boards.ModuleReader(module, name)
	opts := puzzle.ReadOptions{Metric: metric}
	in, found, err := boards.Parse(boards.Input{Label: "empty text"}, nil, read, opts)
	if len(args) > 1 {
		in, found, err = boards.ReadArgument(env, args[1], read, opts)
	}
	if err != nil {
		if _, code := exit.Of(err); code == exit.Puzzle {
			return err
		}
		return exit.Refused(boards.Placed(in.Label, err))
	}
	board := found[0]
	r := conformance.Check(board, conformance.Options{StatesMax: statesMax, Read: read, AllocsPerRun: allocsPerRun})
	if err := puzzle.Err(board.Puzzle); err != nil {
		// What was found since follows from it.
		return err
	}
	if asJSON {
		out := ModuleJSON{Module: name, Metric: board.Metric, Note: board.Note, States: r.States, All: r.Whole, Findings: []findingJSON{}}
		for _, f := range r.Findings {
			out.Findings = append(out.Findings, findingJSON{f.Rule, f.What})
		}
		if err := env.JSON(out); err != nil || len(r.Findings) == 0 {
			return err
		}
		return exit.Reported(exit.Puzzle)
	}
	fmt.Fprintf(env.Out, "%s (%s): %s\n", name, board.Metric, board.Note)
	states := quantity.Counted(int64(r.States), "state")
	if r.Whole {
		states = "all " + states
	}
	for _, f := range r.Findings {
		fmt.Fprintf(env.Out, "  %s\n", f)
	}
	if n := len(r.Findings); n > 0 {
		fmt.Fprintf(env.Out, "%s examined\n", states)
		return exit.Errorf(exit.Puzzle, "%s violates %s", name, quantity.Counted(int64(n), "promise"))
	}
	fmt.Fprintf(env.Out, "%s examined: no faults found\n", states)
	return env.Out.Flush()
}

// allocsPerRun counts allocations like testing.AllocsPerRun.
func allocsPerRun(runs int, f func()) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return float64((after.Mallocs - before.Mallocs) / uint64(runs))
}

// isModule reports whether a file begins like a WebAssembly module.
func isModule(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // it is read only
	var head [4]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && string(head[:]) == "\x00asm"
}

// showModule prints what only its module knows about a board, if the board's puzzle
// is a module.
func showModule(env *shell.Env, b *puzzle.Board) error {
	module := wasm.ModuleOf(b.Puzzle)
	if module == "" {
		return nil
	}
	l := b.Puzzle.Layout()
	can := []string{"some moves cannot be undone", "no goals"}
	if l.Reversible {
		can[0] = "every move can be undone by a move"
	}
	if l.HasGoal {
		can[1] = "goals"
	}
	if _, ok := b.Puzzle.(puzzle.Onward); ok {
		can = append(can, "parent pruning")
	}
	if _, ok := b.Puzzle.(puzzle.Backward); ok {
		can = append(can, "predecessors")
	}
	fmt.Fprintf(env.Out, "module  %s, sha256:%s\n", quantity.Bytes(int64(len(module))), wasm.Hash([]byte(module)))
	fmt.Fprintf(env.Out, "keys    of %s, %s, %s\n", quantity.Counted(int64(l.KeyBits), "bit"), quantity.Counted(int64(l.Moves), "move"),
		quantity.Counted(int64(len(b.Puzzle.Starts())/l.Words()), "start"))
	fmt.Fprintf(env.Out, "rules   %s\n", strings.Join(can, ", "))
	fmt.Fprintf(env.Out, "\n%s\n", b.Puzzle.Draw(b.Puzzle.Starts()[:l.Words()]))
	return puzzle.Err(b.Puzzle)
}
