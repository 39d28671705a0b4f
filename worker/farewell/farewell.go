// Package farewell logs which runs leave with a worker that has drained. A worker that still
// has partitions of runs must never leave silently.
package farewell

import (
	"fmt"
	"log/slog"
	"strings"
)

// named is how many runs are named.
const named = 8

// Say logs that a worker has drained, and which runs still have partitions in its directory,
// data.
func Say(log *slog.Logger, data string, runs []string) {
	if len(runs) == 0 {
		log.Info("drained")
		return
	}
	names := strings.Join(runs[:min(named, len(runs))], ", ")
	if more := len(runs) - named; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	log.Warn("drained, but partitions of runs leave with this worker: to use these runs, start it again with its directory, or resume those that are in a bucket", "runs", names, "data", data)
}
