package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// A LayerWriter writes a layer object. It belongs to one goroutine. Either Close or
// Abort ends it; Abort after Close does nothing.
type LayerWriter struct {
	run    *Run
	object string
	out    objectWriter // nil once the writer has ended
	cancel context.CancelFunc
	same   func(size int64, index []byte) (bool, error)
	err    error
	lines  []indexLine
	bytes  int64
	frame  []byte

	replaces int64 // the size that the object must have, 0 if any will do
}

// NewLayer starts a layer object with a name from ObjectName. ctx covers the writer
// until it is closed: when ctx ends, the writer fails. Objects are uploaded to S3 in
// parts while they are written, with the memory that uploadPartBytes describes. Parts of
// a writer that died are invisible; the bucket's lifecycle rule
// (AbortIncompleteMultipartUpload) has to remove them.
func (r *Run) NewLayer(ctx context.Context, object string) (*LayerWriter, error) {
	return r.newLayer(ctx, object, 0)
}

// RewriteLayer is like NewLayer for an object that the bucket has lost or damaged and
// whose size the log gives: it replaces what is there, but only with an object of that
// size.
func (r *Run) RewriteLayer(ctx context.Context, object string, size int64) (*LayerWriter, error) {
	if size < 1 {
		return nil, r.fail("write", object, fmt.Errorf("no object has %d bytes", size))
	}
	return r.newLayer(ctx, object, size)
}

// newLayer starts an object. If replaces is not 0, it replaces one of that size.
func (r *Run) newLayer(ctx context.Context, object string, replaces int64) (*LayerWriter, error) {
	if r.bad != nil {
		return nil, r.bad
	}
	if err := checkObject(object); err != nil {
		return nil, fmt.Errorf("%s: %w", r.where(""), err)
	}
	inner, cancel := context.WithCancel(ctx)
	out, err := r.bucket.backend.create(inner, r.key(object), replaces > 0)
	if err == nil {
		_, err = out.Write([]byte(layerMagic))
		if err != nil {
			out.abort()
		}
	}
	if err != nil {
		cancel()
		return nil, r.fail("write", object, err)
	}
	return &LayerWriter{
		run: r, object: object, out: out, cancel: cancel, bytes: int64(len(layerMagic)), replaces: replaces,
		same: func(size int64, index []byte) (bool, error) { return r.endsWith(ctx, object, size, index) },
	}, nil
}

// Append adds a block of at most BlockBytesMax bytes to a partition whose number is at
// least that of the previous block. The caller may change the block afterwards. After an
// error only Abort may be called.
func (w *LayerWriter) Append(part uint32, block []byte) error {
	if err := w.check(part, block); err != nil {
		return w.run.fail("append", w.object, err)
	}
	n := len(w.lines)
	if n == 0 || w.lines[n-1].part != part {
		w.lines = append(w.lines, indexLine{part: part})
		n++
	}
	l := &w.lines[n-1]
	var sum uint32
	w.frame, sum = appendBlock(w.frame[:0], part, l.blocks, block)
	l.sum = addSum(l.sum, sum)
	l.blocks++
	l.bytes += int64(len(w.frame))
	w.bytes += int64(len(w.frame))
	if _, w.err = w.out.Write(w.frame); w.err != nil {
		return w.run.fail("append", w.object, w.err)
	}
	return nil
}

func (w *LayerWriter) check(part uint32, block []byte) error {
	n := len(w.lines)
	switch {
	case w.out == nil:
		return errors.New("the writer is closed")
	case w.err != nil:
		return w.err
	case len(block) > BlockBytesMax:
		return fmt.Errorf("a block of %d bytes is more than %d", len(block), BlockBytesMax)
	case n > 0 && part < w.lines[n-1].part:
		return fmt.Errorf("partition %d comes after %d", part, w.lines[n-1].part)
	case (n+1)*indexLineSize > indexBytesMax:
		return fmt.Errorf("more than %d partitions", indexBytesMax/indexLineSize)
	case w.bytes+int64(len(block)) > LayerBytesMax-2*indexBytesMax:
		return fmt.Errorf("the object would be larger than %d GiB", int64(LayerBytesMax)>>30)
	}
	return nil
}

// Close writes the index, makes the object visible, durably, and returns its size. It
// also succeeds if an object of that name with the same content exists, as after a lost
// reply; with other content the error is ErrExist. After any other error the object may
// be there, whole, or not.
func (w *LayerWriter) Close() (size int64, err error) {
	if w.out == nil {
		return 0, w.run.fail("close", w.object, errors.New("the writer is closed"))
	}
	if w.err != nil {
		w.Abort()
		return 0, w.run.fail("close", w.object, w.err)
	}
	index := encodeIndex(w.object, w.lines)
	size = w.bytes + int64(len(index))
	if w.replaces > 0 && size != w.replaces {
		w.Abort()
		return 0, w.run.fail("close", w.object, fmt.Errorf("it would have %d bytes, and the log says %d", size, w.replaces))
	}
	_, err = w.out.Write(index)
	if err != nil {
		w.Abort()
	} else {
		err = w.out.commit()
		w.out = nil
		w.cancel()
	}
	if err != nil {
		same, checkErr := w.same(size, index)
		switch {
		case checkErr == nil && same:
			err = nil
		case checkErr == nil:
			err = ErrExist
		}
	}
	if err != nil {
		return 0, w.run.fail("close", w.object, err)
	}
	return size, nil
}

// Abort abandons the object: nothing of it remains. It does nothing once the writer has
// ended.
func (w *LayerWriter) Abort() {
	if w.out == nil {
		return
	}
	w.cancel()
	w.out.abort()
	w.out = nil
}

// endsWith reports whether the object has that size and ends with an index, which holds
// checksums of all the rest. It returns an error if there is no object.
func (r *Run) endsWith(ctx context.Context, object string, size int64, index []byte) (bool, error) {
	o, err := r.bucket.backend.stat(ctx, r.key(object))
	if err != nil || o.bytes != size {
		return false, err
	}
	n := int64(len(index))
	got, err := read(ctx, r.bucket.backend, r.key(object), size-n, n)
	return bytes.Equal(got, index), err
}
