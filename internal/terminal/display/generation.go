package display

import (
	"fmt"
	"time"

	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/solve/generate"
	"github.com/everystate/everystate/internal/terminal/paint"
)

// Generation is the view of a search for hard boards.
type Generation struct {
	Paint    paint.Paint
	Began    time.Time
	Progress *generate.Progress
	// Evaluations is how many boards are to be explored, 0 if unknown.
	Evaluations int64
}

// Frame draws the counts.
func (g *Generation) Frame(width int) []string {
	p := g.Progress
	boards := quantity.Count(p.Evaluations.Load())
	if g.Evaluations > 0 {
		boards += " of " + quantity.Count(g.Evaluations)
	}
	return frame([][2]string{
		{"hardest", quantity.Counted(p.Best.Load(), "move")},
		{"boards", boards + ", " + quantity.Counted(p.Restarts.Load(), "restart")},
		{"states", fmt.Sprintf("%s, %s", quantity.Count(p.States.Load()), quantity.Rate(float64(p.States.Load())/time.Since(g.Began).Seconds()))},
	}, width, g.Paint)
}

// Line returns the same for programs.
func (g *Generation) Line() string {
	p := g.Progress
	return fmt.Sprintf("progress phase=generate hardest=%d boards=%d of=%d restarts=%d states=%d seconds=%.1f",
		p.Best.Load(), p.Evaluations.Load(), g.Evaluations, p.Restarts.Load(), p.States.Load(), time.Since(g.Began).Seconds())
}
