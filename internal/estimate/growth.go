package estimate

import "math"

// growth extrapolates the layers: it fits a straight line to the logarithms of their
// ratios in the second half. It returns the states of all layers, or +Inf if growth
// does not slow down.
func growth(layers []int64) (states float64) {
	var x, y, xx, xy, n float64
	for d := max(1, len(layers)/2); d < len(layers); d++ {
		r := math.Log(float64(layers[d]) / float64(layers[d-1]))
		fd := float64(d)
		x, y, xx, xy, n = x+fd, y+r, xx+fd*fd, xy+fd*r, n+1
	}
	slope := (n*xy - x*y) / (n*xx - x*x)
	if n < 3 || !(slope < 0) {
		return math.Inf(1)
	}
	start := (y - slope*x) / n
	for _, l := range layers {
		states += float64(l)
	}
	last := float64(layers[len(layers)-1])
	for depth := len(layers); last >= 1 && depth < depthMax; depth++ {
		last *= math.Exp(start + slope*float64(depth))
		states += last
	}
	return states
}
