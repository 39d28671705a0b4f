package plan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/estimate"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/table/divided"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/internal/tablemaker"
	"github.com/everystate/everystate/internal/terminal/display"
	"github.com/everystate/everystate/puzzle"
)

// modeJSON is what a run takes that keeps its states in one way: docs/JSON.md.
type modeJSON struct {
	Mode        estimate.Mode `json:"mode"`
	Seconds     *rangeJSON    `json:"seconds"`
	DiskBytes   *rangeJSON    `json:"disk_bytes"`
	MemoryBytes *float64      `json:"memory_bytes"`
	Impossible  string        `json:"impossible,omitempty"`
	Unmerged    bool          `json:"unmerged,omitempty"`
	Pages       bool          `json:"pages,omitempty"`
}

func modesOf(needs []estimate.Need) []modeJSON {
	var all []modeJSON
	for _, n := range needs {
		m := modeJSON{Mode: n.Mode, Impossible: n.Not, Unmerged: n.Unmerged, Pages: n.Pages}
		if n.Not == "" {
			m.Seconds, m.DiskBytes, m.MemoryBytes = new(jsonRange(n.Seconds)), new(jsonRange(n.Disk)), new(math.Round(n.Memory))
		}
		all = append(all, m)
	}
	return all
}

// flagsOf are the flags that choose a mode.
var flagsOf = map[estimate.Mode]string{ //nolint:gochecknoglobals // never changed
	estimate.Layers: "--store layers", estimate.Frontier: "--keep frontier", estimate.Table: "--store table",
}

// explores returns how explore, or submit for several workers, keeps a new run if it is not
// told. If symmetric blocks have to be merged for longer than stoppedAfter, a table is about to
// be made.
func (f *plan) explores(ctx context.Context, env *shell.Env, p puzzle.Puzzle) (estimate.Mode, error) {
	view := &display.Steps{Phase: "plan", Title: "finding out what explore would do", Paint: env.ErrTerm.Paint()}
	shown := env.Show(f.quiet, view)
	defer shown.Stop()
	began := time.Now()
	preparing := func(done float64) bool {
		view.At("grouping symmetric blocks", done)
		return ctx.Err() == nil && time.Since(began) < stoppedAfter
	}
	table, err := f.keepsTable(p, preparing)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, context.Canceled) || table:
		return estimate.Table, nil
	}
	return estimate.Layers, err
}

// keepsTable reports whether a new run keeps a table if it is not told.
func (f *plan) keepsTable(p puzzle.Puzzle, preparing func(done float64) bool) (bool, error) {
	if f.workers == 1 {
		return engine.Options{Workers: f.lanes, MemoryBytes: int64(f.memory), Store: engine.StoreAuto, Preparing: preparing}.KeepsTable(p)
	}
	t, err := stored.NewWithin(f.tableMemory(), false, p, 1, f.lanes, preparing)
	if errors.Is(err, stored.ErrStopped) {
		return false, err
	}
	return err == nil && stored.WorthAtOne(t, f.lanes, f.lanes*f.workers), nil
}

// tableMemory returns the memory for a table that is kept in one place.
func (f *plan) tableMemory() int64 {
	if f.workers > 1 {
		return tablemaker.WorkerShare(int64(f.memory))
	}
	return int64(f.memory)
}

// undivided returns why the workers of a cluster cannot divide a table of a puzzle, empty if
// they can.
func undivided(p puzzle.Puzzle) string {
	switch err := divided.Check(p, 1); {
	case err == nil:
		return ""
	case errors.Is(err, divided.ErrNoUndo):
		return "workers can divide a table only if moves can be undone by moves"
	}
	return "the states cannot be numbered densely"
}

const stoppedAfter = 10 * time.Second

// printModes lists what a run takes in each mode.
func printModes(env *shell.Env, p *Planned) {
	fmt.Fprintf(env.Out, "\n%-15s  %-12s  %-13s  %s\n", "kept as", "time", "--memory from", "disk at its peak")
	for _, m := range p.Modes {
		if m.Impossible != "" {
			fmt.Fprintf(env.Out, "%-15s  not possible: %s\n", flagsOf[m.Mode], m.Impossible)
			continue
		}
		without := ""
		if m.Unmerged {
			without = ", without --symmetry"
		}
		if m.Pages {
			without += ", with the table on disk"
		}
		if m.Mode == p.Explores {
			without += ", the default"
		}
		fmt.Fprintf(env.Out, "%-15s  %-12s  %-13s  %s%s\n", flagsOf[m.Mode], quantity.Seconds(m.Seconds.Likely), inBytes(*m.MemoryBytes), about(*m.DiskBytes, inBytes), without)
	}
}
