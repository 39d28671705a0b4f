// Package layerstream implements the rules of RecordService.ReadLayer for both ends:
// what may be requested, how blocks share messages, and what may be returned.
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
	// PartsMax is the maximum number of partitions that a request may name.
	PartsMax = 1024

	// messageBytesMax is the size in bytes up to which blocks share a message. Each
	// block counts as blockOverhead more, which exceeds the fields around it.
	messageBytesMax = 256 << 10
	blockOverhead   = 16

	// blockBytesMax bounds a block: a header of 16 bytes, records of at most as many
	// words as the store allows (10 bytes for a difference, 8 for each other word and
	// 3 for a move) and a checksum of 4 bytes.
	blockBytesMax = 16 + store.BlockRecords*(10+8*(store.StrideMax-2)+3) + 4
)

// CheckParts returns an error if a request may not name these partitions. It does not
// know how many partitions the run has.
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

// A Sender groups blocks into messages.
type Sender struct {
	send  func(*everystatev1.ReadLayerResponse) error
	res   *everystatev1.ReadLayerResponse // the message being filled, nil if there is none
	bytes int
}

// NewSender returns a Sender that sends with a stream's Send.
func NewSender(send func(*everystatev1.ReadLayerResponse) error) *Sender {
	return &Sender{send: send}
}

// Add adds a block, to be sent when the message is full or flushed. It retains the
// block, which must not change afterwards.
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

// Flush sends the message being filled.
func (s *Sender) Flush() error {
	if s.res == nil {
		return nil
	}
	res := s.res
	s.res, s.bytes = nil, 0
	return s.send(res)
}

// ErrProtocol reports that the other side sent what is not an answer to ReadLayer.
var ErrProtocol = errors.New("an invalid answer")

// A Reader splits the messages of a stream into blocks. It checks that blocks arrive
// as they were sent and belong to the requested partitions, in order, but not their
// contents, nor their order within a partition.
type Reader struct {
	recv   func() (*everystatev1.ReadLayerResponse, error)
	parts  []uint32 // requested and not ended
	blocks []*everystatev1.PartBlock
}

// NewReader returns a Reader of what a stream's Recv returns for a request for parts.
func NewReader(recv func() (*everystatev1.ReadLayerResponse, error), parts []uint32) *Reader {
	return &Reader{recv: recv, parts: parts}
}

// Next returns the next block, which the caller then owns, or io.EOF at the end. A
// partition without records has no block. Other errors come from the stream, are a
// *store.CorruptionError, or wrap ErrProtocol.
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

// All calls f with every remaining block.
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
