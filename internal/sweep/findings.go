package sweep

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// compressors are used again, as each has a megabyte, more than what most units found.
var compressors sync.Pool

// EncodeFindings returns a unit's findings compressed with DEFLATE (RFC 1951): the
// totals, then the records, each preceded by its length as a varint. Within one
// version of this program, the same findings give the same bytes.
func EncodeFindings(f *Findings) ([]byte, error) {
	totals, err := f.Totals.AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	plain := appendSized(nil, totals)
	var buf []byte
	for i := range f.Records {
		if buf, err = f.Records[i].AppendBinary(buf[:0]); err != nil {
			return nil, err
		}
		plain = appendSized(plain, buf)
	}
	var out bytes.Buffer
	w, ok := compressors.Get().(*flate.Writer)
	if ok {
		w.Reset(&out)
	} else if w, err = flate.NewWriter(&out, flate.DefaultCompression); err != nil {
		return nil, err
	}
	defer compressors.Put(w)
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func appendSized(b, part []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(part))), part...)
}

// findingsBytesMax bounds findings before compression.
const findingsBytesMax = 256 << 20

// errFindings reports findings that cannot be read.
var errFindings = errors.New("damaged findings")

// DecodeFindings reads what EncodeFindings wrote, and checks the digest against the
// unit's counts and records.
func DecodeFindings(unit int, b []byte) (Findings, error) {
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), findingsBytesMax+1))
	if err != nil || len(plain) > findingsBytesMax {
		return Findings{}, errFindings
	}
	d := decoder{rest: plain}
	next := func() []byte { return d.bytes(int(d.number(uint64(len(d.rest))))) }
	var f Findings
	if err := f.Totals.UnmarshalBinary(next()); err != nil || d.failed {
		return Findings{}, errFindings
	}
	for len(d.rest) > 0 && !d.failed {
		var r Record
		if err := r.UnmarshalBinary(next()); err != nil {
			return Findings{}, errFindings
		}
		f.Records = append(f.Records, r)
	}
	if d.failed {
		return Findings{}, errFindings
	}
	err = f.Check(unit)
	return f, err
}

// Greatest returns the greatest distance of a puzzle, negative if there is none.
func (t *Totals) Greatest() int {
	for d := len(t.Distances) - 1; d >= 0; d-- {
		if t.Distances[d].Puzzles > 0 {
			return d
		}
	}
	return -1
}

// DecodeTotals reads only the totals from what EncodeFindings wrote.
func DecodeTotals(b []byte) (t Totals, err error) {
	in := bufio.NewReader(flate.NewReader(bytes.NewReader(b)))
	size, err := binary.ReadUvarint(in)
	if err != nil || size > findingsBytesMax {
		return t, errFindings
	}
	plain, err := io.ReadAll(io.LimitReader(in, int64(size)))
	if err != nil || t.UnmarshalBinary(plain) != nil {
		return Totals{}, errFindings
	}
	return t, nil
}

// Check verifies the digest against the counts and records.
func (f *Findings) Check(unit int) error {
	t := f.Totals
	t.Units, t.Records, t.Digest = 0, 0, [2]uint64{}
	t.Distances = slices.Clone(t.Distances)
	for i := range f.Records {
		t.AddRecord(&f.Records[i])
	}
	t.Seal(unit)
	if t.Digest != f.Totals.Digest || t.Records != f.Totals.Records || f.Totals.Units != 1 {
		return fmt.Errorf("%w: the digest of unit %d does not match its records and counts", errFindings, unit)
	}
	return nil
}
