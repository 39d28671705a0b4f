package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/table"
	"github.com/everystate/everystate/internal/query"
)

// showJSON is described in docs/JSON.md.
type showJSON struct {
	drawing      string           // for people
	State        string           `json:"state"`
	Depth        int              `json:"depth"`
	Goal         bool             `json:"goal"`
	GoalDistance *int             `json:"goal_distance"`
	Predecessor  *predecessorJSON `json:"predecessor"` // nil for a start
	Successors   []successorJSON  `json:"successors"`
	Run          string           `json:"run"`
}

type predecessorJSON struct {
	drawing string // for people
	State   string `json:"state"`
	Move    string `json:"move"`
}

type successorJSON struct {
	Move         string `json:"move"`
	State        string `json:"state"`
	Depth        *int   `json:"depth"` // nil if the run has not come there
	GoalDistance *int   `json:"goal_distance"`
}

func (a *app) showCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show RUN STATE",
		Short: "Print what a run knows of a state",
		Long: `Show prints the depth of a state, its predecessor, its goal distance if that is
known, and where its successors are. STATE is a board in any notation.`,
		Example:           `  everystate show small-4x4 "E.BB / ECCC / AA.F / DD.F"`,
		Args:              exactly(2, "RUN STATE"),
		ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), args[0], func(r runView) error {
				seen, err := a.look(r, args[1])
				switch {
				case err != nil:
					return err
				case asJSON:
					return a.json(seen)
				}
				a.printState(r, seen)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

// look finds out what there is to show.
func (a *app) look(r runView, text string) (*showJSON, error) {
	key, err := parseState(r, text)
	if err != nil {
		return nil, err
	}
	space, puzzle := r.Space(), r.Board().Puzzle
	place, err := space.Locate(key)
	if errors.Is(err, query.ErrUnreachable) {
		return nil, a.notFound(r, "the state is not reachable", "the state has not been reached")
	}
	if err != nil {
		return nil, err
	}
	seen := &showJSON{
		drawing: puzzle.Draw(key),
		State:   puzzle.Format(key), Depth: place.Depth, Goal: place.Goal,
		GoalDistance: known(place.GoalDistance), Successors: []successorJSON{}, Run: r.Dir(),
	}
	if place.Depth > 0 {
		before, err := space.Predecessor(key, place)
		if err != nil {
			return nil, failf(exitFailed, "%s: %v (`%s`)", r.Dir(), err, a.command("verify", r.Dir()))
		}
		seen.Predecessor = &predecessorJSON{State: puzzle.Format(before), Move: puzzle.FormatMove(place.Link), drawing: puzzle.Draw(before)}
	}
	next, err := space.Successors(key, place)
	if err != nil {
		return nil, err
	}
	for _, n := range next {
		s := successorJSON{Move: puzzle.FormatMove(n.Move), State: puzzle.Format(n.State)}
		if n.Known {
			s.Depth, s.GoalDistance = &n.Place.Depth, known(n.Place.GoalDistance)
		}
		seen.Successors = append(seen.Successors, s)
	}
	return seen, nil
}

// known returns nil for -1, by which a distance that is not known is written.
func known(distance int) *int {
	if distance < 0 {
		return nil
	}
	return &distance
}

func (a *app) printState(r runView, s *showJSON) {
	pen := a.painter(r)
	draw := func(text string) { fmt.Fprintf(a.out, "\n%s\n", strings.Join(pen.Draw(text).Lines, "\n")) }
	// Without any goal there is nothing to compute.
	distances := r.Space().HasDistances() || r.Space().Complete() && r.History().Goals() == 0
	fmt.Fprintf(a.out, "depth %d%s\n", s.Depth, describeGoal(s, distances))
	draw(s.drawing)
	if p := s.Predecessor; p == nil {
		fmt.Fprint(a.out, "\na start state: no predecessor\n")
	} else {
		fmt.Fprintf(a.out, "\npredecessor at depth %d, from which %s leads here\n", s.Depth-1, p.Move)
		draw(p.drawing)
	}
	fmt.Fprintln(a.out)
	if len(s.Successors) == 0 {
		fmt.Fprintln(a.out, "no successors")
		return
	}
	t := table.Table{Columns: []table.Column{{Title: "move", Left: true}, {Title: "depth"}, {Title: "goal distance"}}}
	for _, n := range s.Successors {
		t.Add(n.Move, numberOr(n.Depth, "?"), numberOr(n.GoalDistance, noDistance(distances)))
	}
	t.Write(a.out, a.paint)
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

// noDistance is written for a distance that is not there: known to be infinite,
// or not known.
func noDistance(known bool) string {
	if known {
		return "none"
	}
	return "?"
}

func numberOr(n *int, otherwise string) string {
	if n == nil {
		return otherwise
	}
	return fmt.Sprint(*n)
}
