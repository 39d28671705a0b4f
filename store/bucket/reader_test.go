package bucket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"syscall"
	"testing"
)

// breaking is a bucket whose connections break after so many bytes.
type breaking struct {
	backend
	after int64
	err   error
	opens int
}

func (b *breaking) open(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error) {
	body, err := b.backend.open(ctx, key, offset, n)
	if err != nil || n <= indexGuessBytes {
		return body, err
	}
	b.opens++
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(io.LimitReader(body, b.after), errReader{b.err}), body}, nil
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// A reader goes on where a connection broke, and not where the object ended.
func TestBrokenReads(t *testing.T) {
	p := filePlace(t)
	r := p.open(t).Run("r")
	object := ObjectName(1, 1, 1, "w")
	b := someBlocks(3, 60, 60<<10)
	size := writeLayer(t, r, object, b)
	if size < 2*wholeBytesMax {
		t.Fatalf("%d bytes are too few", size)
	}
	broken := &breaking{backend: r.bucket.backend, after: 700_001, err: syscall.ECONNRESET}
	half := *r.bucket
	half.backend = broken
	checkLayer(t, half.Run("r"), object, b)
	if broken.opens < 4 {
		t.Errorf("%d requests: nothing broke", broken.opens)
	}

	for _, test := range []struct {
		after           int64
		err             error
		text            string
		corrupted, some bool
	}{
		{700_001, io.EOF, "corrupted: it is shorter than its size", true, true},
		{700_001, syscall.EIO, "read: input/output error", false, true},
		{0, syscall.ECONNRESET, "read: connection reset by peer", false, false},
	} {
		broken.after, broken.err = test.after, test.err
		l, err := half.Run("r").OpenLayer(t.Context(), object)
		must(t, err)
		some := false
		err = l.ReadAll(t.Context(), b.parts(), func(part uint32, block []byte) error {
			some = true
			if !slices.ContainsFunc(b[part], func(w []byte) bool { return bytes.Equal(w, block) }) {
				t.Error("a block differs from what was written")
			}
			return nil
		})
		wantError(t, err, test.text)
		if IsCorruption(err) != test.corrupted || some != test.some {
			t.Errorf("corruption %v, some blocks %v: %v", IsCorruption(err), some, err)
		}
	}

	// Cancelled while it waits to go on.
	ctx, cancel := context.WithCancel(t.Context())
	l, err := half.Run("r").OpenLayer(ctx, object)
	must(t, err)
	cancel()
	err = l.Read(ctx, 0, func([]byte) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
}

// An entry that was created although the call failed is found to be there.
func TestLostReplies(t *testing.T) {
	r := cloudPlace(t).open(t).Run("r")
	lossy := *r.bucket
	lossy.backend = losing{r.bucket.backend}
	mine := lossy.Run("r")
	for n := range 3 {
		must(t, mine.Append(t.Context(), n, []byte{byte(n)}))
	}
	err := mine.Append(t.Context(), 1, []byte("another"))
	var taken *TakenError
	if !errors.As(err, &taken) {
		t.Errorf("got %v, want that the number is taken", err)
	}
	writeLayer(t, mine, ObjectName(1, 1, 1, "w"), blocks{1: {[]byte("x")}})
	checkLayer(t, r, ObjectName(1, 1, 1, "w"), blocks{1: {[]byte("x")}})
}

// losing creates objects and says that it could not.
type losing struct{ backend }

func (l losing) create(ctx context.Context, key string, replace bool) (objectWriter, error) {
	w, err := l.backend.create(ctx, key, replace)
	return losingWriter{w}, err
}

type losingWriter struct{ objectWriter }

func (w losingWriter) commit() error {
	_ = w.objectWriter.commit()
	return syscall.ECONNRESET
}
