package worker

import (
	"errors"
	"fmt"
	"sync"

	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// ErrStale reports a message of another attempt than the present one. Its sender
// has been left behind and can drop the attempt.
var ErrStale = errors.New("of another attempt")

// extentsMax is the number of spilled extents of one partition at which they are
// merged into one, which bounds the memory for reading them together.
const extentsMax = 32

// inbox holds the candidates that have arrived, by partition: in chunks as they
// came, up to maxByte bytes; above that the fullest partition is sorted and
// spilled. The delivering goroutine spills, which slows senders down to the speed
// of the disk.
type inbox struct {
	w       *Worker
	maxByte int64

	mu    sync.Mutex // guards the fields below
	epoch uint32
	open  bool
	edges *reversed // takes what arrives, in an attempt FromMoves; else nil
	words int       // of a record
	bytes int64     // memory of the chunks held
	parts []inboxPart
	took  []Tally // by sender

	spillMu sync.Mutex // one spill at a time; guards the fields below, and inboxPart.extents
	scratch *store.Scratch
	work    sortSpace
	joined  []uint64
}

type inboxPart struct {
	chunks  [][]uint64
	extents []store.Extent
	spilled int64 // records in the extents
	closed  bool  // the partition has been taken; guarded by inbox.mu
}

func newInbox(w *Worker, maxBytes int64) *inbox {
	return &inbox{w: w, maxByte: maxBytes, words: w.shape.Stride, parts: make([]inboxPart, w.scheme.Partitions())}
}

func (b *inbox) begin(epoch uint32, words int, edges *reversed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.epoch, b.open, b.took = epoch, true, nil
	b.words, b.edges = words, edges
	for i := range b.parts {
		b.parts[i].closed = false
	}
}

// end drops everything and closes the inbox to the epoch.
func (b *inbox) end() error {
	b.mu.Lock()
	b.open = false
	for i := range b.parts {
		b.w.opts.Chunks.putAll(b.parts[i].chunks)
		b.parts[i].chunks = nil
	}
	b.bytes = 0
	b.mu.Unlock()

	b.spillMu.Lock()
	defer b.spillMu.Unlock()
	for i := range b.parts {
		b.parts[i].extents, b.parts[i].spilled = nil, 0
	}
	if b.scratch == nil {
		return nil
	}
	scratch := b.scratch
	b.scratch = nil
	return scratch.Close()
}

func (b *inbox) deliver(sender int, epoch uint32, part partition.ID, chunk []uint64) error {
	b.mu.Lock()
	words := b.words
	b.mu.Unlock()
	var t Tally
	t.Add(part, chunk, words)
	b.mu.Lock()
	if !b.open || epoch != b.epoch || words != b.words {
		b.mu.Unlock()
		b.w.opts.Chunks.put(chunk)
		return fmt.Errorf("epoch %d: %w", epoch, ErrStale)
	}
	p := &b.parts[part]
	if p.closed {
		b.mu.Unlock()
		b.w.opts.Chunks.put(chunk)
		return fmt.Errorf("epoch %d: partition %d has been written: %w", epoch, part, ErrStale)
	}
	for len(b.took) <= sender {
		b.took = append(b.took, Tally{})
	}
	b.took[sender].Join(t)
	b.w.Progress.Arrived.Add(int64(len(chunk) / words))
	if edges := b.edges; edges != nil {
		b.mu.Unlock()
		err := edges.add(part, chunk)
		b.w.opts.Chunks.put(chunk)
		return err
	}
	p.chunks = append(p.chunks, chunk)
	b.bytes += b.w.opts.Chunks.Bytes()
	if b.bytes <= b.maxByte {
		b.mu.Unlock()
		return nil
	}
	victim, chunks := b.takeFullest()
	b.mu.Unlock()
	return b.spill(epoch, victim, chunks)
}

func (b *inbox) accepts(epoch uint32) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open && epoch == b.epoch
}

// takeFullest takes the chunks of the partition that has the most.
func (b *inbox) takeFullest() (partition.ID, [][]uint64) {
	victim := 0
	for i := range b.parts {
		if len(b.parts[i].chunks) > len(b.parts[victim].chunks) {
			victim = i
		}
	}
	chunks := b.parts[victim].chunks
	b.parts[victim].chunks = nil
	b.bytes -= int64(len(chunks)) * b.w.opts.Chunks.Bytes()
	return partition.ID(victim), chunks
}

// spill sorts the records of the chunks and writes them to the scratch file.
func (b *inbox) spill(epoch uint32, part partition.ID, chunks [][]uint64) error {
	b.spillMu.Lock()
	defer b.spillMu.Unlock()
	// The attempt may have ended while this goroutine waited for its turn.
	if !b.accepts(epoch) {
		b.w.opts.Chunks.putAll(chunks)
		return fmt.Errorf("epoch %d: %w", epoch, ErrStale)
	}
	if b.scratch == nil {
		scratch, err := b.w.opts.Store.NewScratch(b.w.shape)
		if err != nil {
			return err
		}
		b.scratch = scratch
	}
	extent, records, err := b.spillSorted(gathering{chunks: chunks})
	b.w.opts.Chunks.putAll(chunks)
	if err != nil {
		return err
	}
	p := &b.parts[part]
	p.extents = append(p.extents, extent)
	p.spilled += records
	if len(p.extents) < extentsMax {
		return nil
	}
	extent, records, err = b.spillSorted(gathering{scratch: b.scratch, extents: p.extents, spilled: p.spilled})
	if err != nil {
		return err
	}
	p.extents, p.spilled = []store.Extent{extent}, records
	return nil
}

// spillSorted writes a gathering as one extent, bucket by bucket, and returns the
// extent and how many records it has.
func (b *inbox) spillSorted(g gathering) (store.Extent, int64, error) {
	var extent store.Extent
	var records int64
	g.shape, g.width = b.w.shape, b.w.recordBits()
	g.space = &b.joined
	before := b.scratch.Bytes()
	err := g.each(&b.work, nil, func(recs []uint64) error {
		records += int64(len(recs) / b.w.shape.Stride)
		e, err := b.scratch.Spill(recs)
		extent.Join(e)
		return err
	})
	b.w.Progress.Dropped.Add(g.records(b.w.shape.Stride) - records)
	b.w.Progress.SpilledBytes.Add(b.scratch.Bytes() - before)
	return extent, records, err
}

// tallies returns what has been received from each sender. All partitions must be
// closed.
func (b *inbox) tallies() []Tally {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.took
}

// take returns what has arrived for a partition. The caller owns the chunks.
func (b *inbox) take(part partition.ID) gathering {
	b.mu.Lock()
	chunks := b.parts[part].chunks
	b.parts[part].chunks, b.parts[part].closed = nil, true
	b.bytes -= int64(len(chunks)) * b.w.opts.Chunks.Bytes()
	b.mu.Unlock()
	b.spillMu.Lock()
	defer b.spillMu.Unlock()
	p := &b.parts[part]
	return gathering{chunks: chunks, scratch: b.scratch, extents: p.extents, spilled: p.spilled}
}
