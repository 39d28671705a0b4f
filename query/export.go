package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/partition"
	"github.com/everystate/everystate/puzzle"
)

// Row is one state with all that the run knows of it.
type Row struct {
	State []uint64
	Depth int
	// Predecessor is nil for a start state.
	Predecessor []uint64
	Move        puzzle.Move
	Goal        bool
	// GoalDistance is -1 if no goal can be reached or distances are not known.
	GoalDistance int
}

// exportStatesMax is the number of states whose goal distances Rows holds in
// memory at a time, twelve bytes each for narrow records.
const exportStatesMax = 2 << 20

// Rows calls f with every state of the space, the slices of a row being valid
// until it returns. Without goal distances the order is by depth. With them it
// is by depth too up to exportStatesMax states; a larger space is gone through
// in shares of about that size, each by depth.
func (s *Space) Rows(ctx context.Context, f func(Row) error) error {
	return s.rows(ctx, exportStatesMax, f)
}

// rows is Rows with shares of about a number of states.
func (s *Space) rows(ctx context.Context, shareStates int64, f func(Row) error) error {
	if !s.HasDistances() {
		return s.rowsOf(ctx, share{parts: s.allParts(), end: 1, of: 1}, nil, f)
	}
	for _, sh := range s.shares(shareStates) {
		distances, err := s.loadDistances(ctx, sh)
		if err != nil {
			return err
		}
		if err := s.rowsOf(ctx, sh, distances, f); err != nil {
			return err
		}
	}
	return nil
}

// A share is some partitions, or an even part [begin, end) of one.
type share struct {
	parts          []partition.ID
	begin, end, of uint64
}

func (s *Space) allParts() []partition.ID {
	parts := make([]partition.ID, s.Scheme.Partitions())
	for i := range parts {
		parts[i] = partition.ID(i)
	}
	return parts
}

// shares divides the space into shares of at most about n states.
func (s *Space) shares(n int64) []share {
	counts := make([]int64, s.Scheme.Partitions())
	for _, l := range s.History.Layers(core.Goal) {
		for p, c := range l.PartStates {
			counts[p] += c
		}
	}
	var shares []share
	var open share
	var size int64
	for p, c := range counts {
		if len(open.parts) > 0 && size+c > n {
			shares = append(shares, open)
			open, size = share{}, 0
		}
		if c > n {
			of := uint64(c/n + 1)
			for i := range of {
				shares = append(shares, share{parts: []partition.ID{partition.ID(p)}, begin: i, end: i + 1, of: of})
			}
			continue
		}
		open.parts = append(open.parts, partition.ID(p))
		open.end, open.of = 1, 1
		size += c
	}
	if len(open.parts) > 0 {
		shares = append(shares, open)
	}
	return shares
}

// holds reports whether a record of one of the share's partitions is in it.
func (s *Space) holds(sh share, rec []uint64) bool {
	if sh.of == 1 {
		return true
	}
	i := s.position(rec) / ((1 << 32) / sh.of)
	return min(i, sh.of-1) == sh.begin
}

// position returns where in its partition a record lies, as a fraction of 2^32.
func (s *Space) position(rec []uint64) uint64 {
	word, width := rec[0], s.Scheme.LocalBits()
	if s.Scheme.Narrow() {
		word >>= s.Scheme.MoveBits()
	} else {
		word <<= 64 - width
		width = 64
	}
	if width >= 32 {
		return word >> (width - 32)
	}
	return word << (32 - width)
}

// distances holds the goal distances of a partition's states, sorted by record.
type distances struct {
	recs   []uint64
	stride int
	dist   []uint32
}

func (d *distances) of(rec []uint64, scheme *partition.Scheme) int {
	n := len(d.dist)
	i := sort.Search(n, func(i int) bool { return compareKeys(d.recs[i*d.stride:], rec, scheme) >= 0 })
	if i < n && compareKeys(d.recs[i*d.stride:], rec, scheme) == 0 {
		return int(d.dist[i])
	}
	return -1
}

func compareKeys(a, b []uint64, scheme *partition.Scheme) int {
	if scheme.Narrow() {
		m := scheme.MoveBits()
		return cmp.Compare(a[0]>>m, b[0]>>m)
	}
	return slices.Compare(a[:scheme.Words()], b[:scheme.Words()])
}

// loadDistances reads the goal distances of a share, by partition.
func (s *Space) loadDistances(ctx context.Context, sh share) (map[partition.ID]*distances, error) {
	all := make(map[partition.ID]*distances)
	for _, part := range sh.parts {
		all[part] = &distances{stride: s.Scheme.Stride()}
	}
	for _, layer := range s.History.Layers(core.Goal) {
		err := s.eachBlock(ctx, layer, sh.parts, func(part partition.ID, recs []uint64) error {
			d := all[part]
			for i := 0; i < len(recs); i += d.stride {
				if s.holds(sh, recs[i:]) {
					d.recs = append(d.recs, recs[i:i+d.stride]...)
					d.dist = append(d.dist, layer.Depth)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, d := range all {
		sort.Sort(byRecord{d, &s.Scheme})
	}
	return all, nil
}

type byRecord struct {
	*distances
	scheme *partition.Scheme
}

func (b byRecord) Len() int { return len(b.dist) }
func (b byRecord) Less(i, j int) bool {
	return compareKeys(b.recs[i*b.stride:], b.recs[j*b.stride:], b.scheme) < 0
}
func (b byRecord) Swap(i, j int) {
	for k := range b.stride {
		b.recs[i*b.stride+k], b.recs[j*b.stride+k] = b.recs[j*b.stride+k], b.recs[i*b.stride+k]
	}
	b.dist[i], b.dist[j] = b.dist[j], b.dist[i]
}

func (s *Space) rowsOf(ctx context.Context, sh share, dist map[partition.ID]*distances, f func(Row) error) error {
	words, stride := s.Scheme.Words(), s.Scheme.Stride()
	p := s.Board.Puzzle
	pred := make([]uint64, words)
	var keys []uint64
	var marks []bool
	for _, layer := range s.History.Layers(core.Forward) {
		err := s.eachBlock(ctx, layer, sh.parts, func(part partition.ID, recs []uint64) error {
			keys = s.Scheme.Keys(keys[:0], part, recs)
			n := len(recs) / stride
			marks = slices.Grow(marks[:0], n)[:n]
			p.Goals(keys, marks)
			for i := range n {
				rec := recs[i*stride : (i+1)*stride]
				if !s.holds(sh, rec) {
					continue
				}
				row := Row{State: keys[i*words : (i+1)*words], Depth: int(layer.Depth), Goal: marks[i], GoalDistance: -1}
				if dist != nil {
					row.GoalDistance = dist[part].of(rec, &s.Scheme)
				}
				if layer.Depth > 0 {
					row.Move = s.Scheme.Move(rec)
					if !p.Undo(pred, row.State, row.Move) {
						return errors.New("a predecessor link does not fit its state: the run is damaged")
					}
					row.Predecessor = pred
				}
				if err := f(row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
