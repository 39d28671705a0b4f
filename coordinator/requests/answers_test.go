package requests

import (
	"testing"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// TestFirstUploads checks that an answer has as many uploads as fit, and at least one.
func TestFirstUploads(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ uploads, partitions, want int }{
		{0, 1, 0}, {3, 4096, 3}, {64, 1024, 64}, {65, 1, UploadsMax}, {64, 4096, 16}, {2, countsMax + 1, 1},
	} {
		var all []*everystatev1.Upload
		for range test.uploads {
			all = append(all, &everystatev1.Upload{Partitions: make([]uint32, test.partitions)})
		}
		if got := len(FirstUploads(all)); got != test.want {
			t.Errorf("%d of %d uploads of %d partitions, want %d", got, test.uploads, test.partitions, test.want)
		}
	}
}
