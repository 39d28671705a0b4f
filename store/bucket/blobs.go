package bucket

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// cancelWait is how long a cancelled upload has to tell the server that its
// parts can go.
const cancelWait = 5 * time.Second

// A Client sends requests to a bucket that does conditional writes: to S3, or in
// tests to one in memory. Its errors are those of S3, with the codes of S3. It is
// safe for concurrent use.
type Client interface {
	// Put makes an object of what body holds, as a whole or not at all, in place of
	// one that is there, or fails with PreconditionFailed if it has to be new. If
	// body cannot be read, there is no object, and nothing remains of it.
	Put(ctx context.Context, key string, body io.Reader, onlyNew bool) error

	// Get reads up to n bytes from an offset on. It fails with NoSuchKey if there is
	// no such object, and may fail with InvalidRange if it ends before.
	Get(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error)

	// Stat is like Get.
	Stat(ctx context.Context, key string) (bytes int64, mod time.Time, err error)

	// List calls f with every object whose key begins with a prefix.
	List(ctx context.Context, prefix string, f func(key string, bytes int64, mod time.Time) error) error

	// Dirs returns what there is before the first slash of keys, each once.
	Dirs(ctx context.Context) ([]string, error)

	// Delete removes an object. It may fail with NoSuchKey if there is none.
	Delete(ctx context.Context, key string) error
}

// blobs is a bucket whose objects are behind a Client.
type blobs struct{ client Client }

func (b blobs) close() error { return nil }

// blobError returns what an error means to the callers of a backend.
func blobError(err error) error {
	_, code := serverSaid(err)
	switch {
	case err == nil:
		return nil
	case code == "NoSuchBucket":
		return noBucket(err)
	case code == "ConditionalRequestConflict":
		return errors.Join(errContended, err)
	case code == "PreconditionFailed":
		return errTaken
	case notFound(err):
		return ErrNotExist
	}
	return err
}

// notFound reports whether a server said that it has no such thing. An answer to
// HEAD has no code in it.
func notFound(err error) bool {
	switch status, code := serverSaid(err); code {
	case "NoSuchKey", "NoSuchBucket", "NotFound":
		return true
	case "":
		return status == http.StatusNotFound || status == http.StatusMovedPermanently
	}
	return false
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
	go func() {
		defer close(w.done)
		err := b.client.Put(inner, key, pr, !replace)
		if ctx.Err() != nil && err != nil {
			err = ctx.Err()
		}
		w.err = blobError(err)
		_ = pr.CloseWithError(w.err) // whoever writes is told
	}()
	return w, nil
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
	r, err := b.client.Get(ctx, key, offset, n)
	if err != nil {
		if _, code := serverSaid(err); code == "InvalidRange" {
			return http.NoBody, nil // the object ends before
		}
		return nil, blobError(err)
	}
	return r, nil
}

func (b blobs) stat(ctx context.Context, key string) (object, error) {
	bytes, mod, err := b.client.Stat(ctx, key)
	if err != nil {
		return object{}, blobError(err)
	}
	return object{key: key, bytes: bytes, mod: mod}, nil
}

func (b blobs) list(ctx context.Context, dir string, f func(object) error) error {
	var own error
	err := b.client.List(ctx, dir+"/", func(key string, bytes int64, mod time.Time) error {
		own = f(object{key: key, bytes: bytes, mod: mod})
		return own
	})
	if own != nil {
		return own
	}
	return blobError(err)
}

func (b blobs) dirs(ctx context.Context) ([]string, error) {
	names, err := b.client.Dirs(ctx)
	return names, blobError(err)
}

func (b blobs) remove(ctx context.Context, keys []string) error {
	return each(ctx, len(keys), func(ctx context.Context, i int) error {
		err := blobError(b.client.Delete(ctx, keys[i]))
		if errors.Is(err, ErrNotExist) {
			return nil
		}
		return err
	})
}

// Of returns a bucket that a client reaches, for tests of what fails.
func Of(c Client, bucketURL string) (*Bucket, error) {
	u, err := parseURL(bucketURL)
	if err != nil {
		return nil, fail(bucketURL, "open", err)
	}
	return newBucket(blobs{c}, u), nil
}
