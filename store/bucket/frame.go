package bucket

import (
	"encoding/binary"
	"hash/crc32"
)

// Log entries and the control object share a frame: magic and version, number, length,
// body, and a CRC32C of all of these. docs/FORMAT.md shows the layout.
const (
	entryMagic   = "ESentry\x01"
	controlMagic = "EScntrl\x01"
	magicSize    = 8

	frameHeaderSize = magicSize + 8 + 4
	frameSize       = frameHeaderSize + sumSize
	sumSize         = 4

	// EntryBytesMax bounds an entry of the log and the body of the control object.
	EntryBytesMax = 1 << 20
)

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func encodeFrame(magic string, number uint64, body []byte) []byte {
	dst := make([]byte, 0, frameSize+len(body))
	dst = append(dst, magic...)
	dst = binary.LittleEndian.AppendUint64(dst, number)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(body)))
	dst = append(dst, body...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst, castagnoli()))
}

// decodeFrame returns the body in a frame, or what is wrong with the frame. The body is
// part of frame.
func decodeFrame(frame []byte, magic string, number uint64) (body []byte, wrong string) {
	switch {
	case len(frame) < frameSize:
		return nil, "it is too short"
	case len(frame) > frameSize+EntryBytesMax:
		return nil, "it is too long"
	case string(frame[:magicSize-1]) != magic[:magicSize-1]:
		return nil, "it has an unknown header"
	case crc32.Checksum(frame[:len(frame)-sumSize], castagnoli()) != binary.LittleEndian.Uint32(frame[len(frame)-sumSize:]):
		return nil, "the checksum does not match"
	case frame[magicSize-1] != magic[magicSize-1]:
		return nil, "it has an unsupported format version"
	case binary.LittleEndian.Uint64(frame[magicSize:]) != number:
		return nil, "it belongs to a different number"
	case uint64(binary.LittleEndian.Uint32(frame[magicSize+8:])) != uint64(len(frame)-frameSize):
		return nil, "the length does not match"
	}
	return frame[frameHeaderSize : len(frame)-sumSize], ""
}
