package layerstream

import (
	"fmt"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// DepthsMax is the maximum number of states that a request for depths may name.
const DepthsMax = 1 << 14

// CheckDepths returns what is wrong with a request for depths, or nil.
func CheckDepths(req *everystatev1.FindDepthsRequest) error {
	n := len(req.GetRecords())
	if n == 0 || n > DepthsMax || n != len(req.GetPartitions()) {
		return fmt.Errorf("%d states with %d partitions: must be 1 to %d, each with its partition", n, len(req.GetPartitions()), DepthsMax)
	}
	return nil
}
