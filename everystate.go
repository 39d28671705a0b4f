package everystate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// Read reads the one board of a text, in any notation of any puzzle that Everystate
// knows. docs/NOTATIONS.md describes them.
func Read(text string) (puzzle.Board, error) {
	boards, err := ReadAll(text, puzzle.ReadOptions{})
	switch {
	case err != nil:
		return puzzle.Board{}, err
	case len(boards) != 1:
		return puzzle.Board{}, fmt.Errorf("%w: %d", ErrSeveralBoards, len(boards))
	}
	return boards[0], nil
}

// ReadAll reads all boards of a text, at least one.
func ReadAll(text string, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	return families.Read([]byte(text), opts)
}

// Options configures a Run. The zero value has the defaults of the everystate command.
type Options struct {
	// Workers is the number of workers. Zero means one per core.
	Workers int

	// MemoryBytes is the memory budget, at least 32 MiB; what does not fit is
	// spilled to disk. Zero means 512 MiB per worker, or a quarter of the machine's
	// memory if that is less. The states of an in-memory run are not included.
	MemoryBytes int64

	// ReadOnly opens a run for queries only. Several processes may do so at once.
	ReadOnly bool
}

func (o Options) engine() engine.Options {
	return engine.Options{Workers: o.Workers, MemoryBytes: o.MemoryBytes, ReadOnly: o.ReadOnly}
}

// A Run is one exploration of a board: the states found so far, and what is needed to
// continue.
type Run struct {
	run      *engine.Run
	opts     Options
	inMemory bool
	closed   atomic.Bool
}

// New begins a run in memory. Close discards it.
func New(board puzzle.Board, opts Options) (*Run, error) {
	if opts.ReadOnly {
		return nil, fmt.Errorf("new: %w", ErrReadOnly)
	}
	inner := opts.engine()
	inner.InMemory = true
	run, err := engine.Create("memory", board, inner)
	if err != nil {
		return nil, err
	}
	return &Run{run: run, opts: opts, inMemory: true}, nil
}

// Create begins a run in a directory, creating the directory if needed, or opens the
// run of this board that is already there. It returns ErrOtherPuzzle or ErrForeign if
// the directory holds anything else.
func Create(dir string, board puzzle.Board, opts Options) (*Run, error) {
	switch {
	case opts.ReadOnly:
		return nil, fmt.Errorf("create: %w", ErrReadOnly)
	case board.Text == "":
		return nil, ErrNameless
	}
	run, err := engine.Create(dir, board, opts.engine())
	if err != nil {
		return nil, err
	}
	return &Run{run: run, opts: opts}, nil
}

// Open opens the run in a directory. To open a run of a puzzle of your own, use Create,
// which takes the rules.
func Open(dir string, opts Options) (*Run, error) {
	run, err := engine.Open(dir, opts.engine())
	if err != nil {
		return nil, err
	}
	return &Run{run: run, opts: opts}, nil
}

// Close closes the run. An incomplete run in a directory can be opened again and
// resumed.
func (r *Run) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	return r.run.Close()
}

// Board returns the board of the run.
func (r *Run) Board() puzzle.Board { return r.run.Board() }

// ExploreOptions limits an exploration. The zero value asks for everything: every
// reachable state and, if the puzzle has goals, its goal distance.
type ExploreOptions struct {
	// MaxDepth stops after the layer at this depth; 0 is the layer of the starts.
	// Nil means no limit.
	MaxDepth *int

	// MaxStates stops after the layer that brings the number of states to this limit.
	// Zero means no limit.
	MaxStates int64

	// StopAtGoal stops after the first layer with a goal state.
	StopAtGoal bool

	// NoGoalDistances skips the retrograde analysis from all goals.
	NoGoalDistances bool

	// Progress is called every ProgressInterval, and once more before Explore returns
	// if it has committed a layer; calls never overlap. It may be nil.
	Progress func(Progress)

	// ProgressInterval is the time between calls of Progress. Zero means one second.
	ProgressInterval time.Duration
}

func (o *ExploreOptions) validate() error {
	var errs []error
	if o.MaxDepth != nil && *o.MaxDepth < 0 {
		errs = append(errs, fmt.Errorf("MaxDepth %d: must be 0 or more, or nil", *o.MaxDepth))
	}
	if o.MaxStates < 0 {
		errs = append(errs, fmt.Errorf("MaxStates %d: must be 0 or more", o.MaxStates))
	}
	if o.ProgressInterval < 0 {
		errs = append(errs, fmt.Errorf("ProgressInterval %v: must be 0 or more", o.ProgressInterval))
	}
	return errors.Join(errs...)
}

// Progress is the progress of a run at one moment.
type Progress struct {
	// GoalDistances is set once every state has been found and goal distances are being
	// computed; Depth and States then refer to goal distances.
	GoalDistances bool
	// Depth is the depth of the layer in progress.
	Depth int
	// States is the number of states found so far, or of states whose goal distance is
	// known.
	States int64
	// Frontier is the number of states to expand for the layer in progress; Expanded is
	// how many of them have been expanded.
	Frontier, Expanded int64
	// Generated is the number of successors generated since Explore was called,
	// including the starts and goals that a search begins with.
	Generated int64
	// Elapsed is the time since Explore was called.
	Elapsed time.Duration
}

// Explore explores the board, or resumes where an earlier call or process stopped. It
// returns nil when it has found everything asked for or has reached a limit; Complete
// tells which. If ctx is cancelled it returns ctx.Err() and drops the layer in
// progress; call it again to resume.
func (r *Run) Explore(ctx context.Context, opts ExploreOptions) error {
	if err := opts.validate(); err != nil {
		return err
	}
	switch {
	case r.closed.Load():
		return ErrClosed
	case r.opts.ReadOnly:
		return ErrReadOnly
	case ctx.Err() != nil:
		return ctx.Err()
	}
	p := r.run.Board().Puzzle
	stop := r.report(opts.Progress, opts.ProgressInterval)
	_, err := r.run.Explore(ctx, history.Want{
		MaxDepth: opts.MaxDepth, MaxStates: opts.MaxStates, StopAtGoal: opts.StopAtGoal,
		GoalDistance: !opts.NoGoalDistances && p.Layout().HasGoal,
	})
	stop()
	return err
}

// report calls f with the progress every interval until stop is called.
func (r *Run) report(f func(Progress), interval time.Duration) (stop func()) {
	if f == nil {
		return func() {}
	}
	if interval == 0 {
		interval = time.Second
	}
	before := r.committed()
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				f(r.progress())
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		wait.Wait()
		if r.committed() > before {
			f(r.progress())
		}
	}
}

// committed returns the number of committed layers in both phases.
func (r *Run) committed() int {
	h := r.run.History()
	return len(h.Layers(history.Forward)) + len(h.Layers(history.Goal))
}

func (r *Run) progress() Progress {
	p := r.run.Progress()
	return Progress{
		GoalDistances: p.Phase == history.Goal, Depth: p.Depth, States: p.States,
		Frontier: p.Frontier, Expanded: p.Expanded, Generated: p.Generated, Elapsed: p.Elapsed,
	}
}
