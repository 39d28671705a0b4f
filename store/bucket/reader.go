package bucket

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

const (
	// wholeBytesMax is the size up to which an object is read in one request.
	wholeBytesMax = 1 << 20

	// indexGuessBytes is how much of the end of a larger object is read first. It holds
	// the index of 6,500 partitions; a longer one takes a second request.
	indexGuessBytes = 128 << 10

	// gapBytesMax is the largest gap between wanted partitions that is read and
	// discarded, as that is cheaper than another request.
	gapBytesMax = 256 << 10

	readBufferBytes = 256 << 10

	// readTriesMax bounds how often in a row a broken read is resumed without having
	// read anything.
	readTriesMax = 4
)

// A LayerReader reads a layer object. It belongs to one goroutine and need not be
// closed.
type LayerReader struct {
	run    *Run
	object string
	lines  []indexLine
	whole  []byte // the object, if it is small
}

// OpenLayer reads the index of a layer object, or all of an object of at most 1 MiB. It
// returns ErrNotExist if there is no such object.
func (r *Run) OpenLayer(ctx context.Context, object string) (*LayerReader, error) {
	if r.bad != nil {
		return nil, r.bad
	}
	if err := checkObject(object); err != nil {
		return nil, fmt.Errorf("%s: %w", r.where(""), err)
	}
	l := &LayerReader{run: r, object: object}
	o, err := r.bucket.backend.stat(ctx, r.key(object))
	if err != nil {
		return nil, l.fail(err)
	}
	end, err := l.readEnd(ctx, o.bytes, indexGuessBytes)
	if err != nil {
		return nil, err
	}
	n, wrong := indexSize(o.bytes, end)
	if wrong != "" {
		return nil, l.corrupted("%s", wrong)
	}
	if n > int64(len(end)) {
		if end, err = l.readEnd(ctx, o.bytes, n); err != nil {
			return nil, err
		}
	}
	l.lines, wrong = decodeIndex(object, o.bytes, end[int64(len(end))-n:])
	if wrong == "" && l.whole != nil && !bytes.HasPrefix(l.whole, []byte(layerMagic)) {
		wrong = "it has an unknown header"
	}
	if wrong != "" {
		return nil, l.corrupted("%s", wrong)
	}
	return l, nil
}

// readEnd reads the last n bytes of the object, or all of a small one.
func (l *LayerReader) readEnd(ctx context.Context, size, n int64) ([]byte, error) {
	if size <= wholeBytesMax {
		n = size
	}
	n = min(n, size)
	end, err := read(ctx, l.run.bucket.backend, l.run.key(l.object), size-n, n)
	if err != nil {
		return nil, l.fail(err)
	}
	if int64(len(end)) != n {
		return nil, l.corrupted("it is shorter than its size")
	}
	if n == size {
		l.whole = end
	}
	return end, nil
}

func (l *LayerReader) fail(err error) error { return l.run.fail("read", l.object, err) }

func (l *LayerReader) corrupted(format string, args ...any) error {
	return &CorruptionError{Where: l.run.where(l.object), What: fmt.Sprintf(format, args...)}
}

// Partitions returns the partitions that have blocks, in increasing order.
func (l *LayerReader) Partitions() []uint32 {
	parts := make([]uint32, len(l.lines))
	for i, line := range l.lines {
		parts[i] = line.part
	}
	return parts
}

// Read calls f with the blocks of a partition, in order. A block is valid until f
// returns. A partition that the object lacks has no blocks. An error of f ends the
// reading and is returned as it is. After another error, the blocks already passed to f
// are correct but may not be all.
func (l *LayerReader) Read(ctx context.Context, part uint32, f func(block []byte) error) error {
	return l.ReadAll(ctx, []uint32{part}, func(_ uint32, block []byte) error { return f(block) })
}

// ReadAll is like Read for several partitions, in increasing order whatever the order of
// parts. Partitions close together are read in one request.
func (l *LayerReader) ReadAll(ctx context.Context, parts []uint32, f func(part uint32, block []byte) error) error {
	want := slices.Clone(parts)
	slices.Sort(want)
	var lines []indexLine
	for _, part := range slices.Compact(want) {
		i, ok := slices.BinarySearchFunc(l.lines, part, func(l indexLine, part uint32) int {
			return int(int64(l.part) - int64(part))
		})
		if ok {
			lines = append(lines, l.lines[i])
		}
	}
	var buf []byte
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && lines[n].start-lines[n-1].end() <= gapBytesMax {
			n++
		}
		in := bufio.NewReaderSize(nil, 16)
		if l.whole == nil {
			in = bufio.NewReaderSize(nil, readBufferBytes)
		}
		body := l.body(ctx, lines[0].start, lines[n-1].end())
		in.Reset(body)
		at := lines[0].start
		for _, line := range lines[:n] {
			if _, err := in.Discard(int(line.start - at)); err != nil {
				return errors.Join(l.broken(err), body.Close())
			}
			var err error
			if buf, err = l.readPartition(in, line, buf, f); err != nil {
				_ = body.Close() // the first error says more
				return err
			}
			at = line.end()
		}
		if err := body.Close(); err != nil {
			return l.fail(err)
		}
		lines = lines[n:]
	}
	return nil
}

func (l indexLine) end() int64 { return l.start + l.bytes }

// readPartition reads the blocks of a partition into buf, which may be nil, and returns
// the buffer for the next call.
func (l *LayerReader) readPartition(in io.Reader, line indexLine, buf []byte, f func(part uint32, block []byte) error) ([]byte, error) {
	left := line.bytes
	var sum uint32
	for number := range line.blocks {
		var head [blockHeadSize]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return buf, l.broken(err)
		}
		n := int64(binary.LittleEndian.Uint32(head[:]))
		if n > BlockBytesMax || n+blockOverhead > left {
			return buf, l.corrupted("partition %d, block %d has a wrong length", line.part, number)
		}
		buf = slices.Grow(buf[:0], int(n)+sumSize)[:n+sumSize]
		if _, err := io.ReadFull(in, buf); err != nil {
			return buf, l.broken(err)
		}
		got := binary.LittleEndian.Uint32(buf[n:])
		if blockSum(line.part, number, buf[:n]) != got {
			return buf, l.corrupted("partition %d, block %d: the checksum does not match", line.part, number)
		}
		sum = addSum(sum, got)
		left -= n + blockOverhead
		if number == line.blocks-1 && (left != 0 || sum != line.sum) {
			return buf, l.corrupted("partition %d: the blocks are not those of the index", line.part)
		}
		if err := f(line.part, buf[:n:n]); err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// broken returns the error of a read that ended early.
func (l *LayerReader) broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, errShort) {
		return l.corrupted("it is shorter than its size")
	}
	return l.fail(err)
}

// body returns the bytes of the object from start to end.
func (l *LayerReader) body(ctx context.Context, start, end int64) io.ReadCloser {
	if l.whole != nil {
		return io.NopCloser(bytes.NewReader(l.whole[start:end]))
	}
	b, key := l.run.bucket.backend, l.run.key(l.object)
	return &resumedReader{
		at: start, end: end,
		open: func(at int64) (io.ReadCloser, error) { return b.open(ctx, key, at, end-at) },
		wait: func(try int) error { return backOff(ctx, try) },
	}
}

// errShort reports that an object ended before its size.
var errShort = errors.New("shorter than its size")

// A resumedReader reads a range of an object, and resumes where it was when a connection
// breaks.
type resumedReader struct {
	at, end int64
	open    func(at int64) (io.ReadCloser, error)
	wait    func(try int) error
	body    io.ReadCloser // nil if none is open
	tries   int           // since the last successful read
}

func (r *resumedReader) Read(p []byte) (int, error) {
	if r.at == r.end {
		return 0, io.EOF
	}
	for {
		n, err := r.readOnce(p)
		if n > 0 {
			r.at += int64(n)
			r.tries = 0
			return n, nil
		}
		if err == nil {
			continue
		}
		r.tries++
		if r.tries == readTriesMax || !Retryable(err) {
			return 0, err
		}
		if err := r.wait(r.tries); err != nil {
			return 0, err
		}
	}
}

// readOnce reads from the open body, or opens one. It leaves none open after an error.
func (r *resumedReader) readOnce(p []byte) (int, error) {
	if r.body == nil {
		body, err := r.open(r.at)
		if err != nil {
			return 0, err
		}
		r.body = body
	}
	n, err := r.body.Read(p[:min(int64(len(p)), r.end-r.at)])
	if err == nil {
		return n, nil
	}
	_ = r.body.Close() // it has failed or ended
	r.body = nil
	if errors.Is(err, io.EOF) {
		err = errShort
	}
	return n, err
}

// Close releases what is open.
func (r *resumedReader) Close() error {
	if r.body == nil {
		return nil
	}
	return r.body.Close()
}
