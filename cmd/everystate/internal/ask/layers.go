package ask

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/terminal/summary"
	"github.com/everystate/everystate/puzzle"
)

// LayersJSON is described in docs/JSON.md.
type LayersJSON struct {
	Name               string      `json:"name"`
	Metric             string      `json:"metric"`
	Layers             []layerJSON `json:"layers"`
	GoalDistanceLayers []int64     `json:"goal_distance_layers"` // nil if not known
	Complete           bool        `json:"complete"`
	Run                string      `json:"run"`
}

type layerJSON struct {
	Depth     int   `json:"depth"`
	States    int64 `json:"states"`
	Goals     int64 `json:"goals"`
	Generated int64 `json:"generated"`
	// Represented is omitted where every state stands for itself.
	Represented int64 `json:"represented_states,omitempty"`
	// Dropped is omitted where the run has the states of the layer.
	Dropped bool `json:"dropped,omitempty"`
	// Pruned is omitted where the puzzle was not asked to prune moves.
	Pruned *int64 `json:"pruned_moves,omitempty"`
}

// LayersCommand returns `everystate layers`.
func LayersCommand(env *shell.Env) *cobra.Command {
	var goal, asJSON bool
	cmd := &cobra.Command{
		Use:   "layers RUN",
		Short: "Print the number of states at each depth",
		Long: `Layers prints the number of states and of goal states at each depth, and the
number of states at each goal distance if the run has goal distances.`,
		Example: `  everystate layers jam-93
  everystate layers jam-93 --goal`,
		Args:              shell.Exactly(1, "RUN"),
		ValidArgsFunction: runs.CompleteName,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runs.Ask(cmd.Context(), env, args[0], func(r runs.View) error {
				if asJSON {
					return writeLayersJSON(env, r)
				}
				return printLayers(env, r, goal)
			})
		},
	}
	cmd.Flags().BoolVar(&goal, "goal", false, "print only the table of goal distances")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

func writeLayersJSON(env *shell.Env, r runs.View) error {
	h := r.History()
	out := LayersJSON{
		Name: r.Board().Name, Metric: r.Board().Metric, Layers: []layerJSON{},
		GoalDistanceLayers: r.Space().GoalLayers(), Complete: h.End(history.Forward) != nil, Run: r.Dir(),
	}
	pruning, ok := r.Board().Puzzle.(puzzle.Pruning)
	for _, l := range h.Layers(history.Forward) {
		layer := layerJSON{Depth: int(l.Depth), States: l.States, Goals: l.Goals, Generated: l.Generated, Represented: l.Represented, Dropped: h.Dropped(l)}
		if ok && pruning.Prunes() {
			layer.Pruned = &l.Pruned
		}
		out.Layers = append(out.Layers, layer)
	}
	return env.JSON(out)
}

func printLayers(env *shell.Env, r runs.View, goal bool) error {
	distances := r.Space().GoalLayers()
	if goal && distances == nil {
		return runs.NoDistances(env, r)
	}
	if !goal {
		summary.Layers(env.Out, runs.LayersOf(r), env.Paint)
		if !r.Space().Complete() {
			fmt.Fprintf(env.Out, "\nnot complete: %s\n", runs.More(env, r))
		}
	}
	if len(distances) > 0 {
		if !goal {
			fmt.Fprintln(env.Out)
		}
		summary.GoalDistances(env.Out, distances, env.Paint)
	}
	return nil
}
