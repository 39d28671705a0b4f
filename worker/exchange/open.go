package exchange

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/store"
)

// BlockBytesMax bounds a block of candidates: 4,096 records of at most 9 words, each
// encoded in at most 10 bytes, make 370 KiB.
const BlockBytesMax = 400 << 10

// OpenBlock appends the records of a block that has arrived as it was sent.
func OpenBlock(dst []uint64, shape store.Shape, block []byte) ([]uint64, error) {
	if len(block) > BlockBytesMax {
		return dst, status.Errorf(codes.InvalidArgument, "block of %d bytes: at most %d", len(block), BlockBytesMax)
	}
	if !store.CheckBlock(block) {
		return dst, status.Error(codes.DataLoss, "the block's checksum does not match")
	}
	recs, ok := shape.DecodeBlock(dst, block)
	if !ok {
		return dst, status.Error(codes.InvalidArgument, "is not a block of this run")
	}
	return recs, nil
}
