package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store"
)

// LocalOptions configures a Local.
type LocalOptions struct {
	// Dirs are the run directories to show. None means all below Dir.
	Dirs []string

	// Dir is the directory below which new runs are made, each in a directory of its
	// own.
	Dir string

	// Run is how runs are explored.
	Run engine.Options

	// Name names the run of a board.
	Name func(puzzle.Board) string
}

// Local is a Source of runs on this machine. It explores the boards it is given one
// after the other, each with all workers and the whole memory budget.
type Local struct {
	opts LocalOptions
	ctx  context.Context //nolint:containedctx // ends what outlives the call that began it: explorations
	stop context.CancelFunc
	wait sync.WaitGroup

	mu     sync.Mutex // guards the fields below and their contents
	runs   map[string]*localRun
	active *localRun // the run being explored, nil if there is none
}

// localRun is what a Local knows of a run.
type localRun struct {
	name, dir string

	// The exploration in this process: Queued or Running, or how it ended; empty if
	// there was none.
	state    State
	fault    string
	want     history.Want
	asked    time.Time     // when it was queued
	turn     chan struct{} // closed when the run's turn has come
	cancel   context.CancelFunc
	written  *engine.Run // nil except while running
	over     chan struct{}
	measured rate

	// The run on disk: its status, and when it was read.
	status  *engine.Status
	changed time.Time // of the status file
	looked  time.Time

	// The questions about the run.
	view    *engine.Run
	viewers int
	close   *time.Timer

	board    *puzzle.Board // nil until it has been asked for
	expected int64         // states, as the file says, 0 if it does not
	recorded *recorder     // of the last exploration in this process, nil if there was none
}

// NewLocal returns the source of runs on this machine.
func NewLocal(opts LocalOptions) *Local {
	ctx, stop := context.WithCancel(context.Background())
	l := &Local{opts: opts, ctx: ctx, stop: stop, runs: make(map[string]*localRun)}
	for _, dir := range opts.Dirs {
		l.add(dir)
	}
	return l
}

// Close stops the exploration and closes all runs. No view may be in use.
func (l *Local) Close() error {
	l.stop()
	l.wait.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	for _, r := range l.runs {
		err = errors.Join(err, r.closeView())
	}
	return err
}

// add adds a directory and returns its run. Runs of the same name get distinct names.
func (l *Local) add(dir string) *localRun {
	name := filepath.Base(dir)
	for n := 2; ; n++ {
		r, taken := l.runs[name]
		if !taken {
			break
		}
		if r.dir == dir {
			return r
		}
		name = fmt.Sprintf("%s-%d", filepath.Base(dir), n)
	}
	r := &localRun{name: name, dir: dir}
	l.runs[name] = r
	return r
}

// scan looks for runs that were added or removed.
func (l *Local) scan() {
	if len(l.opts.Dirs) > 0 {
		return
	}
	entries, err := os.ReadDir(l.opts.Dir)
	if err != nil {
		return // there are no runs yet
	}
	for _, e := range entries {
		dir := filepath.Join(l.opts.Dir, e.Name())
		if info, err := os.Stat(filepath.Join(dir, "db")); err == nil && info.IsDir() {
			l.add(dir)
		}
	}
	for name, r := range l.runs {
		if _, err := os.Stat(r.dir); err != nil && r.state != Queued && r.state != Running {
			_ = r.closeView() // it is gone
			delete(l.runs, name)
		}
	}
}

// Runs returns all runs.
func (l *Local) Runs(context.Context) ([]Run, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scan()
	all := make([]Run, 0, len(l.runs))
	for _, r := range l.runs {
		all = append(all, r.show(time.Now()))
	}
	slices.SortFunc(all, func(a, b Run) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// MayChange returns true: everybody who may open the page may use all of it.
func (l *Local) MayChange(context.Context) bool { return true }

// show returns the status of a run.
func (r *localRun) show(now time.Time) Run {
	r.look(now)
	s := r.status
	run := Run{
		Name: r.name, Title: cmp.Or(s.Name, r.name), Puzzle: s.Puzzle, Metric: s.Metric,
		Depth: s.Depth, Layers: s.Layers, GoalLayers: s.GoalDistanceLayers,
		States: s.States, Generated: s.Generated, Duplicates: s.Duplicates, GoalStates: s.GoalStates,
		StatesPerSecond: s.StatesPerSecond, Seconds: s.Seconds, MemoryBytes: s.PeakMemoryBytes, DiskBytes: s.DiskBytes,
		SolutionLength: s.SolutionLength, Unsolvable: s.UnsolvableStates,
		Enumerated: s.Complete, Distances: s.GoalDistanceLayers != nil,
		Problem: s.Problem, Readable: s.Problem == "" && !s.Running,
		Directory: r.dir, Expected: r.expected,
	}
	for _, n := range run.GoalLayers {
		run.GoalPhase += n
	}
	switch {
	case r.state == Running:
		run.State, run.Readable, run.Can = Running, false, []Action{Pause, Cancel}
		r.showProgress(&run, now)
	case r.state == Queued:
		run.State, run.Readable, run.Can = Queued, false, []Action{Cancel}
	case s.Running:
		run.State = Running // in another process
		run.StatesPerSecond = r.measured.see(now, run.States)
	case s.Failure != "" && !s.Complete:
		run.State, run.Problem, run.Can = Failed, s.Failure, []Action{Delete} // resumed, it fails again
	case r.state == Failed:
		run.State, run.Problem, run.Can = Failed, r.fault, []Action{Resume, Delete}
	case s.Problem != "":
		run.State, run.Can = Failed, []Action{Delete}
	case s.Complete:
		run.State, run.Can = Complete, []Action{Delete}
		if !run.Distances && run.GoalStates > 0 {
			run.Can = []Action{Resume, Delete}
		}
	default:
		run.State, run.Can = cmp.Or(r.state, Stopped), []Action{Resume, Delete}
	}
	return run
}

// showProgress adds the progress of a run that is being explored here.
func (r *localRun) showProgress(run *Run, now time.Time) {
	if r.written == nil {
		return // it is being opened
	}
	p := r.written.Progress()
	if p.Phase == 0 {
		return
	}
	run.Phase, run.Depth = "forward", p.Depth
	run.Layers, run.States = p.Forward, p.States
	run.Enumerated = p.Phase == history.Goal
	if run.Enumerated {
		run.Phase, run.GoalLayers, run.GoalPhase = "goal", p.Layers, p.States
		run.States = 0
		for _, n := range p.Forward {
			run.States += n
		}
		if p.States > 0 && len(p.Layers) > 0 {
			run.GoalStates = p.Layers[0]
		}
	}
	run.Frontier, run.Expanded, run.Generated = p.Frontier, p.Expanded, p.Generated
	run.Duplicates = max(0, run.Generated-run.States)
	run.Seconds, run.MemoryBytes, run.DiskBytes = p.Elapsed.Seconds(), p.MemoryBytes, p.DiskBytes
	run.StatesPerSecond = r.measured.see(now, p.States)
}

// look refreshes the status if it is old. It reads only what may have changed.
func (r *localRun) look(now time.Time) {
	const often = time.Second
	if r.status != nil && (r.state == Queued || r.state == Running || now.Sub(r.looked) < often) {
		return // and do not take the lock that an exploration is about to take
	}
	changed := time.Time{}
	if info, err := os.Stat(filepath.Join(r.dir, "status.json")); err == nil {
		changed = info.ModTime()
	}
	// Only the lock shows whether another process is at work.
	if r.status != nil && !r.status.Running && changed.Equal(r.changed) {
		return
	}
	s := engine.StatusOf(r.dir)
	r.status, r.changed, r.looked = &s, changed, now
}

// rate measures how fast a number grows.
type rate struct {
	at    time.Time
	value int64
	speed float64
}

// see returns the growth per second.
func (m *rate) see(now time.Time, value int64) float64 {
	const span = time.Second
	passed := now.Sub(m.at)
	switch {
	case value < m.value || passed > 10*span: // it began again
		m.at, m.value, m.speed = now, value, 0
	case passed >= span:
		m.speed = float64(value-m.value) / passed.Seconds()
		m.at, m.value = now, value
	}
	return m.speed
}

// Open opens a run for questions. It stays open for a while after the last view is
// closed.
func (l *Local) Open(_ context.Context, name string) (View, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.runs[name]
	if r == nil {
		if l.scan(); l.runs[name] == nil {
			return nil, fmt.Errorf("%s: %w", name, ErrNoRun)
		}
		r = l.runs[name]
	}
	if r.state == Running {
		return nil, fmt.Errorf("%s: %w", name, ErrBusy)
	}
	if r.view == nil {
		view, err := engine.Open(r.dir, engine.Options{ReadOnly: true, MemoryBytes: l.opts.Run.MemoryBytes, Workers: l.opts.Run.Workers})
		if errors.Is(err, store.ErrLocked) {
			err = fmt.Errorf("%s: %w", name, ErrBusy)
		}
		if err != nil {
			return nil, err
		}
		r.view = view
	}
	if r.close != nil {
		r.close.Stop()
		r.close = nil
	}
	r.viewers++
	return &localView{Run: r.view, local: l, of: r}, nil
}

// localView is a view of a run, which may have several.
type localView struct {
	*engine.Run

	local *Local
	of    *localRun
}

// Close releases the run, which others may still be reading.
func (v *localView) Close() error {
	const kept = 20 * time.Second
	v.local.mu.Lock()
	defer v.local.mu.Unlock()
	r := v.of
	r.viewers--
	if r.viewers > 0 || r.view == nil {
		return nil
	}
	if r.close != nil {
		r.close.Stop()
	}
	r.close = time.AfterFunc(kept, func() {
		v.local.mu.Lock()
		defer v.local.mu.Unlock()
		if r.viewers == 0 {
			_ = r.closeView() // it was read only: nothing is lost
		}
	})
	return nil
}

func (r *localRun) closeView() error {
	if r.view == nil {
		return nil
	}
	view := r.view
	r.view = nil
	return view.Close()
}

// Start explores a board.
func (l *Local) Start(_ context.Context, board puzzle.Board, want history.Want) (string, error) {
	const namesMax = 100
	base := l.opts.Name(board)
	if board.Name == "" {
		board.Name = base
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	name := base
	for n := 2; n < namesMax; n++ {
		dir := filepath.Join(l.opts.Dir, name)
		r := l.add(dir)
		if r.state == Queued || r.state == Running {
			if !holds(r, board) {
				name = fmt.Sprintf("%s-%d", base, n)
				continue
			}
			return r.name, nil
		}
		if err := r.closeIdle(); err != nil {
			return "", err
		}
		written, err := engine.Create(dir, board, l.opts.Run)
		if errors.Is(err, engine.ErrOtherPuzzle) || errors.Is(err, engine.ErrForeign) {
			name = fmt.Sprintf("%s-%d", base, n)
			continue
		}
		if err != nil {
			if _, there := os.Stat(dir); there != nil {
				delete(l.runs, r.name)
			}
			return "", explainLocal(name, err)
		}
		r.expected = expectedOf(board)
		// It is opened again when its turn comes.
		if err := written.Close(); err != nil {
			return "", err
		}
		l.queue(r, want)
		return r.name, nil
	}
	return "", fmt.Errorf("%w: too many runs named %s", ErrRefused, base)
}

// expectedOf returns how many states the file of a board promises, 0 if it does not.
func expectedOf(board puzzle.Board) int64 { return max(0, board.Expect.States) }

// holds reports whether a run that is being explored explores the given board.
func holds(r *localRun, board puzzle.Board) bool {
	if r.written == nil {
		return false
	}
	b := r.written.Board()
	return b.Text == board.Text && b.Metric == board.Metric
}

// closeIdle closes the run if it is only kept open after its last view.
func (r *localRun) closeIdle() error {
	if r.viewers > 0 {
		return fmt.Errorf("%w: the states of %s are being read; try again in a moment", ErrRefused, r.name)
	}
	return r.closeView()
}

func explainLocal(name string, err error) error {
	if errors.Is(err, store.ErrLocked) {
		return fmt.Errorf("%w: another process is using %s", ErrRefused, name)
	}
	return err
}

// Board returns the board of a run.
func (l *Local) Board(ctx context.Context, name string) (puzzle.Board, error) {
	l.mu.Lock()
	r := l.runs[name]
	if r != nil && r.board == nil && r.written != nil {
		board := r.written.Board()
		r.board = &board
	}
	if r != nil && r.board != nil {
		defer l.mu.Unlock()
		return *r.board, nil
	}
	l.mu.Unlock()
	view, err := l.Open(ctx, name)
	if err != nil {
		return puzzle.Board{}, err
	}
	board := view.Space().Board
	err = view.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.runs[name]; r != nil {
		r.board = &board
	}
	return board, err
}

// Timeline returns what was recorded while the run was explored here, or else what its
// layers tell.
func (l *Local) Timeline(ctx context.Context, name string) (*Timeline, error) {
	l.mu.Lock()
	if r := l.runs[name]; r != nil && r.recorded != nil {
		defer l.mu.Unlock()
		return r.recorded.copied(), nil
	}
	l.mu.Unlock()
	view, err := l.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return timelineOf(view.Space().History), view.Close()
}

// remove deletes a run that is not being explored.
func (l *Local) remove(r *localRun) error {
	if r.state == Queued || r.state == Running {
		return fmt.Errorf("%w: %s is being explored: cancel it first", ErrRefused, r.name)
	}
	if err := r.closeIdle(); err != nil {
		return err
	}
	switch err := removeRun(r.dir); {
	case errors.Is(err, errNotOnlyRun):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	case err != nil:
		return explainLocal(r.name, err)
	}
	delete(l.runs, r.name)
	return nil
}

// Control pauses, resumes, cancels or deletes a run.
func (l *Local) Control(_ context.Context, name string, action Action) error {
	l.mu.Lock()
	r := l.runs[name]
	if r == nil {
		l.mu.Unlock()
		return fmt.Errorf("%s: %w", name, ErrNoRun)
	}
	if action == Delete {
		defer l.mu.Unlock()
		return l.remove(r)
	}
	if action == Resume {
		defer l.mu.Unlock()
		if r.state == Queued || r.state == Running {
			return nil
		}
		if err := r.closeIdle(); err != nil {
			return err
		}
		l.queue(r, r.wantedNext(time.Now()))
		return nil
	}
	if r.state != Queued && r.state != Running {
		l.mu.Unlock()
		return fmt.Errorf("%w: %s is not being explored here", ErrRefused, name)
	}
	r.cancel()
	over := r.over
	l.mu.Unlock()
	<-over
	if action == Cancel {
		l.mu.Lock()
		defer l.mu.Unlock()
		if r.state == Paused {
			r.state = Cancelled
		}
	}
	return nil
}

// wantedNext returns how far a resumed run goes. A complete space gets goal distances.
func (r *localRun) wantedNext(now time.Time) history.Want {
	r.look(now)
	state := history.Paused
	if r.state == "" { // it ended by itself
		state = history.Stopped
	}
	want := r.want.Resumed(state)
	want.GoalDistance = want.GoalDistance || r.status.Complete
	return want
}

// queue explores a run when its turn comes.
func (l *Local) queue(r *localRun, want history.Want) {
	ctx, cancel := context.WithCancel(l.ctx)
	r.status = nil
	r.look(time.Now())
	r.state, r.fault, r.want, r.cancel, r.over = Queued, "", want, cancel, make(chan struct{})
	r.asked, r.turn = time.Now(), make(chan struct{})
	l.next()
	l.wait.Go(func() {
		defer close(r.over)
		defer cancel()
		var err error
		select {
		case <-r.turn:
			err = l.explore(ctx, r)
		case <-ctx.Done():
			err = ctx.Err()
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		r.written, r.status = nil, nil
		switch {
		case err == nil:
			r.state = ""
		case ctx.Err() != nil:
			r.state = Paused
		default:
			r.state, r.fault = Failed, err.Error()
		}
		if l.active == r {
			l.active = nil
			l.next()
		}
	})
}

// next starts the first run in the queue, if none is being explored. The order is that
// of a coordinator, but no run is put aside for another.
func (l *Local) next() {
	if l.active != nil {
		return
	}
	var all []core.InQueue
	for name, r := range l.runs {
		if r.state == Queued {
			all = append(all, core.InQueue{Name: name, State: history.Queued, Submitted: r.asked.UnixMicro()})
		}
	}
	if name, ok := core.First(core.SliceTicks, all); ok {
		l.active = l.runs[name]
		close(l.active.turn)
	}
}

// explore explores a run.
func (l *Local) explore(ctx context.Context, r *localRun) error {
	l.mu.Lock()
	err := r.closeIdle()
	if err == nil {
		r.state, r.measured = Running, rate{}
	}
	l.mu.Unlock()
	if err != nil {
		return err
	}
	written, err := engine.Open(r.dir, l.opts.Run)
	if err != nil {
		return explainLocal(r.name, err)
	}
	want := r.want
	layout := written.Board().Puzzle.Layout()
	want.GoalDistance = want.GoalDistance && layout.HasGoal
	l.mu.Lock()
	r.written, r.recorded = written, newRecorder(written.History())
	l.mu.Unlock()
	over := make(chan struct{})
	var recording sync.WaitGroup
	recording.Go(func() { l.record(r, over) })
	_, err = written.Explore(ctx, want)
	close(over)
	recording.Wait()
	l.mu.Lock()
	r.written = nil
	l.mu.Unlock()
	return errors.Join(err, written.Close())
}

// record records the progress of a run until it is over, and how it ended.
func (l *Local) record(r *localRun, over <-chan struct{}) {
	ticker := time.NewTicker(momentsEvery)
	defer ticker.Stop()
	for ended := false; !ended; {
		select {
		case <-ticker.C:
		case <-over:
			ended = true
		}
		l.mu.Lock()
		now := time.Now()
		run := r.show(now)
		if ended {
			r.recorded.every = 0
		}
		r.recorded.record(now, &run)
		l.mu.Unlock()
	}
}
