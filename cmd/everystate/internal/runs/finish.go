package runs

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/picture"
	"github.com/everystate/everystate/internal/terminal/summary"
	"github.com/everystate/everystate/puzzle"
)

// SummaryOfDir summarizes the run in a directory.
func SummaryOfDir(ctx context.Context, dir string) (engine.Summary, error) {
	r, err := engine.Open(dir, engine.Options{ReadOnly: true})
	if err != nil {
		return engine.Summary{}, err
	}
	s, err := r.Summary(ctx)
	return s, cmp.Or(err, r.Close())
}

// announce prints what is explored and what was assumed in reading it.
func announce(env *shell.Env, r View, f Finishing) error {
	b := r.Board()
	line := fmt.Sprintf("%s (%s, %s): %s\n", NameOf(r), b.Family, b.Metric, b.Note)
	switch {
	case !f.JSON:
		fmt.Fprint(env.Out, line)
		return env.Out.Flush()
	case !f.Quiet:
		fmt.Fprint(env.Err, line)
	}
	return nil
}

// Finishing configures how to bring an open run to its end.
type Finishing struct {
	Want               history.Want
	JSON, Quiet, Brief bool
	Expect             puzzle.Expect
	Again              []string
}

// Finish explores, closes the run and reports.
func Finish(ctx context.Context, env *shell.Env, r *engine.Run, f Finishing) (*engine.Summary, error) {
	if err := announce(env, r, f); err != nil {
		return nil, cmp.Or(err, r.Close())
	}
	before := len(r.History().Layers(history.Forward))
	reason, err := Continue(ctx, env, r, f.Want, f.Quiet, f.Expect, f.Again)
	if text := beyond(r.History(), f.Want, reason, before); text != "" {
		env.Complain(r.Dir() + " " + text)
	}
	if err != nil && (ctx.Err() == nil || !f.JSON) {
		return nil, cmp.Or(err, r.Close())
	}
	return conclude(ctx, env, r, f, reason, err)
}

// beyond returns a note if a run had already passed a limit when it was continued,
// so that nothing was done, else "". A limit that stopped it before needs no note.
func beyond(h *history.History, want history.Want, reason history.Reason, layersBefore int) string {
	layers := h.Layers(history.Forward)
	if layersBefore == 0 || len(layers) > layersBefore {
		return ""
	}
	states := h.States(history.Forward)
	switch {
	case reason == history.StatesReached && states-layers[layersBefore-1].States >= want.MaxStates:
		return fmt.Sprintf("has %s already: --max-states %d adds none", quantity.Counted(states, "state"), want.MaxStates)
	case reason == history.DepthReached && layersBefore-1 > *want.MaxDepth:
		return fmt.Sprintf("has all states to depth %d already: --max-depth %d adds none", layersBefore-1, *want.MaxDepth)
	}
	return ""
}

// conclude closes a run that will not get further now, and reports. interrupted is
// why it did not get as far as wanted.
func conclude(ctx context.Context, env *shell.Env, r View, f Finishing, reason history.Reason, interrupted error) (*engine.Summary, error) {
	s, err := r.Summary(context.WithoutCancel(ctx))
	layers := LayersOf(r)
	if err = cmp.Or(err, r.Close()); err != nil {
		return nil, Explain(env, r.Dir(), err)
	}
	if interrupted != nil {
		// All states may have been found, but not everything asked for.
		s.Complete = false
	}
	if startsImages(r) && !canCompare(f.Expect.States, &s) {
		env.Complain(fmt.Sprintf("%s: not compared with the promised %s: these are reached from the start alone, but with these symmetries its images are explored too; to compare, use --symmetry start or off",
			s.Name, quantity.Counted(f.Expect.States, "state")))
		f.Expect.States = -1
	}
	promise, kept := promised(f.Expect, &s)
	if err := writeReport(env, r, &s, layers, f, reason, promise, kept); err != nil {
		return nil, err
	}
	switch {
	case interrupted != nil:
		return &s, interrupted
	case !kept:
		return &s, exit.Errorf(exit.Failed, "%s: promised %s", s.Name, promise)
	case !s.Complete:
		return &s, exit.Reported(exit.Incomplete)
	}
	return &s, nil
}

func writeReport(env *shell.Env, r View, s *engine.Summary, layers []summary.Layer, f Finishing, reason history.Reason, promise string, kept bool) error {
	full := summary.Summary{Summary: *s, Stopped: whyStopped(reason, s), Promise: promise, PromiseKept: kept}
	switch {
	case f.JSON:
		if err := env.JSON(s); err != nil {
			return err
		}
	case f.Brief:
		state := full.Stopped
		if s.Complete {
			state = "complete"
		}
		fmt.Fprintf(env.Out, "  %s to depth %d, %s\n", quantity.Counted(s.States, "state"), s.Depth, state)
	default:
		fmt.Fprintln(env.Out)
		cut := summary.LayersInBrief(env.Out, layers, env.Paint)
		fmt.Fprintln(env.Out)
		full.Next = next(env, r, s, cut)
		full.Write(env.Out, Painter(env, r))
	}
	return env.Out.Flush()
}

// Painter returns the painter for the boards of a run.
func Painter(env *shell.Env, r View) picture.Painter { return PainterOf(env, r.Board()) }

// PainterOf returns the painter for a board.
func PainterOf(env *shell.Env, b puzzle.Board) picture.Painter {
	return picture.Painter{Paint: env.Paint, Goal: picture.GoalSymbol(b.Text)}
}

// LayersOf returns the forward layers of a run.
func LayersOf(r View) []summary.Layer {
	var layers []summary.Layer
	for _, l := range r.History().Layers(history.Forward) {
		layers = append(layers, summary.Layer{States: l.States, Goals: l.Goals})
	}
	return layers
}

// whyStopped describes the limit that kept a run from being complete.
func whyStopped(reason history.Reason, s *engine.Summary) string {
	switch reason {
	case history.DepthReached:
		return fmt.Sprintf("stopped at depth %d (--max-depth)", s.Depth)
	case history.StatesReached:
		return "stopped (--max-states)"
	case history.GoalReached:
		return "stopped at a goal (--stop-at-goal)"
	case history.Exhausted, history.CannotGoOn:
	}
	return "not complete"
}

// next returns useful commands to run next.
func next(env *shell.Env, r View, s *engine.Summary, cut bool) []string {
	var next []string
	if !s.Complete && failureOf(r) == "" {
		next = append(next, env.Command("resume", r.Dir()))
	}
	h := r.History()
	if d := h.FirstGoal(); d < 0 || h.Dropped(h.Layers(history.Forward)[d]) {
		next = append(next, env.Command("trace", r.Dir(), "--deepest"))
	} else {
		next = append(next, env.Command("trace", r.Dir(), "--first-goal"))
		if s.Complete && (!h.Keep().Frontier || s.GoalDistanceLayers != nil) {
			next = append(next, env.Command("hardest", r.Dir()))
		}
	}
	if cut {
		next = append(next, env.Command("layers", r.Dir()))
	}
	return next
}

// startsImages reports whether the starts of a run stand for states that are not starts of
// the board.
func startsImages(r View) bool {
	layers := r.History().Layers(history.Forward)
	p := r.Board().Puzzle
	merged, ok := p.(puzzle.Merged)
	if !ok || len(layers) == 0 {
		return false
	}
	starts := len(merged.Unmerged().Starts()) / p.Layout().Words()
	return layers[0].Represented > int64(starts)
}

// canCompare reports whether a promised number of states can be compared with a run whose
// starts stand for their images too. It may be that of the states, or of those that they
// stand for. The states reached from one start alone are at least one of each orbit, so
// a number between the two may hold.
func canCompare(promised int64, s *engine.Summary) bool {
	n := s.RepresentedStates
	return promised < 0 || !s.Complete || n == nil || promised <= s.States || promised >= *n
}

// promised compares a run with what its input promised, as far as the run knows. The text
// is about all promises if they are kept, and else about the broken ones.
func promised(e puzzle.Expect, s *engine.Summary) (text string, kept bool) {
	var held, broken []string
	compare := func(want, got int64, known bool, thing string) {
		if want < 0 || !known {
			return
		}
		part := quantity.Counted(want, thing)
		if want == got {
			held = append(held, part)
		} else {
			found := quantity.Count(got)
			switch n := s.RepresentedStates; {
			case got < 0:
				found = "none"
			case thing == "state" && n != nil:
				found += ", which stand for " + quantity.Count(*n)
			}
			broken = append(broken, part+" but found "+found)
		}
	}
	solution := int64(-1)
	if s.SolutionLength != nil {
		solution = int64(*s.SolutionLength)
	}
	states := s.States
	if n := s.RepresentedStates; n != nil && *n == e.States {
		states = *n // the promise is about the space without symmetry
	}
	compare(e.States, states, s.Complete, "state")
	compare(int64(e.SolutionLength), solution, s.Complete || solution >= 0, "move")
	if len(broken) > 0 {
		return strings.Join(broken, ", "), false
	}
	return strings.Join(held, ", "), true
}
