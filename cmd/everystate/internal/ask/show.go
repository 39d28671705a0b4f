package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/terminal/table"
	"github.com/everystate/everystate/puzzle"
)

// showJSON is described in docs/JSON.md.
type showJSON struct {
	drawing      string // for people
	State        string `json:"state"`
	Depth        int    `json:"depth"`
	Goal         bool   `json:"goal"`
	GoalDistance *int   `json:"goal_distance"`
	// LostAt is the depth at which the stored path to a dead state became dead, and
	// LostBy the move that led there, nil at a start. LostAt is omitted for any
	// other state.
	LostAt      *int             `json:"lost_at,omitempty"`
	LostBy      *string          `json:"lost_by,omitempty"`
	Predecessor *predecessorJSON `json:"predecessor"` // nil for a start
	Successors  []successorJSON  `json:"successors"`
	Failure     string           `json:"failure,omitempty"` // why the puzzle has no successors here
	Run         string           `json:"run"`
}

type predecessorJSON struct {
	drawing string // for people
	State   string `json:"state"`
	Move    string `json:"move"`
}

type successorJSON struct {
	Move         string `json:"move"`
	State        string `json:"state"`
	Depth        *int   `json:"depth"` // nil if the run has not found the state
	GoalDistance *int   `json:"goal_distance"`
}

// ShowCommand returns `everystate show`.
func ShowCommand(env *shell.Env) *cobra.Command {
	var asJSON bool
	var depth int
	cmd := &cobra.Command{
		Use:   "show RUN [STATE]",
		Short: "Print what a run knows about a state",
		Long: `Show prints the depth of a state, its predecessor, its goal distance if the run
has goal distances, and its successors with theirs. STATE is a board in any
notation of the puzzle, a file that holds one, or - for standard input.

With --depth instead of STATE it draws up to 16 states of a layer, each with the
move that leads to it. The choice depends only on the puzzle. If the run has
dropped the layer (explore --keep frontier), they are all that is left of it.`,
		Example: `  everystate show small-4x4 "E.BB / ECCC / AA.F / DD.F"
  everystate show small-4x4 --depth 9`,
		Args:              shell.Between(1, 2, "RUN and STATE"),
		ValidArgsFunction: runs.CompleteName,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch byDepth := cmd.Flags().Changed("depth"); {
			case byDepth && len(args) == 2:
				return exit.Usagef(cmd, "--depth shows a layer, and STATE a state: leave one of them out")
			case byDepth && depth < 0:
				return exit.Usagef(cmd, "--depth %d: must be 0 or more", depth)
			case byDepth:
				return runs.Ask(cmd.Context(), env, args[0], func(r runs.View) error { return showLayer(cmd.Context(), env, r, depth, asJSON) })
			case len(args) == 1:
				return exit.Usagef(cmd, "show needs RUN and STATE, or RUN and --depth")
			}
			return runs.Ask(cmd.Context(), env, args[0], func(r runs.View) error {
				seen, err := look(cmd.Context(), env, r, args[1])
				switch {
				case err != nil:
					return err
				case asJSON:
					return env.JSON(seen)
				}
				printState(env, r, seen)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	shell.IntVar(cmd.Flags(), &depth, "depth", 0, "draw some states of the layer at depth `D`")
	return cmd
}

// look collects what to show.
func look(ctx context.Context, env *shell.Env, r runs.View, text string) (*showJSON, error) {
	key, err := boards.State(env, r.Board().Puzzle, text)
	if err != nil {
		return nil, err
	}
	space, board := r.Space(), r.Board().Puzzle
	place, err := space.Locate(ctx, key)
	if errors.Is(err, query.ErrUnreachable) {
		return nil, runs.NotFound(env, r, "the state is not reachable", "the state has not been reached")
	}
	if err != nil {
		return nil, err
	}
	seen := &showJSON{
		drawing: board.Draw(key),
		State:   runs.Text(r, key), Depth: place.Depth, Goal: place.Goal,
		GoalDistance: shell.Known(place.GoalDistance), Successors: []successorJSON{}, Run: r.Dir(),
	}
	if place.Depth > 0 {
		before, link, err := space.Predecessor(ctx, key, place)
		if err != nil {
			return nil, exit.Errorf(exit.Failed, "%s: %v (`%s`)", r.Dir(), err, env.Command("verify", r.Dir()))
		}
		seen.Predecessor = &predecessorJSON{State: runs.Text(r, before), Move: board.FormatMove(link), drawing: board.Draw(before)}
	}
	if place.GoalDistance < 0 && space.HasDistances() {
		if err := addLoss(ctx, r, key, seen); err != nil {
			return nil, err
		}
	}
	if failure := puzzle.ErrAt(board, key); failure != nil {
		seen.Failure = failure.Error()
	}
	next, err := space.Successors(ctx, key, place)
	if err != nil {
		return nil, err
	}
	for _, n := range next {
		s := successorJSON{Move: board.FormatMove(n.Move), State: runs.Text(r, n.State)}
		if n.Known {
			s.Depth, s.GoalDistance = &n.Place.Depth, shell.Known(n.Place.GoalDistance)
		}
		seen.Successors = append(seen.Successors, s)
	}
	return seen, nil
}

// addLoss finds the move after which no goal could be reached, on the path to a
// dead state.
func addLoss(ctx context.Context, r runs.View, key []uint64, seen *showJSON) error {
	path, err := r.Space().FromStart(ctx, key)
	if err != nil {
		return err
	}
	at := len(path.States) - 1
	for ; at > 0; at-- {
		before, err := r.Space().Locate(ctx, path.States[at-1])
		if err != nil {
			return err
		}
		if before.GoalDistance >= 0 {
			break
		}
	}
	seen.LostAt = &at
	if at > 0 {
		move := r.Board().Puzzle.FormatMove(path.Moves[at-1])
		seen.LostBy = &move
	}
	return nil
}

func printState(env *shell.Env, r runs.View, s *showJSON) {
	pen := runs.Painter(env, r)
	draw := func(text string) { fmt.Fprintf(env.Out, "\n%s\n", strings.Join(pen.Draw(text).Lines, "\n")) }
	// Without any goal there is nothing to compute.
	distances := r.Space().HasDistances() || r.Space().Complete() && r.History().Goals() == 0
	fmt.Fprintf(env.Out, "depth %d%s\n", s.Depth, describeGoal(s, distances))
	if s.LostBy != nil {
		fmt.Fprintf(env.Out, "lost by move %d on the way here, %s\n", *s.LostAt, *s.LostBy)
	}
	draw(s.drawing)
	if p := s.Predecessor; p == nil {
		fmt.Fprint(env.Out, "\nstart state, no predecessor\n")
	} else {
		fmt.Fprintf(env.Out, "\npredecessor at depth %d, from which %s leads here\n", s.Depth-1, p.Move)
		draw(p.drawing)
	}
	fmt.Fprintln(env.Out)
	if s.Failure != "" {
		fmt.Fprintln(env.Out, "no successors: "+s.Failure)
		return
	}
	if len(s.Successors) == 0 {
		fmt.Fprintln(env.Out, "no successors")
		return
	}
	t := table.Table{Columns: []table.Column{{Title: "move", Left: true}, {Title: "depth"}, {Title: "goal distance"}}}
	for _, n := range s.Successors {
		t.Add(n.Move, shell.NumberOr(n.Depth, "?"), shell.NumberOr(n.GoalDistance, noDistance(distances)))
	}
	t.Write(env.Out, env.Paint)
}

func describeGoal(s *showJSON, distances bool) string {
	switch {
	case s.Goal:
		return ", a goal"
	case s.GoalDistance != nil:
		return fmt.Sprintf(", goal distance %d", *s.GoalDistance)
	case distances:
		return ", no goal can be reached"
	}
	return ""
}

// noDistance returns the text for a missing distance: known to be infinite, or
// unknown.
func noDistance(known bool) string {
	if known {
		return "none"
	}
	return "?"
}
