// Package summary writes, for people, what a run has found. All of it is pure:
// numbers in, text out.
package summary

import (
	"fmt"
	"io"
	"slices"

	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/bars"
	"github.com/everystate/everystate/internal/terminal/paint"
	"github.com/everystate/everystate/internal/terminal/table"
)

// Layer is one row of a layer table.
type Layer struct{ States, Goals int64 }

const barWidth = 30

// How much of a long table the report shows: all of it up to layersMax rows,
// else its head, its tail and the rows around the widest layer.
const (
	layersMax    = 40
	layersHead   = 12
	layersTail   = 8
	layersAround = 3
)

// Layers writes the whole table of the forward layers.
func Layers(w io.Writer, layers []Layer, p paint.Paint) {
	layersTable(layers, func(int) bool { return true }).Write(w, p)
}

// LayersInBrief writes the table without the least informative rows. It reports
// whether it left any out.
func LayersInBrief(w io.Writer, layers []Layer, p paint.Paint) bool {
	if len(layers) <= layersMax {
		Layers(w, layers, p)
		return false
	}
	widest := widest(layers)
	layersTable(layers, func(depth int) bool {
		return depth < layersHead || depth >= len(layers)-layersTail ||
			depth >= widest-layersAround && depth <= widest+layersAround
	}).Write(w, p)
	return true
}

func layersTable(layers []Layer, show func(depth int) bool) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Title: "depth"}, {Title: "states"}, {Title: "goals"}, {Title: "so far"}, {Left: true, Bar: true},
	}}
	var limit, sum int64
	if len(layers) > 0 {
		limit = layers[widest(layers)].States
	}
	skipped := false
	for depth, l := range layers {
		sum += l.States
		if !show(depth) {
			if !skipped {
				t.Skip()
			}
			skipped = true
			continue
		}
		skipped = false
		t.Add(fmt.Sprint(depth), quantity.Count(l.States), quantity.Count(l.Goals), quantity.Count(sum), bars.Bar(l.States, limit, barWidth))
	}
	return t
}

// widest returns the first layer with the most states.
func widest(layers []Layer) int {
	best := 0
	for i, l := range layers {
		if l.States > layers[best].States {
			best = i
		}
	}
	return best
}

// GoalDistances writes the table of states by goal distance.
func GoalDistances(w io.Writer, layers []int64, p paint.Paint) {
	t := table.Table{Columns: []table.Column{
		{Title: "goal distance"}, {Title: "states"}, {Title: "so far"}, {Left: true, Bar: true},
	}}
	var sum int64
	for distance, n := range layers {
		sum += n
		t.Add(fmt.Sprint(distance), quantity.Count(n), quantity.Count(sum), bars.Bar(n, slices.Max(layers), barWidth))
	}
	t.Write(w, p)
}
