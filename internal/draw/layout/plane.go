package layout

import (
	"math"
	"strings"
	"unicode/utf8"
)

// A Plane places texts, such as the boards of a puzzle, in a plane so that similar
// texts are close together. The two axes are the principal components of which symbol
// stands at which place, as far as a sample of the texts shows them. A Plane is safe
// for concurrent use.
//
// It needs neither the moves nor all texts of a space, so the time per text does not
// depend on how many there are.
type Plane struct {
	at     map[symbol][2]float64
	origin [2]float64
	scale  float64
}

// symbol is a symbol at a place of a text, counted in symbols.
type symbol struct {
	place int
	text  string
}

// symbols calls f for each symbol of a text: the words of a line that has blanks
// between words, or else its characters.
func symbols(text string, f func(symbol)) {
	place := 0
	for line := range strings.Lines(text) {
		if strings.ContainsRune(strings.TrimSpace(line), ' ') {
			for word := range strings.FieldsSeq(line) {
				f(symbol{place, word})
				place++
			}
			continue
		}
		for len(line) > 0 {
			_, n := utf8.DecodeRuneInString(line)
			f(symbol{place, line[:n]})
			place++
			line = line[n:]
		}
	}
}

// NewPlane returns the plane for a space of which the given texts are a sample.
func NewPlane(sample []string) *Plane {
	dims := make(map[symbol]int)
	var rows [][]int // which dimensions each text has
	for _, text := range sample {
		var row []int
		symbols(text, func(s symbol) {
			d, ok := dims[s]
			if !ok {
				d = len(dims)
				dims[s] = d
			}
			row = append(row, d)
		})
		rows = append(rows, row)
	}
	axes := components(rows, len(dims))
	p := &Plane{at: make(map[symbol][2]float64, len(dims)), scale: 1}
	for s, d := range dims {
		// What is the same in all texts has no weight.
		if axes[0][d] != 0 || axes[1][d] != 0 {
			p.at[s] = [2]float64{axes[0][d], axes[1][d]}
		}
	}
	for _, row := range rows {
		for _, d := range row {
			p.origin[0] += axes[0][d] / float64(len(rows))
			p.origin[1] += axes[1][d] / float64(len(rows))
		}
	}
	farthest := 0.0
	for _, text := range sample {
		farthest = max(farthest, math.Hypot(p.project(text)))
	}
	if farthest > 0 {
		p.scale = 1 / farthest
	}
	return p
}

// Place returns the place of a text. The sample is within one unit of the origin, and
// other texts are moved there.
func (p *Plane) Place(text string) (x, y float64) {
	x, y = p.project(text)
	x, y = x*p.scale, y*p.scale
	if r := math.Hypot(x, y); r > 1 {
		x, y = x/r, y/r
	}
	return x, y
}

// project returns a place before it is scaled.
func (p *Plane) project(text string) (x, y float64) {
	x, y = -p.origin[0], -p.origin[1]
	symbols(text, func(s symbol) {
		at := p.at[s]
		x += at[0]
		y += at[1]
	})
	return x, y
}

// components returns the first two principal components of rows of ones and zeros,
// found by power iteration from a fixed beginning.
func components(rows [][]int, dims int) (axes [2][]float64) {
	mean := make([]float64, dims)
	for _, row := range rows {
		for _, d := range row {
			mean[d] += 1 / float64(len(rows))
		}
	}
	for a := range axes {
		v := make([]float64, dims)
		for d := range v {
			v[d] = math.Sin(float64(1 + (d+1)*(a+1)*(a+2))) // anything but a multiple of the other
		}
		for range eigenRounds {
			v = covary(rows, mean, v)
			if a == 1 {
				along := dot(v, axes[0])
				for d := range v {
					v[d] -= along * axes[0][d]
				}
			}
			long := math.Sqrt(dot(v, v))
			if long < 1e-12 {
				clear(v) // the rows do not vary in this direction
				break
			}
			for d := range v {
				v[d] /= long
			}
		}
		axes[a] = v
	}
	return axes
}

// covary returns the product of the rows' covariance matrix and v, but for a factor.
func covary(rows [][]int, mean, v []float64) []float64 {
	out := make([]float64, len(v))
	centre := dot(mean, v)
	total := 0.0
	for _, row := range rows {
		x := -centre
		for _, d := range row {
			x += v[d]
		}
		for _, d := range row {
			out[d] += x
		}
		total += x
	}
	for d := range out {
		out[d] -= total * mean[d]
	}
	return out
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
