package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/terminal/display"
	"github.com/everystate/everystate/internal/wasm"
)

// LostWait is how long to wait for a coordinator that does not answer.
const LostWait = time.Minute

// A Pace is how often a coordinator is polled: the longer it has taken, the more seldom, so
// that whoever waits learns of the end after an eighth more of the time at most. The zero Pace
// is ready for use.
type Pace struct{ began time.Time }

const (
	shortestPoll = 10 * time.Millisecond
	longestPoll  = 200 * time.Millisecond
	pollShare    = 8
)

// After returns a channel that tells when to poll next.
func (p *Pace) After() <-chan time.Time {
	if p.began.IsZero() {
		p.began = time.Now()
	}
	return time.After(min(max(time.Since(p.began)/pollShare, shortestPoll), longestPoll))
}

// Watch waits for a run on a coordinator and reports as explore does.
func Watch(ctx context.Context, env *shell.Env, at Remote, f Finishing) (*engine.Summary, error) {
	r, err := OpenRemote(ctx, env, at)
	if err != nil {
		return nil, err
	}
	if err := announce(env, r, f); err != nil {
		return nil, cmp.Or(err, r.Close())
	}
	status, err := wait(ctx, env, r, f.Quiet)
	if err != nil && (ctx.Err() == nil || !f.JSON) {
		return nil, cmp.Or(err, r.Close())
	}
	reason := history.Exhausted
	if err == nil && !status.Complete {
		reason, err = reasonOf(&status, r.History()), NotComplete(env, at, &status)
	}
	return conclude(ctx, env, r, f, reason, err)
}

// NotComplete returns an error that explains why a stopped run is not complete,
// unless the report explains it.
func NotComplete(env *shell.Env, at Remote, s *client.Status) error {
	switch s.State {
	case client.Failed:
		return exit.Errorf(FailureCode(s), "%s failed: %s", at, s.Failure)
	case client.Paused, client.Cancelled:
		return exit.Errorf(exit.Incomplete, "%s was %s: %s", at, s.State, env.Command("resume", at.String()))
	case client.Unknown, client.Queued, client.Running, client.Waiting, client.Stopped:
	}
	return exit.Reported(exit.Incomplete)
}

// FailureCode returns the exit code for a run that has failed.
func FailureCode(s *client.Status) int {
	if wasm.Told(s.Failure) {
		return exit.Puzzle
	}
	return exit.Failed
}

// reasonOf returns which limit stopped a run.
func reasonOf(s *client.Status, h *history.History) history.Reason {
	switch {
	case s.State != client.Stopped:
		return history.CannotGoOn
	case s.Want.StopAtGoal && h.FirstGoal() >= 0:
		return history.GoalReached
	case s.Want.MaxStates > 0 && h.States(history.Forward) >= s.Want.MaxStates:
		return history.StatesReached
	case s.Want.DepthReached(len(h.Layers(history.Forward))):
		return history.DepthReached
	}
	return history.CannotGoOn
}

// wait shows the progress of a run until it is over, and then reads the rest of
// its journal.
func wait(ctx context.Context, env *shell.Env, r *RemoteRun, quiet bool) (client.Status, error) {
	poll := &poller{run: r, began: time.Now()}
	var before int64
	shown := display.None()
	status, err := poll.once(ctx)
	if err == nil && !status.State.Over() {
		before = r.History().States(history.Forward)
		shown = env.Show(quiet, &display.Exploration{
			Name: NameOf(r), Run: r.Dir(), Paint: env.ErrTerm.Paint(),
			StatesBefore: before, Progress: poll.progress, Workers: poll.workers,
		})
		status, err = poll.untilOver(ctx)
	}
	shown.Stop()
	if ctx.Err() != nil {
		fmt.Fprintf(env.Err, "stopped watching; the run continues\nwatch again with: %s\n", env.Command("watch", r.Dir()))
		return status, exit.Reported(exit.Incomplete)
	}
	return status, RemoteError(err)
}

// poller polls a run on a coordinator.
type poller struct {
	run   *RemoteRun
	began time.Time

	mu   sync.Mutex // guards the fields below
	seen engine.Progress
	who  string
}

func (l *poller) progress() engine.Progress {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen
}

func (l *poller) workers() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.who
}

// untilOver polls until nothing more happens to the run. It waits for a
// coordinator that is away for a while, as in a restart.
func (l *poller) untilOver(ctx context.Context) (client.Status, error) {
	answered := time.Now()
	var pace Pace
	for {
		status, err := l.once(ctx)
		switch away := Away(err); {
		case err == nil && status.State.Over():
			return status, nil
		case err == nil:
			answered = time.Now()
		case !away || time.Since(answered) > LostWait:
			return status, err
		default:
			l.tell(l.progress(), shell.OneLine(err))
		}
		select {
		case <-pace.After():
		case <-ctx.Done():
			return status, ctx.Err()
		}
	}
}

// Away reports whether a coordinator may just be away for a while, as in a restart.
func Away(err error) bool {
	return errors.Is(err, client.ErrNoCoordinator) || errors.Is(err, client.ErrUnavailable)
}

// once polls once.
func (l *poller) once(ctx context.Context) (client.Status, error) {
	status, workers, err := l.run.client.Get(ctx, l.run.at.Name)
	if err != nil {
		return status, err
	}
	if status.Entries > l.run.Entries() {
		if err := l.run.Refresh(ctx); err != nil {
			return status, err
		}
	}
	h := l.run.History()
	p := engine.Progress{
		Phase: status.Phase, Depth: status.Depth, States: status.States + status.Written,
		Frontier: status.Frontier, Expanded: status.Expanded,
		Generated: h.Generated(history.Forward) + h.Generated(history.Goal), Elapsed: time.Since(l.began),
		DiskBytes: bytesOf(h.Layers(history.Forward)) + bytesOf(h.Layers(history.Goal)),
	}
	for _, layer := range h.Layers(status.Phase) {
		p.Layers = append(p.Layers, layer.States)
	}
	l.tell(p, describeWorkers(&status, workers))
	return status, nil
}

func (l *poller) tell(p engine.Progress, who string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen, l.who = p, who
}

// describeWorkers describes who works on a run, or why nobody does.
func describeWorkers(s *client.Status, workers []client.Worker) string {
	present := 0
	for _, w := range workers {
		if w.Present {
			present++
		}
	}
	parts := []string{fmt.Sprintf("%d of %d present", present, len(workers))}
	if s.State != client.Running {
		parts = append(parts, DescribeStatus(s))
	}
	return strings.Join(parts, ", ")
}

// addDistances has a coordinator compute the goal distances of a run, and waits.
func addDistances(ctx context.Context, env *shell.Env, r *RemoteRun, quiet bool) error {
	if _, err := r.client.Resume(ctx, r.at.Name, &history.Want{GoalDistance: true}); err != nil {
		return RemoteError(err)
	}
	status, err := wait(ctx, env, r, quiet)
	if err == nil && !r.Space().HasDistances() {
		if err = NotComplete(env, r.at, &status); errors.As(err, new(*exit.Error)) && err.Error() == "" {
			err = exit.Errorf(exit.Incomplete, "%s stopped before all goal distances were computed: %s", r.at, env.Command("resume", r.Dir(), "--goal-distance"))
		}
	}
	return err
}
