package draw

import (
	"fmt"
	"math"
	"strconv"
)

// Series is a histogram: how many states there are at each distance, from 0. The bars
// have the colours of their distances.
type Series struct {
	Name   string // what the axis counts: "depth"
	Counts []int64
	// Marks annotate distances.
	Marks []Mark
}

// Mark annotates a distance.
type Mark struct {
	At   int
	Text string
}

// Plot is histograms, one above another.
type Plot struct {
	Heading, Note string
	Series        []Series
	// Log makes the axis of counts logarithmic.
	Log bool
}

const (
	plotWidth  = 860
	plotHeight = 260
	plotLeft   = 78
	plotRight  = 24
)

// Draw draws a plot.
func (h *Plot) Draw(o Options) *Scene {
	t := themeOf(o.Dark)
	s := &Scene{Title: o.Title, Width: plotWidth}
	if s.Title == "" {
		s.Title = h.Heading
	}
	if o.Background {
		s.background = t.paper
	}
	p := pen{&s.items}
	y := 14.0
	if h.Heading != "" {
		y += 24
		p.text(plotLeft, y, 24, anchorStart, t.ink, clipped(h.Heading, 24, false, plotWidth-plotLeft-plotRight))
	}
	if h.Note != "" {
		y += 22
		p.plain(plotLeft, y, 15, anchorStart, t.faint, clipped(h.Note, 15, true, plotWidth-plotLeft-plotRight))
	}
	y += 38
	for i := range h.Series {
		h.series(p, &h.Series[i], y, t)
		y += plotHeight + 84
	}
	s.Height = y - 32
	return s
}

func (h *Plot) series(p pen, series *Series, top float64, t theme) {
	most, n := int64(1), len(series.Counts)
	for _, c := range series.Counts {
		most = max(most, c)
	}
	height := func(c int64) float64 {
		switch {
		case c <= 0:
			return 0
		case h.Log:
			// A single state remains visible.
			return plotHeight * (math.Log10(float64(c)) + 0.3) / (math.Log10(float64(most)) + 0.3)
		}
		return plotHeight * float64(c) / float64(most)
	}
	bottom := top + plotHeight
	for _, tick := range h.ticks(most) {
		y := bottom - height(tick)
		var line path
		line.move(plotLeft, y)
		line.line(plotWidth-plotRight, y)
		p.stroke(line, 1, t.line)
		p.plain(plotLeft-8, y+4.5, 13, anchorEnd, t.faint, short(tick))
	}
	step := float64(plotWidth-plotLeft-plotRight) / float64(max(n, 1))
	gap := 0.0
	if step > 4 {
		gap = min(step*0.18, 4)
	}
	for i, c := range series.Counts {
		if d := height(c); d > 0 {
			d = max(d, 0.8)
			var bar path
			bar.rect(plotLeft+float64(i)*step+gap/2, bottom-d, step-gap, d)
			p.fill(bar, distanceColour(float64(i)/float64(max(n-1, 1)), t.dark))
		}
	}
	var axis path
	axis.move(plotLeft, bottom)
	axis.line(plotWidth-plotRight, bottom)
	p.stroke(axis, 1.5, t.faint)
	every := niceStep(n)
	for i := 0; i < n; i += every {
		p.plain(plotLeft+(float64(i)+0.5)*step, bottom+18, 13, anchorMiddle, t.faint, strconv.Itoa(i))
	}
	p.text((plotLeft+plotWidth-plotRight)/2.0, bottom+38, 14, anchorMiddle, t.ink, series.Name)
	for _, m := range series.Marks {
		if m.At < 0 || m.At >= n {
			continue
		}
		x := plotLeft + (float64(m.At)+0.5)*step
		y := bottom - height(series.Counts[m.At])
		// The text is above all bars.
		var pin path
		pin.move(x, top-16)
		pin.line(x, y-2)
		p.stroke(pin, 1.5, colourGoal)
		p.circle(x, top-16, 3.5, colourGoal)
		a, dx := anchorStart, 9.0
		if x > plotWidth*0.6 {
			a, dx = anchorEnd, -9
		}
		p.text(x+dx, top-11.5, 13, a, t.ink, m.Text)
	}
}

// ticks returns the counts at which to draw lines.
func (h *Plot) ticks(most int64) []int64 {
	var out []int64
	if h.Log {
		for v := int64(1); v <= most; v *= 10 {
			out = append(out, v)
			if v > math.MaxInt64/10 {
				break
			}
		}
		return out
	}
	step := int64(1)
	for most/step > 5 {
		switch {
		case strconv.FormatInt(step, 10)[0] == '2':
			step = step / 2 * 5
		default:
			step *= 2
		}
	}
	for n := range most/step + 1 {
		out = append(out, n*step)
	}
	return out
}

// niceStep returns the spacing of the labels of n bars.
func niceStep(n int) int {
	for step := 1; ; step *= 10 {
		for _, f := range []int{1, 2, 5} {
			if n/(step*f) <= 14 {
				return step * f
			}
		}
	}
}

// short writes a count in a few characters.
func short(n int64) string {
	units := []struct {
		of   int64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}
	for _, u := range units {
		if n >= 10*u.of || n >= u.of && u.of >= 1e3 {
			return strconv.FormatFloat(float64(n)/float64(u.of), 'f', -1, 64) + u.name
		}
	}
	return fmt.Sprint(n)
}
