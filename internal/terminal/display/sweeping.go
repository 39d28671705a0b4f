package display

import (
	"fmt"
	"time"

	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/paint"
)

// SweepProgress is the progress of a sweep.
type SweepProgress struct {
	Units, States, Puzzles int64
	Greatest               int // greatest distance, negative if there is none yet
}

// Sweeping is the view of a sweep.
type Sweeping struct {
	Paint paint.Paint
	// Units and States are the totals. States is 0 if unknown.
	Units, States int64
	// Started is when the sweep was begun or resumed, and Before the number of
	// states that it had then.
	Started  time.Time
	Before   int64
	Progress func() SweepProgress
}

// Frame draws the counts and the estimated time left.
func (s *Sweeping) Frame(width int) []string {
	p := s.Progress()
	lines := [][2]string{
		{"states", s.states(p)},
		{"units", fmt.Sprintf("%s of %s", quantity.Count(p.Units), quantity.Count(s.Units))},
		{"puzzles", fmt.Sprintf("%s, %s", quantity.Count(p.Puzzles), hardestSoFar(p.Greatest))},
	}
	rate, left := s.rate(p)
	if rate > 0 {
		text := quantity.Rate(rate) + " states per second"
		if s.States > 0 {
			text += fmt.Sprintf(", about %s left", quantity.Seconds(left))
		}
		lines = append(lines, [2]string{"rate", text})
	}
	return frame(lines, width, s.Paint)
}

func (s *Sweeping) states(p SweepProgress) string {
	if s.States == 0 {
		return quantity.Count(p.States)
	}
	return fmt.Sprintf("%s of %s", quantity.Count(p.States), quantity.Count(s.States))
}

func hardestSoFar(greatest int) string {
	if greatest < 0 {
		return "none yet"
	}
	return "the hardest takes " + quantity.Counted(int64(greatest), "move")
}

// rate returns states per second, and the seconds left at that rate.
func (s *Sweeping) rate(p SweepProgress) (rate, left float64) {
	seconds := time.Since(s.Started).Seconds()
	if p.States <= s.Before || seconds <= 0 {
		return 0, 0
	}
	rate = float64(p.States-s.Before) / seconds
	return rate, max(0, float64(s.States-p.States)) / rate
}

// Line returns the same for programs.
func (s *Sweeping) Line() string {
	p := s.Progress()
	rate, left := s.rate(p)
	line := fmt.Sprintf("progress phase=sweep units=%d of=%d states=%d", p.Units, s.Units, p.States)
	if s.States > 0 {
		line += fmt.Sprintf(" of_states=%d", s.States)
	}
	line += fmt.Sprintf(" puzzles=%d", p.Puzzles)
	if p.Greatest >= 0 {
		line += fmt.Sprintf(" greatest_distance=%d", p.Greatest)
	}
	if rate > 0 {
		line += fmt.Sprintf(" states_per_second=%.0f", rate)
		if s.States > 0 {
			line += fmt.Sprintf(" seconds_left=%.0f", left)
		}
	}
	return line
}
