package store

import (
	"encoding/binary"
	"hash/crc32"
)

// AppendBlock appends to dst a block of the given records, as it travels between
// processes: its checksum is that of the block alone, whereas that of a stored
// one takes in its key. There is at least one record and at most BlockRecords,
// in increasing order of their keys.
func (s Shape) AppendBlock(dst []byte, recs []uint64) []byte {
	return s.appendBlock(dst, recs, nil)
}

// resumBlock appends a stored block to dst with the checksum that it has when it
// travels.
func resumBlock(dst, block []byte) []byte {
	body := block[:len(block)-blockSumSize]
	dst = append(dst, body...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(body, castagnoli()))
}

// CheckBlock reports whether a block of AppendBlock has arrived as it was sent.
func CheckBlock(block []byte) bool { return checkBlock(block, nil) }

// DecodeBlock appends the records of a block to dst. It reports false, and dst
// as it was, if the bytes are not a block of this shape; it never panics and
// never allocates for more than BlockRecords records, whatever they are. The
// records of a block that nobody has checked may be out of order or out of range.
func (s Shape) DecodeBlock(dst []uint64, block []byte) ([]uint64, bool) {
	return s.decodeBlock(dst, block)
}
