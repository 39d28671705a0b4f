package worker

import (
	"fmt"

	"github.com/everystate/everystate/puzzle/partition"
)

// PartitionError records in which partition an error occurred, so that logs can
// be searched by partition.
type PartitionError struct {
	Partition partition.ID
	err       error
}

func (e *PartitionError) Error() string { return e.err.Error() }

func (e *PartitionError) Unwrap() error { return e.err }

// PartitionErrorf is fmt.Errorf for a PartitionError.
func PartitionErrorf(part partition.ID, format string, args ...any) error {
	return &PartitionError{part, fmt.Errorf(format, args...)}
}
