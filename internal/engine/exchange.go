package engine

import (
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/worker"
)

// handOver is the exchange between workers of one process: the slice itself
// changes hands. The owners are set by the driver before any worker expands.
type handOver struct {
	owner []*worker.Worker // by partition
}

func (x *handOver) Send(epoch uint32, part partition.ID, chunk []uint64) error {
	return x.owner[part].Deliver(epoch, part, chunk)
}
