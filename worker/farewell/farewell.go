// Package farewell says what leaves with a worker that has drained. A worker that has
// partitions of runs must never leave without a word.
package farewell

import (
	"fmt"
	"log/slog"
	"strings"
)

// named is how many runs are named.
const named = 8

// Say logs that a worker leaves, whose data is in a directory, and which runs have
// partitions there.
func Say(log *slog.Logger, data string, runs []string) {
	if len(runs) == 0 {
		log.Info("drained")
		return
	}
	names := strings.Join(runs[:min(named, len(runs))], ", ")
	if more := len(runs) - named; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	log.Warn("drained; partitions of runs leave with this worker: keep its directory and start it again to use them, or resume those that a bucket keeps", "runs", names, "data", data)
}
