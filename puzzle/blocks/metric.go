package blocks

import (
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// metric defines what counts as one move.
type metric uint8

const (
	metricStep  metric = iota // one piece, one cell
	metricSlide               // one piece, any distance in one direction
	metricMove                // one piece, any path of steps
)

func (m metric) String() string { return [...]string{"step", "slide", "move"}[m] }

// parseMetric reads a metric's name.
func parseMetric(name boardfile.Piece) (metric, *puzzle.InputError) {
	for m := metricStep; m <= metricMove; m++ {
		if strings.EqualFold(name.Text, m.String()) {
			return m, nil
		}
	}
	return 0, name.Faultf("unknown metric %s: must be step, slide or move", boardfile.Quote(name.Text))
}
