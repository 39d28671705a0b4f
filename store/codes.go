package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// Records whose links are codes, numbers below three (Shape.Codes), are the same blocks as
// others where keys are sparse. Where they are dense, two bits for each key of the block's
// range take less: 0 for a key without a record, otherwise one more than its code.
const (
	codesVersion = 2
	codeBits     = 2
	codesMax     = 1<<codeBits - 1
)

// appendCodes appends the block of records with codes, or returns nil if that is not
// smaller than the other form.
func (s Shape) appendCodes(dst []byte, recs []uint64) []byte {
	n := len(recs)
	first := recs[0] >> s.MoveBits
	span := recs[n-1]>>s.MoveBits - first
	// The other form takes two bits a key, what is left of the mean gap, and the code.
	perKey := 2 + codeBits + max(1, bits.Len64(span/uint64(n))) - 1
	if span >= uint64(n*perKey/codeBits) {
		return nil
	}
	size := (int(span)+1)*codeBits/8 + 1
	dst = append(dst, codesVersion, 0)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(n-1))
	dst = binary.LittleEndian.AppendUint64(dst, first)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(size))
	at := len(dst)
	dst = appendZeros(dst, size)
	body := dst[at:]
	for _, r := range recs {
		d := r>>s.MoveBits - first
		body[d*codeBits/8] |= byte(r&codesMax+1) << (d * codeBits % 8)
	}
	return dst
}

// decodeCodes appends the records of a block of appendCodes.
func (s Shape) decodeCodes(dst []uint64, body []byte, n int, first uint64, size int) ([]uint64, bool) {
	if size != len(body) {
		return dst, false
	}
	at := len(dst)
	for i, b := range body {
		for key := first + uint64(i)*8/codeBits; b != 0; key, b = key+1, b>>codeBits {
			if b&codesMax == 0 {
				continue
			}
			if len(dst)-at == n {
				return dst[:at], false
			}
			dst = append(dst, key<<s.MoveBits|uint64(b&codesMax-1))
		}
	}
	if len(dst)-at != n {
		return dst[:at], false
	}
	return dst, true
}

// SegmentsOf returns the segments of a phase that have records of a partition, by layer,
// among those from first up to but excluding end. Of a layer that was made several times, it
// is the last one: the others were given up.
func SegmentsOf(s *Store, phase uint8, first, end, part uint32) (found []SegmentID, err error) {
	if first >= end {
		return nil, nil
	}
	lo := binary.BigEndian.AppendUint32([]byte{segmentPrefix, phase}, first)
	hi := binary.BigEndian.AppendUint32([]byte{segmentPrefix, phase}, end)
	it, err := s.newIter(lo, hi)
	if err != nil {
		return nil, s.explain(fmt.Errorf("look for partition %d: %w", part, err))
	}
	defer func() { err = errors.Join(err, s.explain(s.closeIter(it))) }()
	var seek []byte
	for layer := first; layer < end; {
		seek = appendSegmentPrefix(seek[:0], SegmentID{Phase: phase, Layer: layer}, part)
		if !it.SeekGE(seek) {
			break
		}
		key := it.Key()
		id := SegmentID{Phase: phase, Layer: binary.BigEndian.Uint32(key[2:]), Epoch: binary.BigEndian.Uint32(key[8:])}
		switch at := uint32(binary.BigEndian.Uint16(key[6:])); {
		case at == part:
			if it.SeekLT(appendSegmentPrefix(seek[:0], SegmentID{Phase: phase, Layer: id.Layer}, part+1)) {
				id.Epoch = binary.BigEndian.Uint32(it.Key()[8:])
			}
			found = append(found, id)
			layer = id.Layer + 1
		case at < part: // of a later layer
			layer = max(layer, id.Layer)
		default:
			layer = id.Layer + 1
		}
	}
	return found, s.explain(it.Error())
}

// EachPart calls f with the segments of a phase and the partitions that they have records
// of, by layer and partition.
func EachPart(s *Store, phase uint8, f func(id SegmentID, part uint32)) (err error) {
	lo := []byte{segmentPrefix, phase}
	it, err := s.newIter(lo, prefixEnd(lo))
	if err != nil {
		return s.explain(fmt.Errorf("list segments: %w", err))
	}
	defer func() { err = errors.Join(err, s.explain(s.closeIter(it))) }()
	for ok := it.First(); ok; {
		key := it.Key()
		f(SegmentID{Phase: phase, Layer: binary.BigEndian.Uint32(key[2:]), Epoch: binary.BigEndian.Uint32(key[8:])}, uint32(binary.BigEndian.Uint16(key[6:])))
		ok = it.SeekGE(prefixEnd(key[:segmentPrefixSize]))
	}
	return s.explain(it.Error())
}

// Reclaim frees the space of what was removed of a phase, at once.
func Reclaim(s *Store, phase uint8) error {
	lo := []byte{segmentPrefix, phase}
	err := s.guard.Do(func() error { return s.db.Compact(context.Background(), lo, prefixEnd(lo), false) })
	return s.explain(err)
}
