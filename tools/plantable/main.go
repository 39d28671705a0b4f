// Command plantable compares the estimates of `everystate plan` with finished spaces,
// and prints the table of docs/RESULTS.md. It must take the true numbers only from
// testdata/truth, and never leave out an estimate because it is bad.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/everystate/everystate/internal/estimate"
	"github.com/everystate/everystate/internal/test/truth"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/tools/measure"
)

// chosen are spaces of every family that are too large to be counted, given by the
// beginnings of their records' names with the metric.
var chosen = []string{
	"rush-aveiro8b-13/unit", "rush-deep-8x8/step", "rush-large-8x8/step",
	"tiles-2x5-solved/tile", "tiles-3x4-solved/tile", "tiles-3x4-solved/line",
	"hanoi-3-13", "hanoi-4-13", "hanoi-5-9",
	"pancake-10", "burnt-8", "cube2-solved/htm", "cube2-solved/qtm", "topspin-11-4",
	"sokoban-microban-111/push", "sokoban-microban-109/move", "sokoban-xsokoban-001/push", "sokoban-xsokoban-001/backward-push", "sokoban-kids-061/push",
	"peg-english-centre/jump", "sudoku-4x4-empty/any-cell",
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "plantable: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("plantable", flag.ContinueOnError)
	root := flags.String("root", ".", "the repository's `DIR`")
	only := flags.String("only", strings.Join(chosen, ","), "spaces whose names begin with one of `A,B`")
	o := estimate.Options{States: 1_000_000, Steps: 20_000_000}
	flags.IntVar(&o.States, "states", o.States, "count the first `N` states exactly")
	flags.Int64Var(&o.Steps, "steps", o.Steps, "make `N` random moves")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the random walks, `N`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	records, err := truth.ReadAll(*root)
	if err != nil {
		return err
	}
	fmt.Println("| Space | States | Estimate | By the truth | From | To | By |\n|---|--:|--:|--:|--:|--:|---|")
	for prefix := range strings.SplitSeq(*only, ",") {
		for i := range records {
			r := &records[i]
			if name := r.ID + "/" + r.Metric; r.Reachable != nil && r.Represented == nil && strings.HasPrefix(name, prefix) {
				if err := row(ctx, r, o); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				break
			}
		}
	}
	return nil
}

// unknown hides that a puzzle knows its number of states: the table is of estimates.
type unknown struct{ puzzle.Puzzle }

func row(ctx context.Context, r *truth.Record, o estimate.Options) error {
	text, err := r.Text()
	if err != nil {
		return err
	}
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{Metric: r.Metric})
	if err != nil {
		return err
	}
	e, err := estimate.Of(ctx, unknown{boards[0].Puzzle}, o)
	if err != nil {
		return err
	}
	known := float64(*r.Reachable)
	name := r.ID
	if !strings.HasSuffix(name, "/"+r.Metric) {
		name += "/" + r.Metric
	}
	by := string(e.Method)
	if !e.Converged && e.Method == estimate.Walks {
		by += ", not converged"
	}
	if e.Low > known || e.High < known {
		by += ", **missed**"
	}
	short := func(n float64) string { return strconv.FormatFloat(n, 'g', 3, 64) }
	fmt.Printf("| %s | %s | %s | %.2f | %s | %s | %s |\n", name, measure.Grouped(*r.Reachable), short(e.States), e.States/known, short(e.Low), short(e.High), by)
	return nil
}
