package server

import (
	"testing"

	"github.com/everystate/everystate/coordinator/requests"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// TestBoundUploads checks that an answer has as many uploads as fit, and at least one.
func TestBoundUploads(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ uploads, partitions, want int }{
		{0, 1, 0}, {3, 4096, 3}, {64, 1024, 64}, {65, 1, requests.UploadsMax}, {64, 4096, 16}, {2, countsMax + 1, 1},
	} {
		var all []*everystatev1.Upload
		for range test.uploads {
			all = append(all, &everystatev1.Upload{Partitions: make([]uint32, test.partitions)})
		}
		if got := len(boundUploads(all)); got != test.want {
			t.Errorf("%d of %d uploads of %d partitions, want %d", got, test.uploads, test.partitions, test.want)
		}
	}
}
