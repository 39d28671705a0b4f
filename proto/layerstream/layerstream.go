// Package layerstream is what both ends of RecordService.ReadLayer hold to: what
// may be asked for, how blocks share messages, and what may come back.
//
// A Sender and a Reader belong to one goroutine.
package layerstream

import (
	"errors"
	"fmt"
	"io"
	"slices"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store"
)

const (
	// PartsMax is the number of partitions that a request may name.
	PartsMax = 1024

	// messageBytesMax is the size up to which blocks share a message. Each counts
	// with blockOverhead on top, which is more than the fields around it take.
	messageBytesMax = 256 << 10
	blockOverhead   = 16

	// blockBytesMax bounds a block: a header of 16 bytes, records of at most as many
	// words as the store takes (a difference of 10 bytes, 8 for each other word and 3
	// for a move) and a checksum of 4.
	blockBytesMax = 16 + store.BlockRecords*(10+8*(store.StrideMax-2)+3) + 4
)

// CheckParts says what is wrong with the partitions that a request names, or
// nil. What is the last partition of the run it does not know.
func CheckParts(parts []uint32) error {
	if n := len(parts); n == 0 || n > PartsMax {
		return fmt.Errorf("%d partitions: must be 1 to %d", n, PartsMax)
	}
	for i := 1; i < len(parts); i++ {
		if parts[i] <= parts[i-1] {
			return fmt.Errorf("partition %d after %d: must increase", parts[i], parts[i-1])
		}
	}
	return nil
}

// A Sender puts blocks together to messages.
type Sender struct {
	send  func(*everystatev1.ReadLayerResponse) error
	res   *everystatev1.ReadLayerResponse // what waits, nil if nothing does
	bytes int
}

// NewSender returns a Sender that sends by a stream's Send.
func NewSender(send func(*everystatev1.ReadLayerResponse) error) *Sender {
	return &Sender{send: send}
}

// Add sends a block by and by. It keeps the block, which must not change any
// more.
func (s *Sender) Add(part uint32, block []byte) error {
	size := len(block) + blockOverhead
	if s.bytes+size > messageBytesMax {
		if err := s.Flush(); err != nil {
			return err
		}
	}
	if s.res == nil {
		s.res = new(everystatev1.ReadLayerResponse)
	}
	s.res.Blocks = append(s.res.Blocks, &everystatev1.PartBlock{Partition: part, Block: block})
	s.bytes += size
	return nil
}

// Flush sends what has been put together.
func (s *Sender) Flush() error {
	if s.res == nil {
		return nil
	}
	res := s.res
	s.res, s.bytes = nil, 0
	return s.send(res)
}

// ErrProtocol says that the other side sends what a ReadLayer cannot answer.
var ErrProtocol = errors.New("an invalid answer")

// A Reader takes the messages of a stream apart. Blocks arrive as they were sent
// and belong to partitions that were asked for, in order; what is in them, their
// order in a partition included, it does not look at.
type Reader struct {
	recv   func() (*everystatev1.ReadLayerResponse, error)
	parts  []uint32 // that were asked for and are not over
	blocks []*everystatev1.PartBlock
}

// NewReader returns a Reader of what a stream's Recv returns to a request for
// some partitions.
func NewReader(recv func() (*everystatev1.ReadLayerResponse, error), parts []uint32) *Reader {
	return &Reader{recv: recv, parts: parts}
}

// Next returns the next block, which belongs to the caller, and io.EOF at the
// end. A partition without records has no block. Other errors are those of the
// stream, a *store.CorruptionError, or wrap ErrProtocol.
func (r *Reader) Next() (part uint32, block []byte, err error) {
	if len(r.blocks) == 0 {
		res, err := r.recv()
		if err != nil {
			return 0, nil, err // io.EOF too
		}
		if r.blocks = res.GetBlocks(); len(r.blocks) == 0 {
			return 0, nil, fmt.Errorf("%w: a message without blocks", ErrProtocol)
		}
	}
	b := r.blocks[0]
	r.blocks = r.blocks[1:]
	part, block = b.GetPartition(), b.GetBlock()
	i, asked := slices.BinarySearch(r.parts, part)
	switch {
	case !asked:
		return 0, nil, fmt.Errorf("%w: partition %d, which was not asked for or has ended", ErrProtocol, part)
	case len(block) > blockBytesMax:
		return 0, nil, fmt.Errorf("%w: partition %d: a block of %d bytes", ErrProtocol, part, len(block))
	case !store.CheckBlock(block):
		return 0, nil, &store.CorruptionError{Where: fmt.Sprintf("partition %d", part), What: "checksum does not match"}
	}
	r.parts = r.parts[i:]
	return part, block, nil
}

// All calls f with every block that is still to come.
func (r *Reader) All(f func(part uint32, block []byte) error) error {
	for {
		part, block, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f(part, block)
		}
		if err != nil {
			return err
		}
	}
}
