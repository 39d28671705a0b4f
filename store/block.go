package store

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// BlockRecords is the number of records in a full block.
const BlockRecords = 4096

// A block holds up to BlockRecords sorted records with distinct keys.
// docs/FORMAT.md shows its layout.
//
// Keys of narrow records are in the Elias-Fano code (P. Elias 1974, R. Fano
// 1971; see S. Vigna, "Quasi-succinct indices", 2013): the low bits of each
// difference from the first key verbatim, the high bits in unary. It takes two
// bits per key more than the logarithm of the mean gap, whether the keys are
// sparse or dense, and decodes without data-dependent branches.
const (
	blockVersion    = 1
	blockHeaderSize = 1 + 1 + 2 + 8 + 4 // version, low bits, records, first key, bytes of unary bits
	blockSumSize    = 4
	blockPad        = 8 // zero bytes after the packed fields, so that whole words can be read
)

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// appendBlock appends to dst the block of the given records: at least one, at
// most BlockRecords, in increasing order of their keys. salt is mixed into the
// checksum, so a block in the wrong place is detected.
func (s Shape) appendBlock(dst []byte, recs []uint64, salt []byte) []byte {
	start := len(dst)
	var codes []byte
	if s.Codes {
		codes = s.appendCodes(dst, recs)
	}
	switch {
	case codes != nil:
		dst = codes
	case s.Stride == 1:
		dst = s.appendNarrow(dst, recs)
	default:
		dst = s.appendWide(dst, recs)
	}
	sum := crc32.Update(crc32.Checksum(salt, castagnoli()), castagnoli(), dst[start:])
	return binary.LittleEndian.AppendUint32(dst, sum)
}

func (s Shape) appendNarrow(dst []byte, recs []uint64) []byte {
	n := len(recs)
	first := recs[0] >> s.MoveBits
	span := recs[n-1]>>s.MoveBits - first
	var low uint
	if q := span / uint64(n); q > 0 {
		low = uint(bits.Len64(q)) - 1
	}
	unaryBytes := (int(span>>low) + n + 7) / 8
	lowBytes := (n*int(low) + 7) / 8
	moveBytes := (n*int(s.MoveBits) + 7) / 8

	dst = append(dst, blockVersion, byte(low))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(n-1))
	dst = binary.LittleEndian.AppendUint64(dst, first)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(unaryBytes))
	at := len(dst)
	dst = appendZeros(dst, unaryBytes+lowBytes+moveBytes+blockPad)
	unary := dst[at : at+unaryBytes]
	lows := dst[at+unaryBytes:]
	moves := dst[at+unaryBytes+lowBytes:]

	lowMask, moveMask := uint64(1)<<low-1, uint64(1)<<s.MoveBits-1
	for i, r := range recs {
		d := r>>s.MoveBits - first
		pos := d>>low + uint64(i)
		unary[pos>>3] |= 1 << (pos & 7)
		putBits(lows, uint64(i)*uint64(low), d&lowMask)
		putBits(moves, uint64(i)*uint64(s.MoveBits), r&moveMask)
	}
	return dst
}

// putBits adds v at bit position pos of zeroed bytes. A value of up to 57 bits
// fits in a word read at any bit offset; a longer one extends into the ninth
// byte.
func putBits(b []byte, pos, v uint64) {
	b = b[pos>>3:]
	sh := pos & 7
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)|v<<sh)
	if over := v >> (63 - sh) >> 1; over != 0 {
		b[8] |= byte(over)
	}
}

func getBits(b []byte, pos, mask uint64) uint64 {
	b = b[pos>>3:]
	sh := pos & 7
	v := binary.LittleEndian.Uint64(b) >> sh
	if mask>>57 != 0 && sh > 0 {
		v |= uint64(b[8]) << (64 - sh)
	}
	return v & mask
}

func appendZeros(dst []byte, n int) []byte {
	at := len(dst)
	if cap(dst)-at < n {
		grown := make([]byte, at, max(2*cap(dst), at+n))
		copy(grown, dst)
		dst = grown
	}
	dst = dst[:at+n]
	clear(dst[at:])
	return dst
}

// appendWide codes the words of a key up to and including the first that
// differs from the previous record as differences, and the words after it in
// full.
func (s Shape) appendWide(dst []byte, recs []uint64) []byte {
	n := len(recs) / s.Stride
	dst = append(dst, blockVersion, 0)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(n-1))
	dst = binary.LittleEndian.AppendUint64(dst, recs[0])
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	prev := make([]uint64, s.Stride)
	prev[0] = recs[0]
	for i := 0; i < len(recs); i += s.Stride {
		rec := recs[i : i+s.Stride]
		delta := true
		for j := range s.Stride - 1 {
			if delta {
				dst = binary.AppendUvarint(dst, rec[j]-prev[j])
				delta = rec[j] == prev[j]
			} else {
				dst = binary.LittleEndian.AppendUint64(dst, rec[j])
			}
		}
		dst = binary.AppendUvarint(dst, rec[s.Stride-1])
		prev = rec
	}
	return dst
}

// checkBlock verifies the checksum of a block.
func checkBlock(block, salt []byte) bool {
	body := len(block) - blockSumSize
	if body < blockHeaderSize {
		return false
	}
	sum := crc32.Update(crc32.Checksum(salt, castagnoli()), castagnoli(), block[:body])
	return sum == binary.LittleEndian.Uint32(block[body:])
}

// decodeBlock appends the records of a block to dst. It reports false, and dst
// as it was, if the bytes are not a block of this shape; whatever the bytes, it
// never panics or allocates for more than BlockRecords records.
func (s Shape) decodeBlock(dst []uint64, block []byte) ([]uint64, bool) {
	if len(block) < blockHeaderSize+blockSumSize || block[0] != blockVersion && (block[0] != codesVersion || !s.Codes) {
		return dst, false
	}
	body := block[blockHeaderSize : len(block)-blockSumSize]
	n := int(binary.LittleEndian.Uint16(block[2:])) + 1
	first := binary.LittleEndian.Uint64(block[4:])
	if n > BlockRecords {
		return dst, false
	}
	if s.Stride > 1 {
		return s.decodeWide(dst, body, n, first)
	}
	if block[0] == codesVersion {
		return s.decodeCodes(dst, body, n, first, int(binary.LittleEndian.Uint32(block[12:])))
	}
	low := uint(block[1])
	unaryBytes := int(binary.LittleEndian.Uint32(block[12:]))
	if low > 63 || unaryBytes > len(body) {
		return dst, false
	}
	lowBytes := (n*int(low) + 7) / 8
	moveBytes := (n*int(s.MoveBits) + 7) / 8
	if len(body) != unaryBytes+lowBytes+moveBytes+blockPad {
		return dst, false
	}
	return s.decodeNarrow(dst, body[:unaryBytes], body[unaryBytes:], body[unaryBytes+lowBytes:], n, low, first)
}

func (s Shape) decodeNarrow(dst []uint64, unary, lows, moves []byte, n int, low uint, first uint64) ([]uint64, bool) {
	at := len(dst)
	dst = growWords(dst, n)
	out := dst[at : at+n]
	i := 0
	for base := 0; base < len(unary); base += 8 {
		var word uint64
		if len(unary)-base >= 8 {
			word = binary.LittleEndian.Uint64(unary[base:])
		} else {
			var tail [8]byte
			copy(tail[:], unary[base:])
			word = binary.LittleEndian.Uint64(tail[:])
		}
		high := uint64(base) * 8
		for word != 0 {
			if i == n {
				return dst[:at], false
			}
			out[i] = (high + uint64(bits.TrailingZeros64(word)) - uint64(i)) << low
			word &= word - 1
			i++
		}
	}
	if i != n {
		return dst[:at], false
	}
	// The two fields are unpacked in separate loops of independent loads, which
	// the processor overlaps.
	if low > 0 {
		mask := uint64(1)<<low - 1
		if low <= 57 {
			for i := range out {
				pos := uint64(i) * uint64(low)
				out[i] |= binary.LittleEndian.Uint64(lows[pos>>3:]) >> (pos & 7) & mask
			}
		} else {
			for i := range out {
				out[i] |= getBits(lows, uint64(i)*uint64(low), mask)
			}
		}
	}
	mask := uint64(1)<<s.MoveBits - 1
	for i := range out {
		pos := uint64(i) * uint64(s.MoveBits)
		move := binary.LittleEndian.Uint64(moves[pos>>3:]) >> (pos & 7) & mask
		out[i] = (out[i]+first)<<s.MoveBits | move
	}
	return dst, true
}

func (s Shape) decodeWide(dst []uint64, body []byte, n int, first uint64) ([]uint64, bool) {
	at := len(dst)
	var prev, rec [StrideMax]uint64
	prev[0] = first
	for range n {
		delta := true
		for j := range s.Stride - 1 {
			if delta {
				d, k := binary.Uvarint(body)
				if k <= 0 {
					return dst[:at], false
				}
				body = body[k:]
				rec[j] = prev[j] + d
				delta = d == 0
			} else {
				if len(body) < 8 {
					return dst[:at], false
				}
				rec[j] = binary.LittleEndian.Uint64(body)
				body = body[8:]
			}
		}
		move, k := binary.Uvarint(body)
		if k <= 0 || move > 1<<16-1 {
			return dst[:at], false
		}
		body = body[k:]
		rec[s.Stride-1] = move
		dst = append(dst, rec[:s.Stride]...)
		prev = rec
	}
	if len(body) != 0 {
		return dst[:at], false
	}
	return dst, true
}

func growWords(dst []uint64, n int) []uint64 {
	at := len(dst)
	if cap(dst)-at < n {
		grown := make([]uint64, at, max(2*cap(dst), at+n))
		copy(grown, dst)
		dst = grown
	}
	return dst[:at+n]
}
