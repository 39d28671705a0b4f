package engine

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/platform/memory"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// Summary is everything that a run has found, in numbers. Its JSON names are a
// contract, described in docs/JSON.md.
type Summary struct {
	Puzzle string `json:"puzzle"` // the family
	Name   string `json:"name"`
	Metric string `json:"metric"`

	States     int64   `json:"states"`
	Generated  int64   `json:"generated"`
	Duplicates int64   `json:"duplicates"`
	Layers     []int64 `json:"layers"` // by depth
	Depth      int     `json:"depth"`  // the greatest so far

	GoalStates int64 `json:"goal_states"`
	// SolutionLength is the depth of the first goal state, nil if none was found.
	SolutionLength *int `json:"solution_length"`

	// The fields below are nil until goal distances have been computed; Hardest
	// is nil too if the space has no goal.
	Hardest            *HardestSummary `json:"hardest"`
	GoalDistanceLayers []int64         `json:"goal_distance_layers"`
	UnsolvableStates   *int64          `json:"unsolvable_states"`
	// RepresentedStates is omitted where every state stands for itself.
	RepresentedStates *int64 `json:"represented_states,omitempty"`
	// PrunedMoves is omitted where the puzzle was not asked to prune moves.
	PrunedMoves *int64 `json:"pruned_moves,omitempty"`

	// DroppedLayers counts layers whose states the run no longer has. It is omitted
	// where it has all.
	DroppedLayers int `json:"dropped_layers,omitempty"`

	Digest          string  `json:"digest"`
	Seconds         float64 `json:"seconds"` // spent on the layers, and on storing a table, over all sessions
	StatesPerSecond float64 `json:"states_per_second"`
	PeakMemoryBytes int64   `json:"peak_memory_bytes"` // over all sessions
	DiskBytes       int64   `json:"disk_bytes"`
	Run             string  `json:"run"` // the directory
	// Bucket is the URL under which the run is kept in a bucket as well.
	Bucket string `json:"bucket,omitempty"`

	// Complete is set if everything asked for has been found: every reachable state
	// and, once goal distances were begun, the goal distance of each.
	Complete bool `json:"complete"`
}

// HardestSummary describes the states farthest from their nearest goal.
type HardestSummary struct {
	Distance int    `json:"distance"`
	Count    int64  `json:"count"`
	Example  string `json:"example"` // the first in byte order; its rows are one line in JSON
}

// MarshalJSON writes the example in one line, as all states are written in JSON.
func (h HardestSummary) MarshalJSON() ([]byte, error) {
	type summary HardestSummary
	h.Example = puzzle.OneLine(h.Example)
	return json.Marshal(summary(h))
}

// UnmarshalJSON reads what MarshalJSON wrote, and the rows of earlier versions.
func (h *HardestSummary) UnmarshalJSON(text []byte) error {
	type summary HardestSummary
	if err := json.Unmarshal(text, (*summary)(h)); err != nil {
		return err
	}
	h.Example = strings.ReplaceAll(h.Example, puzzle.BetweenRows, "\n")
	return nil
}

// Summary returns what the run has found so far.
func (r *Run) Summary(ctx context.Context) (Summary, error) {
	s, err := Summarize(ctx, r.spec, r.Space())
	s.PeakMemoryBytes = max(memory.Peak(), r.peakBefore)
	s.DiskBytes = diskBytes(r)
	s.Run, s.Bucket = r.dir, r.bucketURL()
	return s, err
}

// Summarize returns the summary of a space, without the memory and disk that the run
// took and without where it is.
func Summarize(ctx context.Context, spec history.Spec, space *query.Space) (Summary, error) {
	s := countsOf(spec, space.History, space.DistancePhase())
	s.addPruned(space.Board.Puzzle, space.History)
	if s.GoalDistanceLayers == nil || !query.KnowsHardest(space) {
		return s, nil
	}
	hardest, err := space.Hardest(ctx, 1)
	switch {
	case errors.Is(err, query.ErrNoGoal):
		return s, nil
	case err != nil:
		return s, err
	}
	s.Hardest = &HardestSummary{
		Distance: hardest.Distance,
		Count:    hardest.Count,
		Example:  space.Board.Puzzle.Format(hardest.States[0]),
	}
	return s, nil
}

// counts returns the part of the summary that needs no look at the states.
func (r *Run) counts() Summary {
	s := countsOf(r.spec, &r.history, r.Space().DistancePhase())
	s.addPruned(r.board.Puzzle, &r.history)
	s.PeakMemoryBytes = max(memory.Peak(), r.peakBefore)
	s.Run, s.Bucket = r.dir, r.bucketURL()
	return s
}

// addPruned sets PrunedMoves if the puzzle prunes, even if it pruned none.
func (s *Summary) addPruned(p puzzle.Puzzle, h *history.History) {
	if pruning, ok := p.(puzzle.Pruning); ok && pruning.Prunes() {
		n := h.Pruned()
		s.PrunedMoves = &n
	}
}

// countsOf returns the counts of a history. The layers of the phase distances are
// those by goal distance.
func countsOf(spec history.Spec, h *history.History, distances history.Phase) Summary {
	s := Summary{
		Puzzle:     spec.Family,
		Name:       spec.Name,
		Metric:     spec.Metric,
		States:     h.States(history.Forward),
		Generated:  h.Generated(history.Forward),
		Layers:     layerStates(h, history.Forward),
		GoalStates: h.Goals(),
		Digest:     h.Digest().String(),

		DroppedLayers: h.DroppedLayers(),

		Complete: h.End(history.Forward) != nil && (h.End(history.Goal) != nil || len(h.Layers(history.Goal)) == 0),
	}
	s.Depth = max(0, len(s.Layers)-1)
	// The states of layer 0 are not generated.
	if len(s.Layers) > 0 {
		s.Duplicates = s.Generated - (s.States - s.Layers[0])
	}
	if n := h.Represented(); n > 0 {
		s.RepresentedStates = &n
	}
	if n := h.Pruned(); n > 0 {
		s.PrunedMoves = &n
	}
	if d := h.FirstGoal(); d >= 0 {
		s.SolutionLength = &d
	}
	if h.End(distances) != nil {
		s.GoalDistanceLayers = layerStates(h, distances)
		unsolvable := s.States - h.States(distances)
		s.UnsolvableStates = &unsolvable
	}
	nanos := h.Nanos(history.Forward)
	s.Seconds = float64(nanos+h.Nanos(history.Goal)) / 1e9
	if nanos > 0 {
		s.StatesPerSecond = float64(s.States) / (float64(nanos) / 1e9)
	}
	return s
}

func layerStates(h *history.History, p history.Phase) []int64 {
	states := make([]int64, 0, len(h.Layers(p)))
	for _, l := range h.Layers(p) {
		states = append(states, l.States)
	}
	return states
}
