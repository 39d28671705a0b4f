package rushhour

import (
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// metric defines what counts as one move.
type metric uint8

const (
	metricStep  metric = iota // one vehicle, one cell
	metricSlide               // one vehicle, any distance in one direction
)

func (m metric) String() string {
	if m == metricSlide {
		return "slide"
	}
	return "step"
}

// parseMetric reads a metric's name or alias. Its error has no position.
func parseMetric(name string) (metric, *puzzle.InputError) {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "step", "unit":
		return metricStep, nil
	case "slide", "move":
		return metricSlide, nil
	}
	return 0, faultf("unknown metric %s: must be step (alias unit) or slide (alias move)", quote(name))
}
