package portrait

import (
	"context"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/bydepth"
	"github.com/everystate/everystate/internal/draw/space"
	"github.com/everystate/everystate/internal/query"
)

// spaceShown bounds the states of a film of a space.
const spaceShown = 2_000_000

// Space makes the film of a run: its states arranged by depth. Of a space with more than
// two million it has some of each large layer. told is told the part of the states read.
func Space(ctx context.Context, r Run, told func(part float64)) (*space.Film, error) {
	s := r.Space()
	arranged, err := bydepth.New(ctx, s, spaceShown)
	if err != nil {
		return nil, err
	}
	f := &space.Film{Title: Name(r), Goals: s.GoalLayers(), Width: 960, Height: 600}
	for _, l := range r.History().Layers(history.Forward) {
		f.Layers = append(f.Layers, l.States)
	}
	known := len(f.Goals) > 0
	states := r.History().States(history.Forward)
	opts := query.TableOptions{Written: func(n int64) { told(float64(n) / float64(states)) }}
	err = query.Table(ctx, s, opts, func(_ *space.Points, b *query.Batch) (*space.Points, error) {
		var p space.Points
		for i := range b.Len() {
			if !arranged.Shown(b.Key(i), b.Depths[i]) {
				continue
			}
			x, y, z := arranged.Place(b.Key(i), b.Depths[i])
			p.X, p.Y, p.Z = append(p.X, x), append(p.Y, y), append(p.Z, z)
			p.Depths = append(p.Depths, int32(b.Depths[i]))
			if known {
				p.Distances = append(p.Distances, b.GoalDistances[i])
			}
		}
		return &p, nil
	}, func(p *space.Points) error {
		f.X, f.Y, f.Z = append(f.X, p.X...), append(f.Y, p.Y...), append(f.Z, p.Z...)
		f.Depths, f.Distances = append(f.Depths, p.Depths...), append(f.Distances, p.Distances...)
		return nil
	})
	return f, err
}
