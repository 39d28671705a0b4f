package bucket

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// A layer object is a header, the blocks of its partitions, an index with a line for
// each partition, and a tail. docs/FORMAT.md shows the layout.
const (
	layerMagic = "ESlayer\x01"
	indexMagic = "ESindex\x01"

	blockHeadSize = 4                       // length
	blockOverhead = blockHeadSize + sumSize // per block
	indexLineSize = 4 + 4 + 8 + 4           // partition, blocks, bytes, checksum of their checksums
	tailSize      = 4 + sumSize + magicSize // bytes of the index, checksum, magic
	layerMin      = len(layerMagic) + tailSize

	// BlockBytesMax bounds a block.
	BlockBytesMax = 512 << 10

	// indexBytesMax bounds the index, which limits it to some 800,000 partitions.
	indexBytesMax = 16 << 20

	// LayerBytesMax bounds a layer object: an upload to S3 has at most 10,000 parts.
	LayerBytesMax = uploadPartBytes * 10_000
)

// An indexLine describes the blocks of a partition. They begin where those of the line
// before end.
type indexLine struct {
	part   uint32
	blocks uint32
	bytes  int64  // including lengths and checksums
	sum    uint32 // CRC32C of the concatenated checksums of the blocks
	start  int64  // offset in the object; not stored
}

// appendBlock appends a block in its stored form. Its checksum covers its place.
func appendBlock(dst []byte, part, number uint32, block []byte) (frame []byte, sum uint32) {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(block)))
	dst = append(dst, block...)
	sum = blockSum(part, number, block)
	return binary.LittleEndian.AppendUint32(dst, sum), sum
}

// blockSum returns the CRC32C of a block's partition, its number there, its length and
// its bytes, in this order.
func blockSum(part, number uint32, block []byte) uint32 {
	var place [12]byte
	binary.LittleEndian.PutUint32(place[0:], part)
	binary.LittleEndian.PutUint32(place[4:], number)
	binary.LittleEndian.PutUint32(place[8:], uint32(len(block)))
	return crc32.Update(crc32.Checksum(place[:], castagnoli()), castagnoli(), block)
}

// addSum adds the checksum of a block to the partition's.
func addSum(partSum, blockSum uint32) uint32 {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], blockSum)
	return crc32.Update(partSum, castagnoli(), b[:])
}

// encodeIndex returns the index and the tail of the named object.
func encodeIndex(object string, lines []indexLine) []byte {
	dst := make([]byte, 0, len(lines)*indexLineSize+tailSize)
	for _, l := range lines {
		dst = binary.LittleEndian.AppendUint32(dst, l.part)
		dst = binary.LittleEndian.AppendUint32(dst, l.blocks)
		dst = binary.LittleEndian.AppendUint64(dst, uint64(l.bytes))
		dst = binary.LittleEndian.AppendUint32(dst, l.sum)
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(dst)))
	dst = binary.LittleEndian.AppendUint32(dst, indexSum(object, dst))
	return append(dst, indexMagic...)
}

// indexSum returns the CRC32C of the object's name, the index and its length.
func indexSum(object string, index []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(object), castagnoli()), castagnoli(), index)
}

// indexSize returns the bytes of the index and the tail together, according to the tail,
// or what is wrong with the tail.
func indexSize(size int64, tail []byte) (n int64, wrong string) {
	if len(tail) < tailSize || size < int64(layerMin) {
		return 0, "it is too short"
	}
	tail = tail[len(tail)-tailSize:]
	magic := string(tail[tailSize-magicSize:])
	if magic[:magicSize-1] != indexMagic[:magicSize-1] {
		return 0, "it does not end with an index"
	}
	if magic != indexMagic {
		return 0, "it has an unsupported format version"
	}
	n = int64(binary.LittleEndian.Uint32(tail))
	if n > indexBytesMax || n%indexLineSize != 0 || n > size-int64(layerMin) {
		return 0, "the length of the index does not match"
	}
	return n + tailSize, ""
}

// decodeIndex decodes the index lines in b, the end of an object of that size, or
// returns what is wrong with them. b has as many bytes as indexSize returned.
func decodeIndex(object string, size int64, b []byte) (lines []indexLine, wrong string) {
	index := b[:len(b)-tailSize]
	sum := b[len(index)+4:]
	if indexSum(object, b[:len(index)+4]) != binary.LittleEndian.Uint32(sum) {
		return nil, "the checksum of the index does not match"
	}
	lines = make([]indexLine, 0, len(index)/indexLineSize)
	at := int64(len(layerMagic))
	for ; len(index) > 0; index = index[indexLineSize:] {
		l := indexLine{
			part:   binary.LittleEndian.Uint32(index),
			blocks: binary.LittleEndian.Uint32(index[4:]),
			bytes:  int64(binary.LittleEndian.Uint64(index[8:])),
			sum:    binary.LittleEndian.Uint32(index[16:]),
			start:  at,
		}
		blocks := int64(l.blocks)
		switch {
		case len(lines) > 0 && l.part <= lines[len(lines)-1].part:
			return nil, "the partitions of the index are out of order"
		case blocks == 0, l.bytes < blocks*blockOverhead, l.bytes > blocks*(blockOverhead+BlockBytesMax),
			l.bytes > size-int64(len(b))-at:
			return nil, fmt.Sprintf("the index has a wrong length for partition %d", l.part)
		}
		at += l.bytes
		lines = append(lines, l)
	}
	if at != size-int64(len(b)) {
		return nil, "the index does not cover all blocks"
	}
	return lines, ""
}
