package engine

import (
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/worker"
)

// ownerTable maps each partition to its owner among the workers of one process. The
// driver sets it before any worker expands.
type ownerTable struct {
	owner  []*worker.Worker // by partition
	number []int            // of the owner, by partition
	stride int              // words of a record in the attempt under way
}

// localExchange is the exchange of one worker with the others of its process. It passes
// on the slice itself, without a copy.
type localExchange struct {
	*ownerTable
	sender int
	sent   []worker.Tally // by the number of the owner
}

func (x *localExchange) Send(epoch uint32, part partition.ID, chunk []uint64) error {
	x.sent[x.number[part]].Add(part, chunk, x.stride)
	return x.owner[part].DeliverFrom(x.sender, epoch, part, chunk)
}
