package server

import (
	"fmt"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// keptMax bounds the names in a request.
const keptMax = 1000

func checkKept(req *everystatev1.SynchronizeRequest) error {
	if len(req.GetKeptRuns()) > keptMax {
		return fmt.Errorf("kept runs: more than %d", keptMax)
	}
	return nil
}
