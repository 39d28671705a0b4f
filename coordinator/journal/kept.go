package journal

import (
	"slices"
)

// EverKept returns the workers that have ever kept partitions of a run.
func EverKept(log Entries, partitions int) []string {
	var names []string
	for _, entry := range log {
		e, err := ReadEntry(entry, partitions)
		if err != nil || e.Placement == nil {
			continue
		}
		for _, name := range e.Placement.Workers {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Begun reports whether a session has begun in a log. Until then it may equal that of any
// other run of the same board.
func Begun(log Entries) bool {
	return slices.ContainsFunc(log, func(entry []byte) bool {
		e, err := ReadEntry(entry, 0)
		return err == nil && e.FirstEpoch > 0
	})
}

// LastOther describes for people who began the last session of a log, apart from self.
func LastOther(log Entries, partitions int, self string) string {
	for _, entry := range slices.Backward(log) {
		if e, err := ReadEntry(entry, partitions); err == nil && e.SessionBy != "" && e.SessionBy != self {
			return Who(e.SessionBy)
		}
	}
	return "another coordinator"
}
