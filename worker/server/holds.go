package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/exchange"
	"github.com/everystate/everystate/worker/logindex"
)

// fetchesAtOnce is the number of shares of layers fetched side by side, each with a
// block or two in memory.
const fetchesAtOnce = 4

// holds knows which records of committed layers this worker has, and gets those that it
// lacks. What is there of a partition of a layer is whole: it was written at once, by
// the attempt that made it or when it was fetched. It belongs to the engine's goroutine.
type holds struct {
	run     *keptRun
	peers   *exchange.Peers
	buckets *bucket.Pool
	self    string // the worker's name

	of    *assigned                // the run that held describes
	held  map[uint32][goal + 1]int // by partition: how many layers of each phase are here
	index *logindex.Index          // of the bucket

	whole [goal + 1][]uint32 // by phase and depth: the epochs of layers of which all is here, whoever keeps them
}

func newHolds(run *keptRun, peers *exchange.Peers, buckets *bucket.Pool, self string) *holds {
	return &holds{run: run, peers: peers, buckets: buckets, self: self, index: logindex.New()}
}

// missingShare is the part of a layer that is not here.
type missingShare struct {
	layer worker.Layer
	from  source // its parts are the missing ones
}

// fetch gets all records of the sources' partitions that are not here. When it returns,
// they are on disk. It counts them in records.
func (h *holds) fetch(ctx context.Context, run *assigned, sources []source, records *atomic.Int64) error {
	for _, from := range sources {
		if err := h.checkTable(run, from.parts); err != nil {
			return err
		}
	}
	missing, err := h.missing(run, sources)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		if missing, err = h.fetchTables(ctx, run, missing); err != nil {
			return err
		}
		if err := h.get(ctx, run, missing, records); err != nil {
			return err
		}
		for _, from := range sources {
			for _, p := range from.parts {
				h.held[p] = [goal + 1]int{forward: len(run.layers[forward]), goal: len(run.layers[goal])}
			}
		}
	}
	for _, from := range sources {
		if err := h.hold(from.parts, false); err != nil {
			return err
		}
	}
	return nil
}

// get gets shares of layers that are not here.
func (h *holds) get(ctx context.Context, run *assigned, missing []missingShare, records *atomic.Int64) error {
	if len(missing) == 0 {
		return nil
	}
	if run.bucket == "" {
		if lost := firstLost(missing); lost != nil {
			return lost
		}
	}
	group, some := errgroup.WithContext(ctx)
	group.SetLimit(fetchesAtOnce)
	for _, m := range missing {
		if some.Err() != nil {
			break
		}
		group.Go(func() error {
			if err := h.fetchShare(some, run, m, records); err != nil {
				return fmt.Errorf("fetch %v: %w", m.layer.Segment, err)
			}
			return nil
		})
	}
	err := group.Wait()
	if err := cmp.Or(context.Cause(ctx), err); err != nil {
		return err
	}
	return h.run.Store.Sync()
}

// missing returns what is not here of the sources' partitions.
func (h *holds) missing(run *assigned, sources []source) ([]missingShare, error) {
	if h.of == nil || !h.of.continuedBy(run) {
		h.held = make(map[uint32][goal + 1]int)
		h.index.Forget()
		h.whole = [goal + 1][]uint32{}
	}
	now := *run
	h.of = &now
	var missing []missingShare
	for _, phase := range []uint8{forward, goal} {
		for i := range sources {
			m, err := h.missingOf(run, phase, sources[i])
			if err != nil {
				return nil, err
			}
			missing = append(missing, m...)
		}
	}
	return missing, nil
}

// missingOf returns what is not here of a source, in a phase. It looks only at layers
// not known to be here.
func (h *holds) missingOf(run *assigned, phase uint8, from source) ([]missingShare, error) {
	layers := run.layers[phase]
	first := len(layers)
	for _, p := range from.parts {
		first = min(first, h.held[p][phase])
	}
	var missing []missingShare
	for depth := first; depth < len(layers); depth++ {
		if run.drops(phase, depth) && h.run.Table == nil {
			h.has(phase, depth, from.parts)
			continue
		}
		absent, err := h.absent(phase, depth, layers[depth], from.parts)
		if err == nil && run.drops(phase, depth) {
			absent = slices.DeleteFunc(absent, func(p uint32) bool {
				covered, sound := h.run.Table.Covers(run.layers[forward], p)
				return sound && uint32(depth) < covered
			})
			h.has(phase, depth, slices.DeleteFunc(slices.Clone(from.parts), func(p uint32) bool { return slices.Contains(absent, p) }))
		}
		if err != nil {
			return nil, err
		}
		if len(absent) > 0 {
			missing = append(missing, missingShare{layers[depth], source{from.name, from.address, absent}})
		}
	}
	return missing, nil
}

// absent returns the partitions of a layer that are not here. It notes those that are,
// if all their earlier layers are here too.
func (h *holds) absent(phase uint8, depth int, l worker.Layer, parts []uint32) ([]uint32, error) {
	var look []uint32
	for _, p := range parts {
		if h.held[p][phase] <= depth && l.PartStates[p] > 0 {
			look = append(look, p)
		}
	}
	absent, err := h.run.Store.Absent(l.Segment, look)
	if err != nil {
		return nil, err
	}
	h.has(phase, depth, slices.DeleteFunc(slices.Clone(parts), func(p uint32) bool {
		_, is := slices.BinarySearch(absent, p)
		return is
	}))
	return absent, nil
}

// has notes that partitions of a layer are here, or not needed, where all earlier layers
// are too.
func (h *holds) has(phase uint8, depth int, parts []uint32) {
	for _, p := range parts {
		if held := h.held[p]; held[phase] == depth {
			held[phase]++
			h.held[p] = held
		}
	}
}

// continuedBy reports whether a later version of the run has the same layers, and
// perhaps more.
func (a *assigned) continuedBy(later *assigned) bool {
	for phase := range a.layers {
		n := len(a.layers[phase])
		if n > len(later.layers[phase]) || n > 0 && later.layers[phase][n-1].Segment != a.layers[phase][n-1].Segment {
			return false
		}
	}
	return true
}

// fetchShare gets a share of a layer from the worker that keeps it or, if that fails or
// there is no such worker, from the bucket.
func (h *holds) fetchShare(ctx context.Context, run *assigned, m missingShare, records *atomic.Int64) error {
	var err error
	if m.from.address != "" {
		err = h.write(m, records, func(f func(part uint32, block []byte) error) error {
			client, err := h.peers.Records(m.from.address)
			if err != nil {
				return err
			}
			return exchange.ReadLayer(ctx, client, exchange.Reading{Run: run.name, Identity: run.id, Reader: h.self, Keeper: m.from.name}, m.layer.Segment, m.from.parts, f)
		})
		if err == nil || ctx.Err() != nil {
			return err
		}
		err = exchange.NotCarried(m.from.name, m.from.address, err)
	}
	if run.bucket == "" {
		return err
	}
	return h.restore(ctx, run, m, records)
}

// write writes a share of a layer at once, from the blocks that read passes to its argument.
func (h *holds) write(m missingShare, records *atomic.Int64, read func(func(part uint32, block []byte) error) error) error {
	share := exchange.Share{Layer: m.layer, Parts: m.from.parts, Shape: h.run.Shape, Scheme: h.run.Scheme, Moves: h.run.Puzzle.Layout().Moves}
	return share.Write(h.run.Store, records, read)
}
