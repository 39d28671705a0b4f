package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/display"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/wasm"
	"github.com/everystate/everystate/puzzle"
)

// How often a run on a coordinator is looked at, and how long one that does not
// answer is waited for.
const (
	lookInterval = 200 * time.Millisecond
	lostWait     = time.Minute
)

func watchCommand(env *app) *cobra.Command {
	var at coordinatorFlag
	var quiet, asJSON bool
	cmd := &cobra.Command{
		Use:   "watch ADDR/RUN",
		Short: "Watch a run on a coordinator until it stops",
		Long: `Watch shows how far a run on a coordinator is until it stops, and then what
explore would print; of a sweep, what status does. Ctrl-C ends the watching; the run
goes on.`,
		Example: `  everystate watch 127.0.0.1:7000/jam-93
  everystate watch jam-93 --coordinator 127.0.0.1:7000`,
		Args: exactly(1, "ADDR/RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := at.run(cmd, args[0])
			if err != nil {
				return err
			}
			is, err := isSweep(cmd.Context(), env, run)
			if err != nil {
				return err
			}
			if is {
				return watchSweep(cmd.Context(), env, run, quiet, asJSON)
			}
			_, err = watchRun(cmd.Context(), env, run, finishing{json: asJSON, quiet: quiet, expect: puzzle.ExpectNothing()})
			return err
		},
	}
	at.flags(cmd.Flags())
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "do not show how far it has come")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

// watchRun waits for a run on a coordinator and reports as explore does.
func watchRun(ctx context.Context, env *app, at remote, f finishing) (*engine.Summary, error) {
	r, err := openRemote(context.WithoutCancel(ctx), env, at)
	if err != nil {
		return nil, err
	}
	if err := announce(env, r, f); err != nil {
		return nil, cmp.Or(err, r.Close())
	}
	status, err := wait(ctx, env, r, f.quiet)
	if err != nil && (ctx.Err() == nil || !f.json) {
		return nil, cmp.Or(err, r.Close())
	}
	reason := history.Exhausted
	if err == nil && !status.Complete {
		reason, err = reasonOf(&status, r.History()), notComplete(env, at, &status)
	}
	return conclude(ctx, env, r, f, reason, err)
}

// notComplete says why a run that has stopped is not complete, if the report
// does not say it.
func notComplete(env *app, at remote, s *client.Status) error {
	switch s.State {
	case client.Failed:
		return failf(failureCode(s), "%s failed: %s", at, s.Failure)
	case client.Paused, client.Cancelled:
		return failf(exitIncomplete, "%s was %s: %s", at, s.State, env.command("resume", at.String()))
	case client.Unknown, client.Queued, client.Running, client.Waiting, client.Stopped:
	}
	return said(exitIncomplete)
}

// failureCode is the exit code of a run that has failed.
func failureCode(s *client.Status) int {
	if wasm.Told(s.Failure) {
		return exitPuzzle
	}
	return exitFailed
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

// wait shows how far a run is until it is over, and leaves its whole journal
// read.
func wait(ctx context.Context, env *app, r *remoteRun, quiet bool) (client.Status, error) {
	look := &lookout{run: r, began: time.Now()}
	var before int64
	shown := display.None()
	status, err := look.once(ctx)
	if err == nil && !status.State.Over() {
		before = r.History().States(history.Forward)
		shown = env.show(quiet, &display.Exploration{
			Name: nameOf(r), Run: r.Dir(), Paint: env.errTerm.paint(),
			StatesBefore: before, Progress: look.progress, Workers: look.workers,
		})
		status, err = look.untilOver(ctx)
	}
	shown.Stop()
	if ctx.Err() != nil {
		fmt.Fprintf(env.err, "the run goes on without being watched\nwatch it with: %s\n", env.command("watch", r.Dir()))
		return status, said(exitIncomplete)
	}
	return status, remoteError(err)
}

// lookout looks at a run on a coordinator.
type lookout struct {
	run   *remoteRun
	began time.Time

	mu   sync.Mutex // guards the fields below
	seen engine.Progress
	who  string
}

func (l *lookout) progress() engine.Progress {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen
}

func (l *lookout) workers() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.who
}

// untilOver looks until nothing happens to the run any more. A coordinator that
// is away for a while, as when it is started again, is waited for.
func (l *lookout) untilOver(ctx context.Context) (client.Status, error) {
	ticker := time.NewTicker(lookInterval)
	defer ticker.Stop()
	answered := time.Now()
	for {
		status, err := l.once(ctx)
		switch away := errors.Is(err, client.ErrNoCoordinator) || errors.Is(err, client.ErrAway); {
		case err == nil && status.State.Over():
			return status, nil
		case err == nil:
			answered = time.Now()
		case !away || time.Since(answered) > lostWait:
			return status, err
		default:
			l.tell(l.progress(), oneLine(err))
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return status, ctx.Err()
		}
	}
}

// once looks once.
func (l *lookout) once(ctx context.Context) (client.Status, error) {
	status, workers, err := l.run.client.Get(ctx, l.run.at.name)
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

func (l *lookout) tell(p engine.Progress, who string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen, l.who = p, who
}

// describeWorkers says who works on a run, or why nobody does.
func describeWorkers(s *client.Status, workers []client.Worker) string {
	present := 0
	for _, w := range workers {
		if w.Present {
			present++
		}
	}
	parts := []string{fmt.Sprintf("%d of %d present", present, len(workers))}
	if s.State != client.Running {
		parts = append(parts, describeStatus(s))
	}
	return strings.Join(parts, ", ")
}

// addDistances has a coordinator compute the goal distances of a run, and waits.
func addDistances(ctx context.Context, env *app, r *remoteRun, quiet bool) error {
	if _, err := r.client.Resume(ctx, r.at.name, &history.Want{GoalDistance: true}); err != nil {
		return remoteError(err)
	}
	status, err := wait(ctx, env, r, quiet)
	if err == nil && r.History().End(history.Goal) == nil {
		if err = notComplete(env, r.at, &status); errors.As(err, new(*exitError)) && err.Error() == "" {
			err = failf(exitIncomplete, "%s has stopped before all goal distances were known: %s", r.at, env.command("resume", r.Dir(), "--goal-distance"))
		}
	}
	return err
}
