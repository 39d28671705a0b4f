package solid

import (
	"cmp"
	"math"
	"slices"
)

// A Turning is a move under way: its layers have come so far, in radians.
type Turning struct {
	Move  Move
	Angle float64
}

// seen is a polygon of a body as it is looked at; letter is its colour, 0 that of the body.
type seen struct {
	points polygon
	normal vector
	letter byte
	layer  int  // of the first axis, or opened
	end    bool // it is the end of a layer that is no convex solid
}

// opened is the layer of what a turn lays open.
const opened = -1

// part is some neighbouring layers of the axis that turns, between two planes.
type part struct {
	low, high float64
	turn      func(vector) vector
	polygons  []seen
}

// behind returns how far a slab between two planes is from a viewer at a distance along
// their normal.
func behind(low, high, viewer float64) float64 { return max(low-viewer, viewer-high, 0) }

// parts divides the body into layers that turn and layers that do not.
func (s *Shape) parts(painted string, t *Turning) []part {
	same := func(v vector) vector { return v }
	parts := []part{{low: math.Inf(-1), high: math.Inf(1), turn: same}}
	along := vector{}
	if t != nil {
		axis := s.Axes[t.Move.Axis]
		along = axis.Along
		for i, at := range axis.Cuts {
			if i != t.Move.First-1 && i != t.Move.Last {
				continue
			}
			last := &parts[len(parts)-1]
			next := part{low: at, high: math.Inf(1), turn: same}
			if open := polygon(corners(axis.Sections[i])); len(open) > 0 {
				last.polygons = append(last.polygons, seen{points: open, letter: 0, layer: opened})
				back := slices.Clone(open)
				slices.Reverse(back)
				next.polygons = append(next.polygons, seen{points: back, letter: 0, layer: opened})
			}
			last.high = at
			parts = append(parts, next)
		}
		turning := 0
		if t.Move.First > 0 {
			turning = 1
		}
		parts[turning].turn = func(v vector) vector { return v.turned(along, t.Angle) }
	}
	for f, corner := range s.Facelets {
		if painted[f] == absent {
			continue
		}
		p := polygon(corners(corner))
		middle := p.middle()
		i := slices.IndexFunc(parts, func(q part) bool { return along.dot(middle) < q.high })
		up := s.Axes[0]
		layer, _ := slices.BinarySearch(up.Cuts, up.Along.dot(middle))
		end := s.Stacked && math.Abs(p[1].minus(p[0]).cross(p[2].minus(p[0])).unit().dot(up.Along)) > 0.99
		parts[i].polygons = append(parts[i].polygons, seen{points: p, letter: painted[f], layer: layer, end: end})
	}
	return parts
}

// view returns the polygons that face a viewer on the z axis, those behind first.
func (s *Shape) view(painted string, t *Turning, look func(vector) vector) []seen {
	parts := s.parts(painted, t)
	if t != nil {
		viewer := camera * look(s.Axes[t.Move.Axis].Along)[2]
		slices.SortStableFunc(parts, func(a, b part) int {
			return cmp.Compare(behind(b.low, b.high, viewer), behind(a.low, a.high, viewer))
		})
	}
	var all []seen
	for _, p := range parts {
		own := p.polygons[:0]
		for _, q := range p.polygons {
			points := make(polygon, len(q.points))
			for i, v := range q.points {
				points[i] = look(p.turn(v))
			}
			q.points = points
			q.normal = points[1].minus(points[0]).cross(points[2].minus(points[0])).unit()
			if q.normal.dot(vector{0, 0, camera}.minus(points[0])) > 0 {
				own = append(own, q)
			}
		}
		if s.Stacked {
			s.stack(own, camera*look(p.turn(s.Axes[0].Along))[2])
		}
		all = append(all, own...)
	}
	return all
}

// stack orders the polygons of a part layer by layer as the viewer sees them: what is
// farther away first, then the ends of the layer.
func (s *Shape) stack(polygons []seen, viewer float64) {
	cuts := s.Axes[0].Cuts
	far := func(q *seen) float64 {
		if q.layer == opened {
			return -1
		}
		low, high := math.Inf(-1), math.Inf(1)
		if q.layer > 0 {
			low = cuts[q.layer-1]
		}
		if q.layer < len(cuts) {
			high = cuts[q.layer]
		}
		return behind(low, high, viewer)
	}
	slices.SortStableFunc(polygons, func(a, b seen) int {
		if c := cmp.Compare(far(&b), far(&a)); c != 0 {
			return c
		}
		if a.end != b.end {
			if a.end {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.points.middle()[2], b.points.middle()[2])
	})
}
