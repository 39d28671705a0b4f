// Package plan has the command that estimates what a run would need.
//
// It must never explore a whole space or store anything.
package plan

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/estimate"
	"github.com/everystate/everystate/internal/platform/disk"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/display"
	"github.com/everystate/everystate/puzzle"
)

// plan holds the flags of the command.
type plan struct {
	boards.Reading

	workers, lanes int
	memory         shell.Size
	goalDistance   bool

	seed   uint64
	states int
	steps  int64
	data   string
	json   bool
	quiet  bool
}

// Command is `everystate plan`.
func Command(env *shell.Env) *cobra.Command {
	f := plan{data: "."}
	cmd := &cobra.Command{
		Use:   "plan FILE...",
		Short: "Estimate the size of a space and the cost of exploring it",
		Long: `Plan counts the first layers of a space, samples the rest with random walks, and
estimates the number of states and the time, memory and disk that a run would take. It
keeps nothing. A space that ends within the first layers, or has no more than 262,144
states whatever --states is, is counted exactly.

The first lines describe the run that explore makes by default, as a table or as
layers; the list below them compares every way to keep the states.

Each estimate comes with the interval that nearly always contains the true number;
docs/RESULTS.md compares estimates with runs. If moves can be undone, the interval of
the states is 4 to 25 percent wide once the walks have converged; more --steps help if
they have not.
If moves cannot be undone, as in Sokoban and peg solitaire, the estimate is a guess, and
the interval shows it.

Times assume machines as fast as this one. The same seed gives the same estimate of
states.`,
		Example: `  everystate plan puzzles/rushhour/huge-8x8.txt
  everystate plan puzzles/tiles/huge-4x4.txt --workers 16 --lanes 32 --memory 96G --goal-distance
  everystate plan board.txt --json`,
		Args: shell.Between(1, 1<<20, "FILE..."),
		RunE: func(cmd *cobra.Command, args []string) error { return runPlan(env, cmd, &f, args) },
	}
	flags := cmd.Flags()
	f.Flags(flags)
	shell.IntVar(flags, &f.workers, "workers", 1, "for `N` workers, each on its own machine")
	runs.WorkersVar(flags, &f.lanes, "lanes", "with `N` parallel pipelines each (default: one per core of this machine)")
	flags.Var(&f.memory, "memory", "memory budget `SIZE` of each (default: 512MiB per pipeline, at most a quarter of this machine's)")
	flags.BoolVar(&f.goalDistance, "goal-distance", false, "for a run that also computes goal distances")
	flags.Uint64Var(&f.seed, "seed", 0, "seed `N` of the random walks")
	shell.CountVar(flags, &f.states, "states", 1_000_000, "count the first `N` states exactly")
	shell.CountVar(flags, &f.steps, "steps", 20_000_000, "make `N` random moves")
	flags.Var((*shell.Directory)(&f.data), "data", "with one worker: compare with the free space on the disk of `DIR`")
	flags.BoolVar(&f.json, "json", false, "print one JSON object per board (docs/JSON.md)")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "do not show progress")
	flags.Lookup("seed").DefValue = "0"
	return cmd
}

// Limits on what plan keeps in memory and samples.
const (
	planStatesMax = 1 << 28
	planStepsMax  = 1 << 40
)

func (f *plan) check(cmd *cobra.Command) error {
	switch {
	case f.workers < 1 || f.workers > 4096:
		return exit.Usagef(cmd, "--workers %d: must be from 1 to 4096", f.workers)
	case f.states < 1 || f.states > planStatesMax:
		return exit.Usagef(cmd, "--states %d: must be from 1 to %d", f.states, planStatesMax)
	case f.steps < 1 || f.steps > planStepsMax:
		return exit.Usagef(cmd, "--steps %d: must be from 1 to %d", f.steps, planStepsMax)
	}
	if err := (engine.Options{MemoryBytes: int64(f.memory)}).Validate(); err != nil {
		return exit.Usagef(cmd, "%v", err)
	}
	f.lanes = cmp.Or(f.lanes, runtime.GOMAXPROCS(0))
	f.memory = cmp.Or(f.memory, shell.Size(engine.DefaultMemory(f.lanes)))
	return f.Check(cmd)
}

func runPlan(env *shell.Env, cmd *cobra.Command, f *plan, args []string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	jobs, err := f.Jobs(env, cmd, args)
	if err != nil {
		return err
	}
	for i := range jobs {
		j := &jobs[i]
		made, err := planOne(cmd.Context(), env, f, j)
		if err != nil {
			return err
		}
		if f.json {
			err = env.JSON(made)
		} else {
			if i > 0 {
				fmt.Fprintln(env.Out)
			}
			printPlan(env, f, j, made)
		}
		if err = cmp.Or(env.Out.Flush(), err); err != nil {
			return err
		}
	}
	return nil
}

// Planned is what plan prints as JSON.
type Planned struct {
	Puzzle string `json:"puzzle"`
	Name   string `json:"name"`
	Metric string `json:"metric"`

	Method     estimate.Method `json:"method"`
	Exact      bool            `json:"exact"`
	Mixed      bool            `json:"mixed"`
	States     rangeJSON       `json:"states"`
	Valid      *float64        `json:"valid_states"`
	Formula    string          `json:"formula,omitempty"`
	Successors float64         `json:"successors_per_state"`
	Layers     []int64         `json:"first_layers"`
	Seed       uint64          `json:"seed"`

	Workers     int       `json:"workers"`
	Lanes       int       `json:"lanes"`
	MemoryBytes int64     `json:"memory_bytes"`
	Seconds     rangeJSON `json:"seconds"`
	DiskBytes   rangeJSON `json:"disk_bytes"`
	SpillBytes  rangeJSON `json:"spill_bytes"`
	NoSpill     float64   `json:"memory_bytes_without_spilling"`

	Explores estimate.Mode `json:"explores"`
	Modes    []modeJSON    `json:"modes"`

	DiskFreeBytes *uint64 `json:"disk_free_bytes"`
	Fits          *bool   `json:"fits"`
}

type rangeJSON struct {
	Likely float64 `json:"likely"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

func jsonRange(r estimate.Range) rangeJSON {
	return rangeJSON{math.Round(r.Likely*1000) / 1000, math.Round(r.Low*1000) / 1000, math.Round(r.High*1000) / 1000}
}

func planOne(ctx context.Context, env *shell.Env, f *plan, j *boards.Job) (*Planned, error) {
	stepped := new(atomic.Int64)
	show := env.Show(f.quiet, walking{stepped, f.steps, j.Board.Name})
	p := j.Board.Puzzle
	e, err := estimate.Of(ctx, p, estimate.Options{Seed: f.seed, States: f.states, Steps: f.steps, Stepped: stepped})
	show.Stop()
	if err != nil {
		return nil, err
	}
	m := estimate.Machines{
		Workers: f.workers, Lanes: f.lanes, Memory: int64(f.memory), MemoryMin: engine.MemoryMin,
		SuccessorNanos: successorNanos(p, e.Sample), GoalDistance: f.goalDistance,
	}
	if f.workers > 1 {
		m.TableMemory, m.Undivided = f.tableMemory(), undivided(p)
	}
	c := e.CostOf(p, m)
	made := &Planned{
		Puzzle: j.Board.Family, Name: j.Board.Name, Metric: j.Board.Metric,
		Method: e.Method, Exact: e.Exact(), Mixed: e.Converged, Formula: e.Formula,
		States:     jsonRange(estimate.Range{Likely: math.Round(e.States), Low: math.Floor(e.Low), High: math.Ceil(e.High)}),
		Successors: math.Round(e.Degree*100) / 100, Layers: e.Layers, Seed: f.seed,
		Workers: f.workers, Lanes: f.lanes, MemoryBytes: int64(f.memory),
		Seconds: jsonRange(c.Seconds), DiskBytes: jsonRange(c.Disk), SpillBytes: jsonRange(c.Spill), NoSpill: math.Round(c.Memory),
	}
	if made.Explores, err = f.explores(ctx, env, p); err != nil {
		return nil, err
	}
	needs := e.NeedsOf(p, m)
	if i := slices.IndexFunc(needs, func(n estimate.Need) bool { return n.Mode == made.Explores }); needs[i].Not == "" {
		if made.Explores == estimate.Table {
			c.Disk, c.Spill = needs[i].Disk, estimate.Range{}
			made.Seconds, made.DiskBytes, made.SpillBytes = jsonRange(needs[i].Seconds), jsonRange(c.Disk), jsonRange(c.Spill)
		}
		needs = slices.Concat(needs[i:i+1], needs[:i], needs[i+1:])
	}
	made.Modes = modesOf(needs)
	if e.Valid > 0 {
		valid := math.Round(e.Valid)
		made.Valid = &valid
	}
	if space, err := disk.SpaceOf(f.data); err == nil && f.workers == 1 {
		fits := c.Disk.Likely+c.Spill.Likely <= float64(space.Free)
		made.DiskFreeBytes, made.Fits = &space.Free, &fits
	}
	return made, nil
}

// successorNanos measures how long generating a successor takes.
func successorNanos(p puzzle.Puzzle, sample []uint64) float64 {
	const batch, enough = 64, 50 * time.Millisecond
	words := p.Layout().Words()
	var out puzzle.Edges
	made, began := 0, time.Now()
	for time.Since(began) < enough {
		for rest := sample; len(rest) > 0 && time.Since(began) < enough; {
			n := min(batch*words, len(rest))
			out.Reset()
			p.Successors(rest[:n], &out)
			made += out.Len()
			rest = rest[n:]
		}
		if made == 0 {
			return 0
		}
	}
	return float64(time.Since(began).Nanoseconds()) / float64(made)
}

// walking shows the progress of an estimate.
type walking struct {
	stepped *atomic.Int64
	steps   int64
	name    string
}

func (w walking) share() int64 { return min(100, w.stepped.Load()*100/max(1, w.steps)) }

// Frame implements display.View.
func (w walking) Frame(width int) []string {
	return []string{display.Clip(fmt.Sprintf("%s: sampling, %d %% of %s", w.name, w.share(), quantity.Counted(w.steps, "step")), width-1)}
}

// Line implements display.View.
func (w walking) Line() string {
	return fmt.Sprintf("progress phase=plan percent=%d board=%q", w.share(), w.name)
}

var _ display.View = walking{}

func printPlan(env *shell.Env, f *plan, j *boards.Job, p *Planned) {
	fmt.Fprintf(env.Out, "%s (%s, %s): %s\n\n", j.Board.Name, j.Board.Family, j.Board.Metric, j.Board.Note)
	how := map[estimate.Method]string{
		estimate.Counted: "counted",
		estimate.Walks:   "estimated by random walks",
		estimate.Growth:  "a guess from the growth of the first layers",
		estimate.Formula: "exactly, by the group of the moves",
	}[p.Method]
	if p.Formula != "" {
		how = "which is " + p.Formula
	}
	if p.Method == estimate.Walks && !p.Mixed {
		how += " that have not converged; raise --steps"
	}
	size := estimate.SizeOf(j.Board.Puzzle)
	switch {
	case p.Method == estimate.Formula:
		fmt.Fprintf(env.Out, "states      %s, %s\n", quantity.Big(size.States), how)
	case p.Exact:
		fmt.Fprintf(env.Out, "states      %s, %s\n", quantity.Count(int64(p.States.Likely)), how)
	default:
		fmt.Fprintf(env.Out, "states      %s, %s\n", about(p.States, quantity.Estimate), how)
	}
	if size.Group != nil {
		fmt.Fprintf(env.Out, "group       of order %s, all pieces told apart\n", quantity.Big(size.Group))
	}
	fmt.Fprintf(env.Out, "successors  %.1f per state\n", p.Successors)
	on, each := "this machine", ""
	if f.workers > 1 {
		on, each = fmt.Sprintf("%d workers", f.workers), " each"
	}
	as := ""
	if p.Explores == estimate.Table {
		as = ", as a table"
	}
	fmt.Fprintf(env.Out, "time        %s on %s with %s%s%s\n", about(p.Seconds, quantity.Seconds), on, quantity.Counted(int64(f.lanes), "lane"), each, as)
	fmt.Fprintf(env.Out, "memory      %s%s", quantity.Bytes(int64(f.memory)), each)
	if p.Explores != estimate.Table {
		fmt.Fprintf(env.Out, "; with about %s or more, nothing is spilled", inBytes(max(p.NoSpill, float64(engine.MemoryMin))))
	}
	fmt.Fprintln(env.Out)
	fmt.Fprintf(env.Out, "disk        %s", about(p.DiskBytes, inBytes))
	if p.SpillBytes.Likely > 0 {
		fmt.Fprintf(env.Out, ", plus about %s of spilled candidates during the run", inBytes(p.SpillBytes.Likely))
	}
	if f.workers > 1 {
		fmt.Fprintf(env.Out, ", on all workers together")
	}
	fmt.Fprintln(env.Out)
	printModes(env, p)
	if p.Fits != nil && !*p.Fits {
		fmt.Fprintf(env.Out, "\nit will not fit: %s is free in %s\n", quantity.Bytes(int64(*p.DiskFreeBytes)), f.data)
	}
}

// about formats a range: the likely number, and the bounds.
func about(r rangeJSON, write func(float64) string) string {
	if r.Low == r.High {
		return write(r.Likely)
	}
	return fmt.Sprintf("about %s: %s to %s", write(r.Likely), write(r.Low), write(r.High))
}

func inBytes(n float64) string { return quantity.Bytes(int64(min(n, math.MaxInt64/2))) }

// The samples that submit takes: a second or two, only if the space may be too large at
// all.
const (
	submitStates = 200_000
	submitSteps  = 3_000_000
)

// WarnOfSize warns if a run will not fit on the disks of a cluster's workers. It ignores
// errors: the run itself will report them.
func WarnOfSize(ctx context.Context, env *shell.Env, c *client.Client, j *boards.Job, goalDistance bool) {
	_, workers, err := c.List(ctx)
	if err != nil {
		return
	}
	free, m := freeOn(workers)
	if free == 0 {
		return
	}
	m.GoalDistance = goalDistance
	p := j.Board.Puzzle
	if bits := p.Layout().KeyBits; bits < 62 && math.Ldexp(1, bits) < free/16 {
		return // as many states as there can be would fit
	}
	if keepsTable(ctx, c, j.Name) {
		return
	}
	e, err := estimate.Of(ctx, p, estimate.Options{States: submitStates, Steps: submitSteps})
	if err != nil || e.Method == estimate.Counted {
		return
	}
	m.SuccessorNanos = successorNanos(p, e.Sample)
	cost := e.CostOf(p, m)
	if need := cost.Disk.Likely + cost.Spill.Likely; need > free {
		env.Complain(fmt.Sprintf("%s: about %s states (%s to %s) need about %s of disk, with %s free on %s: see `everystate plan`",
			j.Board.Name, quantity.Estimate(e.States), quantity.Estimate(e.Low), quantity.Estimate(e.High), inBytes(need), inBytes(free), quantity.Counted(int64(m.Workers), "worker")))
	}
}

// keepsTable reports whether a run keeps a table, which takes far less.
func keepsTable(ctx context.Context, c *client.Client, run string) bool {
	r, err := c.Open(ctx, run)
	return err == nil && r.Spec().Store != history.Layers
}

// freeOn returns the free disk space of the connected workers, and what machines they
// are. Workers on one host are assumed to share a disk.
func freeOn(workers []client.Worker) (free float64, m estimate.Machines) {
	hosts := make(map[string]uint64)
	for _, w := range workers {
		if !w.Present || w.DiskFree == 0 {
			continue
		}
		host, _, err := net.SplitHostPort(w.Address)
		if err != nil {
			continue
		}
		hosts[host] = max(hosts[host], w.DiskFree)
		m.Workers++
		m.Lanes = max(m.Lanes, w.Lanes, 1)
		m.Memory = int64(max(512, w.Weight)) << 20
	}
	for _, n := range hosts {
		free += float64(n)
	}
	return free, m
}
