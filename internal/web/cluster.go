package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// Cluster is a Source of a coordinator's runs.
type Cluster struct {
	client *client.Client
	name   func(puzzle.Board) string

	mu     sync.Mutex             // guards the fields below
	follow map[string]*client.Run // runs whose journals are read as they grow
	speed  map[string]*rate
	views  map[string]*client.Run // runs opened for questions; replaced, never changed

	recorded map[string]*recorder // of runs that were seen running
	expected map[string]int64     // states of runs started here, as their files say
}

// NewCluster returns the source of a coordinator's runs; name names the run of a board.
func NewCluster(c *client.Client, name func(puzzle.Board) string) *Cluster {
	return &Cluster{
		client: c, name: name,
		follow: make(map[string]*client.Run), speed: make(map[string]*rate), views: make(map[string]*client.Run),
		recorded: make(map[string]*recorder), expected: make(map[string]int64),
	}
}

// Close ends all calls.
func (c *Cluster) Close() error { return c.client.Close() }

// Runs asks the coordinator, and reads what has been added to the journals.
func (c *Cluster) Runs(ctx context.Context) ([]Run, error) {
	all, workers, err := c.client.List(ctx)
	if err != nil {
		return nil, explainCluster(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	known := make(map[string]bool, len(all))
	runs := make([]Run, 0, len(all))
	for i := range all {
		s := &all[i]
		known[s.Run] = true
		read, err := c.followed(ctx, s)
		if err != nil {
			return nil, explainCluster(err)
		}
		run := c.show(s, read, workers, now)
		run.Expected = c.expected[s.Run]
		if run.State == Running {
			if c.recorded[s.Run] == nil {
				c.recorded[s.Run] = newRecorder(read.History())
			}
			c.recorded[s.Run].record(now, &run)
		}
		runs = append(runs, run)
	}
	for name := range c.follow {
		if !known[name] {
			delete(c.follow, name)
			delete(c.speed, name)
			delete(c.views, name)
			delete(c.recorded, name)
			delete(c.expected, name)
		}
	}
	return runs, nil
}

// MayChange reports whether the caller's role may change runs.
func (c *Cluster) MayChange(ctx context.Context) bool {
	if _, _, err := c.client.List(ctx); err != nil {
		return true // the next call reports what is wrong
	}
	return c.client.MayControl()
}

// followed returns a run whose journal has been read to its end.
func (c *Cluster) followed(ctx context.Context, s *client.Status) (*client.Run, error) {
	r := c.follow[s.Run]
	if r == nil {
		var err error
		if r, err = c.client.Open(ctx, s.Run); err != nil {
			return nil, err
		}
		c.follow[s.Run], c.speed[s.Run] = r, &rate{}
	}
	if r.Entries() == s.Entries {
		return r, nil
	}
	err := r.Refresh(ctx)
	return r, err
}

// show returns the status of a run.
func (c *Cluster) show(s *client.Status, read *client.Run, workers []client.Worker, now time.Time) Run {
	h := read.History()
	distances := h.DistancePhase(read.Board().Puzzle)
	if h.End(history.Forward) == nil {
		distances = history.Goal // there are none yet
	}
	run := Run{
		Name: s.Run, Title: cmp.Or(s.Spec.Name, s.Run), Puzzle: s.Spec.Family, Metric: s.Spec.Metric,
		State: clusterState(s), Problem: cmp.Or(s.Failure, s.WaitingFor), Depth: max(0, len(h.Layers(history.Forward))-1),
		Layers: statesOf(h, history.Forward), GoalLayers: statesOf(h, distances),
		States: h.States(history.Forward), GoalPhase: h.States(distances), Generated: h.Generated(history.Forward), GoalStates: h.Goals(),
		Frontier: s.Frontier, Expanded: s.Expanded,
		Enumerated: h.End(history.Forward) != nil, Distances: h.End(distances) != nil,
		Readable: len(h.Layers(history.Forward)) > 0,
		Seconds:  float64(h.Nanos(history.Forward)+h.Nanos(history.Goal)) / 1e9,
	}
	if len(run.Layers) > 0 {
		run.Duplicates = max(0, run.Generated-(run.States-run.Layers[0]))
	}
	if d := h.FirstGoal(); d >= 0 {
		run.SolutionLength = &d
	}
	if run.Distances {
		unsolvable := run.States - run.GoalPhase
		run.Unsolvable = &unsolvable
	}
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range h.Layers(p) {
			run.DiskBytes += l.Bytes
		}
	}
	switch {
	case s.State.Over():
		if nanos := h.Nanos(history.Forward); nanos > 0 {
			run.StatesPerSecond = float64(run.States) / (float64(nanos) / 1e9)
		}
		if run.State != Complete || !run.Distances && run.GoalStates > 0 {
			run.Can = c.allowed(Resume)
		}
		run.Can = append(run.Can, c.allowed(Delete)...)
		return run
	case s.Phase == history.Forward:
		run.Phase, run.Depth = "forward", s.Depth
		run.States += s.Written
		run.StatesPerSecond = c.speed[s.Run].see(now, run.States)
	case s.Phase == history.Goal:
		run.Phase, run.Depth = "goal", s.Depth
		run.GoalPhase += s.Written
		run.StatesPerSecond = c.speed[s.Run].see(now, run.GoalPhase)
	}
	run.Can = c.allowed(Pause, Cancel)
	for i := range workers {
		w := showWorker(&workers[i])
		run.Workers = append(run.Workers, w)
		run.ExchangedBytes += w.SentBytes
		if w.State != "lost" {
			run.MemoryBytes += w.MemoryBytes
		}
	}
	return run
}

// allowed returns the actions, or none if the caller's role may not change runs.
func (c *Cluster) allowed(actions ...Action) []Action {
	if !c.client.MayControl() {
		return nil
	}
	return actions
}

func statesOf(h *history.History, p history.Phase) []int64 {
	var states []int64
	for _, l := range h.Layers(p) {
		states = append(states, l.States)
	}
	return states
}

func clusterState(s *client.Status) State {
	switch s.State {
	case client.Queued:
		return Queued
	case client.Running:
		return Running
	case client.Waiting:
		return Waiting
	case client.Paused:
		return Paused
	case client.Cancelled:
		return Cancelled
	case client.Failed:
		return Failed
	case client.Unknown, client.Stopped:
	}
	if s.Complete {
		return Complete
	}
	return Stopped
}

func showWorker(w *client.Worker) Worker {
	state := "present"
	switch {
	case !w.Present:
		state = "lost"
	case w.Draining:
		state = "draining"
	}
	return Worker{
		Name: w.Name, Address: w.Address, State: state, SilentSeconds: w.Silent.Truncate(time.Second).Seconds(), Stage: w.Stage,
		Partitions: w.Partitions, Weight: w.Weight, MemoryBytes: w.MemoryBytes, SentBytes: w.SentBytes,
		Expanded: w.Expanded, Written: w.Written,
	}
}

// clusterView is a run as of when it was opened.
type clusterView struct{ space *query.Space }

func (v clusterView) Space() *query.Space { return v.space }

// Close leaves the connection open for others.
func (v clusterView) Close() error { return nil }

// Open reads a run's journal, unless it is known already.
func (c *Cluster) Open(ctx context.Context, name string) (View, error) {
	s, _, err := c.client.Get(ctx, name)
	if err != nil {
		return nil, explainCluster(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.views[name]
	if r == nil || r.Entries() != s.Entries {
		if r, err = c.client.Open(ctx, name); err != nil {
			return nil, explainCluster(err)
		}
		c.views[name] = r
	}
	return clusterView{r.Space()}, nil
}

// Start submits a run.
func (c *Cluster) Start(ctx context.Context, board puzzle.Board, want history.Want) (string, error) {
	const namesMax = 100
	base := c.name(board)
	spec := history.Spec{Family: board.Family, Name: cmp.Or(board.Name, base), Metric: board.Metric, Text: board.Text, Above: board.Above, Store: history.AnyStore}
	name := base
	for n := 2; n < namesMax; n++ {
		_, err := c.client.Submit(ctx, name, spec, want)
		if !errors.Is(err, client.ErrOtherPuzzle) {
			if err == nil {
				c.mu.Lock()
				c.expected[name] = expectedOf(board)
				c.mu.Unlock()
			}
			return name, explainCluster(err)
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return "", fmt.Errorf("%w: too many runs named %s", ErrRefused, base)
}

// Board returns the board of a run.
func (c *Cluster) Board(ctx context.Context, name string) (puzzle.Board, error) {
	view, err := c.Open(ctx, name)
	if err != nil {
		return puzzle.Board{}, err
	}
	return view.Space().Board, view.Close()
}

// Timeline returns what was recorded while somebody watched, or else what the layers
// tell.
func (c *Cluster) Timeline(ctx context.Context, name string) (*Timeline, error) {
	view, err := c.Open(ctx, name) // which also says whether the caller may ask
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.recorded[name]; r != nil {
		return r.copied(), view.Close()
	}
	return timelineOf(view.Space().History), view.Close()
}

// Control pauses, resumes, cancels or deletes a run.
func (c *Cluster) Control(ctx context.Context, name string, action Action) error {
	var err error
	switch action {
	case Pause:
		_, err = c.client.Pause(ctx, name)
	case Cancel:
		_, err = c.client.Cancel(ctx, name)
	case Delete:
		err = c.client.Delete(ctx, name)
	case Resume:
		var s client.Status
		if s, _, err = c.client.Get(ctx, name); err != nil {
			break
		}
		var want *history.Want // nil leaves it to the coordinator
		if s.Complete {
			want = &history.Want{GoalDistance: true}
		}
		_, err = c.client.Resume(ctx, name, want)
	}
	return explainCluster(err)
}

// explainCluster converts the errors of a client to those of a source.
func explainCluster(err error) error {
	for from, to := range map[error]error{client.ErrNoRun: ErrNoRun, client.ErrRefused: ErrRefused, client.ErrDenied: ErrDenied} {
		if errors.Is(err, from) {
			return fmt.Errorf("%w: %w", to, err)
		}
	}
	return err
}
