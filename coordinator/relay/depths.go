package relay

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// Depths asks the keepers of partitions, given in increasing order, for the depths of the
// states of a request, all at the same time.
func Depths(ctx context.Context, req *everystatev1.FindDepthsRequest, parts []uint32, keepers []Keeper) (*everystatev1.FindDepthsResponse, error) {
	type share struct {
		keeper Keeper
		req    *everystatev1.FindDepthsRequest
		at     []int // of its states in the request
	}
	shares := make(map[string]*share)
	for i, part := range req.GetPartitions() {
		n, _ := slices.BinarySearch(parts, part)
		k := keepers[n]
		to := shares[k.Name]
		if to == nil {
			to = &share{keeper: k, req: &everystatev1.FindDepthsRequest{
				Run: req.GetRun(), RunIdentity: req.GetRunIdentity(), Reader: req.GetReader(), Keeper: k.Name, Phase: req.GetPhase(), Depth: req.GetDepth(), Epoch: req.GetEpoch(),
			}}
			shares[k.Name] = to
		}
		to.at = append(to.at, i)
		to.req.Partitions, to.req.Records = append(to.req.Partitions, part), append(to.req.Records, req.GetRecords()[i])
	}
	found := make([]byte, len(req.GetRecords()))
	group, ctx := errgroup.WithContext(ctx)
	for _, to := range shares {
		group.Go(func() error {
			res, err := to.keeper.Client.FindDepths(ctx, to.req)
			if err != nil {
				return to.keeper.Explain(err)
			}
			if len(res.GetDepths()) != len(to.at) {
				return status.Errorf(codes.Internal, "worker %s: %d depths of %d states", to.keeper.Name, len(res.GetDepths()), len(to.at))
			}
			for i, at := range to.at {
				found[at] = res.GetDepths()[i]
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return &everystatev1.FindDepthsResponse{Depths: found}, nil
}
