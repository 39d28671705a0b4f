package sokoban

import (
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// metric defines what counts as one move.
type metric uint8

const (
	metricPush     metric = iota // one push of one box by one cell
	metricMove                   // one step of the player
	metricBackward               // one push undone, starting from the solved states
)

func (m metric) String() string {
	return [...]string{"push", "move", "backward-push"}[m]
}

// parseMetric reads a metric's name or alias.
func parseMetric(name boardfile.Piece) (metric, *puzzle.InputError) {
	switch strings.ToLower(strings.TrimSpace(name.Text)) {
	case "push", "pushes":
		return metricPush, nil
	case "move", "moves", "step":
		return metricMove, nil
	case "backward-push", "pull":
		return metricBackward, nil
	}
	return 0, name.Faultf("unknown metric %s: must be push (alias pushes), move (aliases moves and step) or backward-push (alias pull)", boardfile.Quote(name.Text))
}

// prune selects pushes that are left out because the result is unsolvable.
type prune uint8

const (
	pruneDead   prune = 1 << iota // onto a cell from which no target can be reached
	pruneFreeze                   // leaving boxes off targets that can never move again
	pruneNone   prune = 0
)

func (p prune) String() string {
	return [...]string{"no", "dead", "freeze", "yes"}[p]
}

// parsePrune reads the header prune.
func parsePrune(value boardfile.Piece) (prune, *puzzle.InputError) {
	switch strings.ToLower(value.Text) {
	case "no":
		return pruneNone, nil
	case "dead":
		return pruneDead, nil
	case "freeze":
		return pruneFreeze, nil
	case "yes":
		return pruneDead | pruneFreeze, nil
	}
	return 0, value.Faultf("unknown prune %s: must be no, dead, freeze or yes, which is both", boardfile.Quote(value.Text))
}

// A direction is one of four; opposite directions differ in the last bit.
type direction uint8

const (
	up direction = iota
	down
	left
	right
	directions
)

func (d direction) opposite() direction { return d ^ 1 }

func (d direction) String() string {
	return [...]string{"up", "down", "left", "right"}[d]
}

// lateral returns a direction at right angles to d; the other is its opposite.
func (d direction) lateral() direction { return d ^ 2 }
