// Package bydepth arranges the states of a run by depth: the depth is one axis, and the
// two others show what the boards look like. Nothing has to converge, so millions of
// states are arranged as fast as they are read.
//
// Of a space with more states than are wanted, small layers are arranged whole, and about
// the same number of states of each larger one. Which ones depends on their keys alone.
package bydepth

import (
	"context"
	"math"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/draw/layout"
	"github.com/everystate/everystate/internal/query"
)

// planeSample is how many states determine the plane.
const planeSample = 4096

// An Arrangement says which states of a space are arranged, and where. It is safe for
// concurrent use.
type Arrangement struct {
	space  *query.Space
	counts []int64
	most   int64 // of a layer
	plane  *layout.Plane
}

// New returns the arrangement of about as many states as are to be shown, at least one of
// each layer.
func New(ctx context.Context, space *query.Space, shown int64) (*Arrangement, error) {
	a := &Arrangement{space: space}
	for _, l := range space.History.Layers(history.Forward) {
		a.counts = append(a.counts, l.States)
	}
	a.most = evenShare(a.counts, shown)
	var err error
	a.plane, err = planeOf(ctx, space)
	return a, err
}

// Most returns the greatest number of states that are arranged of a layer.
func (a *Arrangement) Most() int64 { return a.most }

// Shown reports whether a state is arranged.
func (a *Arrangement) Shown(key []uint64, depth uint32) bool {
	n := a.counts[depth]
	return n <= a.most || float64(Spread(key)) < float64(a.most)/float64(n)*math.MaxUint64
}

// Place returns where a state lies: x and z on a disc of radius 1, and y from 1 at the
// start to -1 at the greatest depth.
func (a *Arrangement) Place(key []uint64, depth uint32) (x, y, z float32) {
	px, pz := a.plane.Place(a.space.Board.Puzzle.Format(key))
	return float32(px), float32(1 - 2*float64(depth)/float64(max(1, len(a.counts)-1))), float32(pz)
}

// Spread returns a hash of a key, the same in every process.
func Spread(key []uint64) uint64 {
	h := uint64(0)
	for _, w := range key {
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

// evenShare returns the greatest number such that at most that many states of each
// layer are no more than shown in all, and at least 1.
func evenShare(counts []int64, shown int64) int64 {
	sorted := slices.Clone(counts)
	slices.Sort(sorted)
	for i, n := range sorted {
		left := int64(len(sorted) - i)
		if n*left > shown {
			return max(1, shown/left)
		}
		shown -= n
	}
	return math.MaxInt64
}

// planeOf returns the plane of a space, from boards of layers at even distances.
func planeOf(ctx context.Context, space *query.Space) (*layout.Plane, error) {
	layers := space.History.Layers(history.Forward)
	each := max(1, planeSample/max(1, len(layers)))
	step := max(1, len(layers)/planeSample)
	var sample []string
	for i := 0; i < len(layers); i += step {
		keys, err := space.Slice(ctx, layers[i], 0, each)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			sample = append(sample, space.Board.Puzzle.Format(key))
		}
	}
	return layout.NewPlane(sample), nil
}
