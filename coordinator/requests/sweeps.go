package requests

import (
	"errors"
	"hash/fnv"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// Findings receives what a worker found in a unit: the first message, and the data of all.
// Its errors are those of a call.
func Findings(receive func() (*everystatev1.CommitUnitRequest, error)) (first *everystatev1.CommitUnitRequest, found []byte, err error) {
	if first, err = receive(); err != nil {
		return nil, nil, err
	}
	found = first.GetData()
	for {
		next, err := receive()
		if errors.Is(err, io.EOF) {
			return first, found, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if len(found)+len(next.GetData()) > journal.UnitBytesMax {
			return nil, nil, status.Errorf(codes.InvalidArgument, "a unit with more than %d bytes of findings", journal.UnitBytesMax)
		}
		found = append(found, next.GetData()...)
	}
}

// RulesHash returns the hash by which a worker says which rules of a sweep it followed.
func RulesHash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // a hash has no errors
	return h.Sum64()
}
