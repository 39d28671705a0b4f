package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/wasm"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/conformance"
	"github.com/everystate/everystate/puzzle/families"
)

const moduleHelp = "WebAssembly module `MODULE` with the rules of the puzzle (docs/WASM.md)"

// boardReader reads all boards of a text.
type boardReader func(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error)

// readerOf returns what reads boards: the families, or a module if one is given.
func readerOf(cmd *cobra.Command, module, notation string) (boardReader, error) {
	if module == "" {
		return families.Read, nil
	}
	if notation != "" {
		return nil, usagef(cmd, "--notation is for the puzzles that are built in: a module has one of its own")
	}
	bytes, err := readModule(module)
	if err != nil {
		return nil, err
	}
	return moduleReader(bytes, filepath.Base(module)), nil
}

func moduleReader(module []byte, name string) boardReader {
	return func(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
		b, err := wasm.Open(module, string(text), wasm.Options{Name: name, Metric: opts.Metric})
		if err != nil {
			return nil, err
		}
		return []puzzle.Board{b}, nil
	}
}

func readModule(path string) (module []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, failf(exitUsage, "%s", placed(path, err))
	}
	defer func() { err = cmp.Or(err, f.Close()) }()
	module, err = io.ReadAll(io.LimitReader(f, wasm.ModuleBytesMax+1))
	if err != nil {
		return nil, failf(exitUsage, "%s", placed(path, err))
	}
	return module, nil
}

func checkPuzzleCommand(env *app) *cobra.Command {
	var statesMax int
	var metric string
	cmd := &cobra.Command{
		Use:   "check MODULE [FILE]",
		Short: "Examine a puzzle of your own",
		Long: `Check examines whether a WebAssembly module keeps what a puzzle promises, and
says in words where it does not (docs/WASM.md). It looks at states near the starts
of the board in FILE, on random walks, and at keys that may be no states. Without
FILE the module is given an empty text.`,
		Example: `  everystate puzzles check mine.wasm board.txt
  everystate puzzles check mine.wasm board.txt --states 100000`,
		Args: between(1, 2, "MODULE [FILE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if statesMax < 1 {
				return usagef(cmd, "--states %d: must be 1 or more", statesMax)
			}
			return checkPuzzle(env, args, metric, statesMax)
		},
	}
	cmd.Flags().IntVar(&statesMax, "states", 500, "examine `N` states near the starts, and about as many others")
	cmd.Flags().StringVar(&metric, "metric", "", "`METRIC`, what counts as one move (default the file's, else the module's usual one)")
	return cmd
}

func checkPuzzle(env *app, args []string, metric string, statesMax int) error {
	module, err := readModule(args[0])
	if err != nil {
		return err
	}
	name := filepath.Base(args[0])
	read := moduleReader(module, name)
	opts := puzzle.ReadOptions{Metric: metric}
	in, boards, err := parse(input{label: "empty text"}, nil, read, opts)
	if len(args) > 1 {
		in, boards, err = readArgument(env, args[1], read, opts)
	}
	if err != nil {
		if _, code := exitOf(err); code == exitPuzzle {
			return err
		}
		return failf(exitUsage, "%s", placed(in.label, err))
	}
	board := boards[0]
	r := conformance.Check(board, conformance.Options{StatesMax: statesMax, Read: read, AllocsPerRun: allocsPerRun})
	if err := puzzle.Err(board.Puzzle); err != nil {
		// What was found since is its echo.
		return err
	}
	fmt.Fprintf(env.out, "%s (%s): %s\n", name, board.Metric, board.Note)
	states := quantity.Counted(int64(r.States), "state")
	if r.Whole {
		states = "all " + states
	}
	for _, f := range r.Findings {
		fmt.Fprintf(env.out, "  %s\n", f)
	}
	if n := len(r.Findings); n > 0 {
		fmt.Fprintf(env.out, "%s examined\n", states)
		return failf(exitPuzzle, "%s does not keep %s", name, quantity.Counted(int64(n), "promise"))
	}
	fmt.Fprintf(env.out, "%s examined: nothing wrong\n", states)
	return env.out.flush()
}

// allocsPerRun counts as testing.AllocsPerRun does.
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
