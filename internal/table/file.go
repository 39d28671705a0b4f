package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// Stamp identifies a stored table. docs/FORMAT.md describes the bytes.
type Stamp struct {
	// Run is the identity of the run; Phase and Depth are those of its last layer.
	Run   [16]byte
	Phase uint8
	Depth uint32
	// Edges is the number of successors of the last layer.
	Edges int64
	// Part is what has been made of the next layer; nil if the table has nothing of it.
	Part *Part
}

const (
	fileMagic   = "EVTABLE1"
	partMagic   = "EVTABLE2" // a Part follows
	headerBytes = 64
	chunkWords  = 1 << 13
	sumBytes    = 4

	chunkBytesMax = chunkWords*wordBits/8 + sumBytes
)

// ErrDamaged reports a stored table that differs from what was written.
var ErrDamaged = errors.New("the table is damaged")

// ErrRenumbered reports a stored table whose states have other ranks: those of an earlier
// version of the program, which found none that are as dense.
var ErrRenumbered = errors.New("an earlier version of the program made it and numbered the states differently: use that version, or explore the board again in another directory (--run DIR)")

// Bytes returns the size of a stored table.
func (s *Space) Bytes() int64 {
	words := int64(s.words) * int64(s.Ranks.Blocks) // of each plane
	chunks := (words + chunkWords - 1) / chunkWords
	return headerBytes + s.BytesPerTable() + 2*chunks*sumBytes
}

func (s *Space) header(stamp Stamp) []byte {
	return headerOf(stamp, uint64(s.Ranks.Blocks), uint64(s.Ranks.Size))
}

func headerOf(stamp Stamp, blocks, size uint64) []byte {
	b := make([]byte, 0, headerBytes)
	magic := fileMagic
	if stamp.Part != nil {
		magic = partMagic
	}
	b = append(b, magic...)
	b = append(b, stamp.Run[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(stamp.Phase))
	b = binary.LittleEndian.AppendUint32(b, stamp.Depth)
	b = binary.LittleEndian.AppendUint64(b, uint64(stamp.Edges))
	b = binary.LittleEndian.AppendUint64(b, blocks)
	b = binary.LittleEndian.AppendUint64(b, size)
	b = append(b, make([]byte, headerBytes-sumBytes-len(b))...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// Write writes the table: the low bits of all states, then the high ones.
func (t *Table) Write(w io.Writer, stamp Stamp) error {
	header := t.space.header(stamp)
	if _, err := w.Write(slices.Clone(header)); err != nil { // a vfs.File may change what it is given
		return err
	}
	body := make([]byte, 0, chunkBytesMax)
	err := t.eachChunk(header, func(sum uint32, words []uint64) (uint32, error) {
		body = body[:0]
		for _, word := range words {
			body = binary.LittleEndian.AppendUint64(body, word)
		}
		sum = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), body)
		_, err := w.Write(binary.LittleEndian.AppendUint32(body, sum))
		return sum, err
	})
	if err == nil && stamp.Part != nil {
		_, err = w.Write(stamp.Part.AppendBytes(nil))
	}
	return err
}

// readHeader checks a header. It returns the number of successors from the stamp, and
// whether a Part follows; the rest of the stamp must be as expected.
func (s *Space) readHeader(header []byte, stamp Stamp) (edges int64, partial bool, err error) {
	stamp.Edges, stamp.Part = int64(binary.LittleEndian.Uint64(header[32:])), nil
	if bytes.HasPrefix(header, []byte(partMagic)) {
		stamp.Part = &Part{}
	}
	blocks, size := binary.LittleEndian.Uint64(header[40:]), binary.LittleEndian.Uint64(header[48:])
	switch {
	case stamp.Edges >= 0 && bytes.Equal(header, s.header(stamp)):
		return stamp.Edges, stamp.Part != nil, nil
	case stamp.Edges >= 0 && bytes.Equal(header, headerOf(stamp, blocks, size)):
		return 0, false, ErrRenumbered
	}
	return 0, false, fmt.Errorf("%w: its header is not that of phase %d, depth %d of this run", ErrDamaged, stamp.Phase, stamp.Depth)
}

// Read fills a table with what Write wrote. It returns the number of successors from
// the stamp, and what has been made of the next layer, or nil; the rest of the stamp must be
// as expected.
func (t *Table) Read(r io.Reader, stamp Stamp) (edges int64, part *Part, err error) {
	header := make([]byte, headerBytes)
	if _, err := io.ReadFull(r, header); err != nil {
		return 0, nil, short(err)
	}
	edges, partial, err := t.space.readHeader(header, stamp)
	if err != nil {
		return 0, nil, err
	}
	body := make([]byte, chunkBytesMax)
	err = t.eachChunk(header, func(sum uint32, words []uint64) (uint32, error) {
		body := body[:len(words)*wordBits/8+sumBytes]
		if _, err := io.ReadFull(r, body); err != nil {
			return 0, short(err)
		}
		end := len(body) - sumBytes
		sum = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), body[:end])
		if sum != binary.LittleEndian.Uint32(body[end:]) {
			return 0, fmt.Errorf("%w: a checksum is wrong", ErrDamaged)
		}
		for i := range words {
			words[i] = binary.LittleEndian.Uint64(body[i*wordBits/8:])
		}
		return sum, nil
	})
	if err != nil {
		return 0, nil, err
	}
	if partial {
		part, err = t.space.readPart(r)
		return edges, part, err
	}
	if n, err := r.Read(body[:1]); n != 0 || err != nil && !errors.Is(err, io.EOF) {
		return 0, nil, errLong
	}
	return edges, nil, nil
}

// errLong reports bytes behind a table.
var errLong = fmt.Errorf("%w: it is too long", ErrDamaged)

// short explains why reading ended early.
func short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it is too short", ErrDamaged)
	}
	return err
}

// eachChunk calls f with the words of the table in chunks, and the checksum of
// everything before them, header included; f returns the checksum that includes them.
func (t *Table) eachChunk(header []byte, f func(sum uint32, words []uint64) (uint32, error)) error {
	sum := crc32.Checksum(header, crc32.MakeTable(crc32.Castagnoli))
	for _, plane := range [][]uint64{t.low, t.high} {
		for len(plane) > 0 {
			n := min(chunkWords, len(plane))
			var err error
			if sum, err = f(sum, plane[:n]); err != nil {
				return err
			}
			plane = plane[n:]
		}
	}
	return nil
}
