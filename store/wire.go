package store

import (
	"encoding/binary"
	"hash/crc32"
)

// AppendBlock appends to dst a block of the given records in its form for
// transport between processes: its checksum covers the block alone, whereas that
// of a stored block also covers its key. There must be 1 to BlockRecords records,
// in increasing order of their keys.
func (s Shape) AppendBlock(dst []byte, recs []uint64) []byte {
	return s.appendBlock(dst, recs, nil)
}

// rechecksumBlock appends a stored block to dst with the checksum of its form for
// transport.
func rechecksumBlock(dst, block []byte) []byte {
	body := block[:len(block)-blockSumSize]
	dst = append(dst, body...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(body, castagnoli()))
}

// CheckBlock reports whether a block made by AppendBlock has arrived as it was
// sent.
func CheckBlock(block []byte) bool { return checkBlock(block, nil) }

// DecodeBlock appends the records of a block to dst. It reports false, and dst as
// it was, if the bytes are not a block of this shape; whatever the bytes, it
// never panics or allocates for more than BlockRecords records. The records of a
// block not checked with CheckBlock may be out of order or out of range.
func (s Shape) DecodeBlock(dst []uint64, block []byte) ([]uint64, bool) {
	return s.decodeBlock(dst, block)
}
