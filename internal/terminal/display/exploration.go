package display

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/bars"
	"github.com/everystate/everystate/internal/terminal/paint"
)

// Exploration is the view of a run being explored.
type Exploration struct {
	Name  string // the board's
	Run   string // the directory
	Paint paint.Paint
	// StatesBefore is the number of states of the forward phase when the
	// session began.
	StatesBefore int64
	// Promised is the number of states that the board states, 0 or less if none.
	Promised int64
	// Likely is about how many states there are, 0 as long as that is not known.
	Likely atomic.Int64
	// MaxStates is how many states the exploration stops after, 0 for no limit.
	MaxStates int64
	// Progress returns the progress of the run.
	Progress func() engine.Progress
	// Workers describes the workers of a run on a coordinator, where no single
	// process's memory could be shown. Nil on one machine.
	Workers func() string

	speed speedometer
}

// Frame draws phase, states, frontier, memory and layers.
func (e *Exploration) Frame(width int) []string {
	p := e.Progress()
	if p.ToFetch > 0 {
		v := Verification{Run: e.Run, Paint: e.Paint, Doing: Fetching, States: p.ToFetch}
		v.Done.Store(p.Fetched)
		return v.Frame(width)
	}
	rate := e.speed.rate(p, e.StatesBefore)
	depth := "depth"
	if p.Phase == history.Goal {
		depth = "goal distance"
	}
	where := [2]string{"memory", fmt.Sprintf("%s, %s on disk", quantity.Bytes(p.MemoryBytes), quantity.Bytes(p.DiskBytes))}
	if e.Workers != nil {
		where = [2]string{"workers", fmt.Sprintf("%s; %s on disk", e.Workers(), quantity.Bytes(p.DiskBytes))}
	}
	lines := [][2]string{
		{"", fmt.Sprintf("%s: %s %d, %s", e.Name, depth, p.Depth, quantity.Seconds(p.Elapsed.Seconds()))},
		{"states", e.states(&p, rate, width-labelWidth-1)},
		{"frontier", fmt.Sprintf("%s %3d%% of %s", bars.Gauge(p.Expanded, p.Frontier, 24), percent(p.Expanded, p.Frontier), quantity.Count(p.Frontier))},
		where,
		{"layers", bars.Sparkline(p.Layers, width-labelWidth-1)},
	}
	if p.Bucket != nil {
		lines = append(lines, [2]string{"bucket", bucket(p.Bucket)})
	}
	return frame(lines, width, e.Paint)
}

// states describes the number of states, of how many if that is known, and the speed,
// as far as it fits.
func (e *Exploration) states(p *engine.Progress, rate float64, width int) string {
	count, end := quantity.Count(p.States), ""
	all := int64(0)
	for _, states := range p.Forward {
		all += states
	}
	if of, how := e.end(p); p.Phase == history.Goal {
		end = " of at most " + quantity.Count(all) // some may not reach a goal
	} else if of > 0 {
		number := quantity.Count
		if how == about {
			number = func(n int64) string { return quantity.Estimate(float64(n)) }
		}
		end = fmt.Sprintf(" of %s%s (%d%%)", how, number(of), percent(p.States, of))
	}
	speed := quantity.Rate(rate)
	texts := []string{count + end + ", " + speed + " per second", count + end + ", " + speed + "/s", count + ", " + speed + "/s", count}
	for _, text := range texts {
		if len([]rune(text)) <= width {
			return text
		}
	}
	return count
}

// end returns how many states there will be, 0 if unknown, and how sure that is. An
// estimate that was too low is dropped.
func (e *Exploration) end(p *engine.Progress) (of int64, how string) {
	of = max(e.Promised, 0)
	if likely := e.Likely.Load(); of == 0 && likely >= p.States {
		of, how = likely, about
	}
	if e.MaxStates > 0 && (of == 0 || e.MaxStates < of) {
		return e.MaxStates, "at most "
	}
	return of, how
}

// about comes before the number of states where that is an estimate.
const about = "about "

// bucket describes how far a bucket is behind.
func bucket(b *engine.BucketProgress) string {
	switch {
	case b.Trouble != "":
		return "waiting for the bucket: " + b.Trouble
	case b.Layers == 0:
		return "up to date"
	}
	text := fmt.Sprintf("%s behind, %s", quantity.Counted(int64(b.Layers), "layer"), quantity.Bytes(b.Bytes))
	if b.Waiting {
		text = "waiting for the bucket: " + text
	}
	return text
}

// labelWidth is the width of the first column of a frame.
const labelWidth = 10

// frame lays out labels and values in two columns; a line without a label is a
// title. No line is longer than width-1, as a full line may wrap.
func frame(lines [][2]string, width int, p paint.Paint) []string {
	var out []string
	for _, l := range lines {
		if l[0] == "" {
			out = append(out, p.Bold(Clip(l[1], width-1)))
			continue
		}
		value := Clip(l[1], width-labelWidth-1)
		if strings.ContainsAny(value, "▁▂▃▄▅▆▇█") {
			value = p.Bar(value)
		}
		out = append(out, p.Faint(fmt.Sprintf("%-*s", labelWidth, l[0]))+value)
	}
	return out
}

func percent(part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	return min(max(part, 0), whole) * 100 / whole
}

// Line returns the same for programs. Sizes are in bytes, times in seconds.
func (e *Exploration) Line() string {
	p := e.Progress()
	if p.ToFetch > 0 {
		v := Verification{Run: e.Run, Doing: Fetching, States: p.ToFetch}
		v.Done.Store(p.Fetched)
		return v.Line()
	}
	phase := "forward"
	if p.Phase == history.Goal {
		phase = "goal-distance"
	}
	where := fmt.Sprintf("memory_bytes=%d", p.MemoryBytes)
	if e.Workers != nil {
		where = fmt.Sprintf("workers=%q", e.Workers())
	}
	behind := ""
	if b := p.Bucket; b != nil {
		behind = fmt.Sprintf("bucket_layers_behind=%d bucket_bytes_behind=%d ", b.Layers, b.Bytes)
	}
	promised := ""
	if of, how := e.end(&p); of > 0 && p.Phase == history.Forward {
		promised = fmt.Sprintf("of_states=%d ", of)
		if how != "" {
			promised = fmt.Sprintf("%s_states=%d ", strings.ReplaceAll(strings.TrimSpace(how), " ", "_"), of)
		}
	}
	return fmt.Sprintf("progress phase=%s depth=%d states=%d %sstates_per_second=%.0f frontier=%d expanded=%d generated=%d %s disk_bytes=%d %sseconds=%.1f run=%q",
		phase, p.Depth, p.States, promised, e.speed.rate(p, e.StatesBefore), p.Frontier, p.Expanded, p.Generated, where, p.DiskBytes, behind, p.Elapsed.Seconds(), e.Run)
}

// speedWindow is the time over which speed is measured.
const speedWindow = 3 * time.Second

// speedometer measures states per second over the last speedWindow.
type speedometer struct {
	phase   history.Phase
	samples []sample // the last one older than the window, and later ones
}

type sample struct {
	at     time.Duration
	states int64
}

// rate returns states per second. before is the number of states of the forward
// phase when the session began.
func (s *speedometer) rate(p engine.Progress, before int64) float64 {
	switch p.Phase {
	case s.phase:
	case history.Forward:
		s.samples = []sample{{at: 0, states: before}}
	default:
		// When the phase began is unknown, so its states so far give no speed.
		s.samples = []sample{{at: p.Elapsed, states: p.States}}
	}
	s.phase = p.Phase
	s.samples = append(s.samples, sample{at: p.Elapsed, states: p.States})
	for len(s.samples) > 2 && s.samples[1].at < p.Elapsed-speedWindow {
		s.samples = s.samples[1:]
	}
	if first := s.samples[0]; p.Elapsed > first.at {
		return float64(p.States-first.states) / (p.Elapsed - first.at).Seconds()
	}
	return 0
}
