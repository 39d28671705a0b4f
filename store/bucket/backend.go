package bucket

import (
	"context"
	"errors"
	"io"
	"time"
)

// A backend is what runs need of a bucket. Keys are slash-separated paths of the
// characters allowed in names. Its methods are safe for concurrent use.
type backend interface {
	// create starts an object that commit makes visible as a whole. Unless it replaces,
	// commit returns errTaken if the object exists by then; that one is durable.
	create(ctx context.Context, key string, replace bool) (objectWriter, error)

	// open reads n bytes from an offset on, or as many as there are. It returns
	// ErrNotExist if there is no such object, and another error if there is no such
	// bucket.
	open(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error)

	// stat returns the same errors as open.
	stat(ctx context.Context, key string) (object, error)

	// list calls f with every object under a directory, in no particular order.
	list(ctx context.Context, dir string, f func(object) error) error

	// dirs returns the directories at the top, in no particular order.
	dirs(ctx context.Context) ([]string, error)

	// remove removes objects, permanently once it returns. Missing objects are no error.
	remove(ctx context.Context, keys []string) error

	close() error
}

// An objectWriter belongs to one goroutine. Either commit or abort ends it.
type objectWriter interface {
	io.Writer
	commit() error
	abort()
}

type object struct {
	key   string
	bytes int64
	mod   time.Time
}

// commit returns errTaken if the object is there already, and errContended if concurrent
// writers kept each other from creating it.
var (
	errTaken     = errors.New("exists already")
	errContended = errors.New("several concurrent writers")
)

// write makes an object with the given body.
func write(ctx context.Context, b backend, key string, body []byte, replace bool) error {
	w, err := b.create(ctx, key, replace)
	if err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		w.abort()
		return err
	}
	return w.commit()
}

// read returns at most n bytes of an object from an offset on.
func read(ctx context.Context, b backend, key string, offset, n int64) ([]byte, error) {
	body, err := b.open(ctx, key, offset, n)
	if err != nil {
		return nil, err
	}
	got, err := io.ReadAll(io.LimitReader(body, n))
	return got, errors.Join(err, body.Close())
}
