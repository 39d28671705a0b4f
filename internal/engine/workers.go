package engine

import (
	"github.com/everystate/everystate/worker"
)

// workers are the workers of one process, which share its memory.
type workers struct {
	all       []*worker.Worker
	owners    *ownerTable
	exchanges []*localExchange // of each worker
}

// newWorkers makes as many workers as the options ask for, but no more than
// there are partitions.
func (r *Run) newWorkers() workers {
	n := min(r.opts.Workers, r.spec.Partitions)
	b := worker.Divide(r.opts.engineMemory(), n, r.spec.Partitions)
	chunks := worker.NewChunks(b.ChunkBytes, r.scheme.Stride())
	ws := workers{owners: &ownerTable{
		owner: make([]*worker.Worker, r.spec.Partitions), number: make([]int, r.spec.Partitions), stride: r.scheme.Stride(),
	}}
	for i := range n {
		x := &localExchange{ownerTable: ws.owners, sender: i, sent: make([]worker.Tally, n)}
		ws.exchanges = append(ws.exchanges, x)
		ws.all = append(ws.all, worker.New(worker.Options{
			Puzzle:     r.board.Puzzle,
			Scheme:     r.scheme,
			Store:      r.store,
			Exchange:   x,
			Chunks:     chunks,
			InboxBytes: b.InboxBytes,
			CacheBytes: b.LayerBytes,
		}))
	}
	return ws
}
