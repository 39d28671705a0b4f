package requests

import (
	"bytes"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// Known returns how many layers of each phase of a run a worker says it knows, or none if
// they are not the layers of h, the run of that name.
func Known(rep *everystatev1.RunReport, run string, h *history.History) (forward, goal int) {
	if rep.GetRun() != run || !bytes.Equal(rep.GetRunIdentity(), wire.Identity(h.Identity())) {
		return 0, 0
	}
	forward, goal = int(rep.GetForwardLayers()), int(rep.GetGoalLayers())
	if !isLast(h.Layers(history.Forward), forward, rep.GetForwardEpoch()) || !isLast(h.Layers(history.Goal), goal, rep.GetGoalEpoch()) {
		return 0, 0
	}
	return forward, goal
}

// isLast reports whether the n-th layer was made by the attempt with this epoch. An
// attempt was made on one history only, so the layers before it are the same too.
func isLast(layers []history.Layer, n int, epoch uint64) bool {
	return n == 0 && epoch == 0 || n > 0 && n <= len(layers) && uint64(layers[n-1].Epoch) == epoch
}
