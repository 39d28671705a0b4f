package requests

import everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"

// An answer has at most layersMax layer records, with the counts of at most countsMax
// partitions in all, and uploads of as many partitions.
const (
	layersMax = 64
	countsMax = layersMax * 1024
)

// LayersMax is the number of layer records in an answer about a run with so many
// partitions.
func LayersMax(partitions int) int { return max(1, min(layersMax, countsMax/max(1, partitions))) }

// FirstUploads returns the first uploads of a list, as many as an answer may have.
func FirstUploads(all []*everystatev1.Upload) []*everystatev1.Upload {
	parts := 0
	for i, u := range all {
		if parts += len(u.GetPartitions()); i > 0 && parts > countsMax || i == UploadsMax {
			return all[:i]
		}
	}
	return all
}
