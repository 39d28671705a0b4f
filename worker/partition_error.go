package worker

import (
	"fmt"

	"github.com/everystate/everystate/puzzle/partition"
)

// PartitionError says in which partition something went wrong, for logs that are
// searched by it.
type PartitionError struct {
	Partition partition.ID
	err       error
}

func (e *PartitionError) Error() string { return e.err.Error() }

func (e *PartitionError) Unwrap() error { return e.err }

// PartitionErrorf makes an error of a partition, as fmt.Errorf does.
func PartitionErrorf(part partition.ID, format string, args ...any) error {
	return &PartitionError{part, fmt.Errorf(format, args...)}
}
