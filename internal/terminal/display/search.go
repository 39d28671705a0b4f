package display

import (
	"fmt"
	"sync/atomic"

	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/paint"
)

// Search is the view of boards being solved.
type Search struct {
	Paint paint.Paint
	// Boards is how many there are, and Done how many have an answer.
	Boards int64
	Done   atomic.Int64
	// Expanded counts the states expanded for all boards.
	Expanded atomic.Int64
}

// Frame draws the counts.
func (s *Search) Frame(width int) []string {
	return frame([][2]string{
		{"boards", fmt.Sprintf("%s of %s", quantity.Count(s.Done.Load()), quantity.Count(s.Boards))},
		{"expanded", quantity.Counted(s.Expanded.Load(), "state")},
	}, width, s.Paint)
}

// Line returns the same for programs.
func (s *Search) Line() string {
	return fmt.Sprintf("progress phase=solve boards=%d of=%d expanded=%d", s.Done.Load(), s.Boards, s.Expanded.Load())
}
