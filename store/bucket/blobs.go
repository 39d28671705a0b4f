package bucket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/aws/smithy-go"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

const (
	// An object is sent to S3 in parts, and in one request if it is smaller than
	// two of them. A writer of a large object needs up to
	//
	//	16 MiB   what is read before it is clear that the object is large
	//	 8 MiB   a part for each of uploadsAtOnce requests, and one that is filled:
	//	         24 MiB
	//
	// which is 40 MiB, and for a moment some 13 MiB more, as the first 16 MiB grow
	// by being copied. One of a small object needs up to twice its size.
	uploadPartBytes = 8 << 20
	uploadsAtOnce   = 2

	// cancelWait is how long a cancelled upload has to tell the server that its
	// parts can go.
	cancelWait = 5 * time.Second
)

// blobs is a bucket of gocloud.dev/blob that does conditional writes: of S3, and
// in tests one in memory.
type blobs struct {
	bucket *blob.Bucket

	// keepsParts is for the bucket in memory, which keeps what it got of an upload
	// that failed, unless its context was cancelled.
	keepsParts bool
}

func (b blobs) close() error { return b.bucket.Close() }

// blobError returns what an error means to the callers of a backend.
func blobError(err error) error {
	var api smithy.APIError
	code := ""
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	switch {
	case err == nil:
		return nil
	case code == "NoSuchBucket":
		return noBucket(err)
	case code == "ConditionalRequestConflict":
		return errors.Join(errContended, err)
	case gcerrors.Code(err) == gcerrors.NotFound:
		return ErrNotExist
	case gcerrors.Code(err) == gcerrors.FailedPrecondition:
		return errTaken
	}
	return err
}

func noBucket(err error) error {
	return &causeError{text: "there is no such bucket, or not in that region", err: err}
}

// A blobWriter sends an object from a goroutine of its own, which commit and abort
// wait for.
type blobWriter struct {
	*io.PipeWriter
	err    error         // of the upload
	done   chan struct{} // closed when err is set
	cancel func()
	ctxErr func() error
}

var errAborted = errors.New("given up")

// create sends what is written through a pipe, because an upload that fails for
// want of data removes its parts from the server. One whose context is cancelled
// at once does not get to that.
func (b blobs) create(ctx context.Context, key string, replace bool) (objectWriter, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	pr, pw := io.Pipe()
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = pw.CloseWithError(ctx.Err()) // it never fails
		time.AfterFunc(cancelWait, cancel)
	})
	w := &blobWriter{PipeWriter: pw, done: make(chan struct{}), cancel: func() { stop(); cancel() }, ctxErr: ctx.Err}
	var body io.Reader = pr
	if b.keepsParts {
		body = cancellingReader{pr, cancel}
	}
	go func() {
		defer close(w.done)
		err := b.bucket.Upload(inner, key, body, &blob.WriterOptions{
			ContentType:    "application/octet-stream",
			BufferSize:     uploadPartBytes,
			MaxConcurrency: uploadsAtOnce,
			IfNotExist:     !replace,
		})
		if ctx.Err() != nil && err != nil {
			err = ctx.Err()
		}
		w.err = blobError(err)
		_ = pr.CloseWithError(w.err) // whoever writes is told
	}()
	return w, nil
}

// A cancellingReader cancels when it cannot read on.
type cancellingReader struct {
	io.Reader
	cancel func()
}

func (r cancellingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.cancel()
	}
	return n, err
}

func (w *blobWriter) Write(p []byte) (int, error) {
	n, err := w.PipeWriter.Write(p)
	if err != nil && w.ctxErr() != nil {
		err = w.ctxErr() // which has closed the pipe
	}
	return n, err
}

func (w *blobWriter) commit() error {
	_ = w.CloseWithError(w.ctxErr()) // it never fails
	<-w.done
	w.cancel()
	return w.err
}

func (w *blobWriter) abort() {
	_ = w.CloseWithError(errAborted)
	<-w.done
	w.cancel()
}

func (b blobs) open(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error) {
	r, err := b.bucket.NewRangeReader(ctx, key, offset, n, nil)
	if err != nil {
		var api smithy.APIError
		if errors.As(err, &api) && api.ErrorCode() == "InvalidRange" {
			return io.NopCloser(bytes.NewReader(nil)), nil // the object ends before
		}
		return nil, blobError(err)
	}
	return r, nil
}

func (b blobs) stat(ctx context.Context, key string) (object, error) {
	a, err := b.bucket.Attributes(ctx, key)
	if err != nil {
		return object{}, blobError(err)
	}
	return object{key: key, bytes: a.Size, mod: a.ModTime}, nil
}

func (b blobs) list(ctx context.Context, dir string, f func(object) error) error {
	it := b.bucket.List(&blob.ListOptions{Prefix: dir + "/"})
	for {
		o, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return blobError(err)
		}
		if err := f(object{key: o.Key, bytes: o.Size, mod: o.ModTime}); err != nil {
			return err
		}
	}
}

func (b blobs) dirs(ctx context.Context) ([]string, error) {
	var names []string
	it := b.bucket.List(&blob.ListOptions{Delimiter: "/"})
	for {
		o, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, blobError(err)
		}
		if o.IsDir {
			names = append(names, o.Key[:len(o.Key)-1])
		}
	}
}

func (b blobs) remove(ctx context.Context, keys []string) error {
	return each(ctx, len(keys), func(ctx context.Context, i int) error {
		err := blobError(b.bucket.Delete(ctx, keys[i]))
		if errors.Is(err, ErrNotExist) {
			return nil
		}
		return err
	})
}

// Of returns a bucket that a driver of gocloud.dev keeps, for tests of what fails.
// The driver must do conditional writes.
func Of(b *blob.Bucket, bucketURL string) (*Bucket, error) {
	u, err := parseURL(bucketURL)
	if err != nil {
		return nil, fail(bucketURL, "open", err)
	}
	return newBucket(blobs{bucket: b}, u), nil
}
