package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

const (
	entriesMax = 100_000_000 // eight digits

	// contendedTriesMax bounds how often Append retries when several concurrent writers
	// kept each other from getting the number.
	contendedTriesMax = 6
)

// Log returns the entries from a number on, up to the first missing number, or none. It
// requests the first entries one by one, then more and more at once, so polling takes
// one request if there is nothing new. From 0 on, it lists the log too, and returns a
// *HoleError with the entries before it if there are later ones.
func (r *Run) Log(ctx context.Context, from int) ([][]byte, error) {
	if r.bad != nil {
		return nil, r.bad
	}
	if from < 0 || from > entriesMax {
		return nil, fmt.Errorf("%s: no entry has number %d", r.where(logDir), from)
	}
	var entries [][]byte
	whole := from == 0
	for ahead := 1; ; ahead = min(2*ahead, requestsAtOnceMax) {
		window := make([][]byte, min(ahead, entriesMax-from))
		err := each(ctx, len(window), func(ctx context.Context, i int) error {
			entry, err := r.entry(ctx, from+i)
			if errors.Is(err, ErrNotExist) {
				return nil
			}
			window[i] = entry
			return err
		})
		if err != nil {
			return nil, err
		}
		for i, entry := range window {
			if entry == nil {
				if n := from + i; whole && n > 0 {
					err = r.checkHole(ctx, "read", n)
				}
				return entries, err
			}
			entries = append(entries, entry)
		}
		if from += len(window); from == entriesMax {
			return entries, nil
		}
	}
}

// entry returns an entry, which is not nil even if it is empty.
func (r *Run) entry(ctx context.Context, n int) ([]byte, error) {
	return r.readFrame(ctx, entryKey(n), entryMagic, uint64(n))
}

func (r *Run) readFrame(ctx context.Context, object, magic string, number uint64) ([]byte, error) {
	frame, err := read(ctx, r.bucket.backend, r.key(object), 0, frameSize+EntryBytesMax+1)
	if err != nil {
		return nil, r.fail("read", object, err)
	}
	body, wrong := decodeFrame(frame, magic, number)
	if wrong != "" {
		return nil, &CorruptionError{Where: r.where(object), What: wrong}
	}
	return body, nil
}

// Append creates entry n of the log if there is none. It returns a *TakenError if a
// different entry is there, and nil if an equal one is, as when a call is repeated after
// a lost reply. So writers that compete for a number put something of their own into the
// entry. It does not check that entry n-1 exists: that is up to the caller. But the
// first Append lists the log, and returns a *HoleError if n is missing among later
// numbers.
//
// Entry 0 begins the run and is created before all its other objects. While anything is
// left of a deleted run, Append refuses it with ErrRemains.
//
// After any other error the entry may have been created or may still be: call Append
// again with the same entry, or read the log.
func (r *Run) Append(ctx context.Context, n int, entry []byte) error {
	switch {
	case r.bad != nil:
		return r.bad
	case n < 0 || n >= entriesMax:
		return fmt.Errorf("%s: no entry has number %d", r.where(logDir), n)
	case len(entry) > EntryBytesMax:
		return fmt.Errorf("%s: an entry of %d bytes is more than %d", r.where(entryKey(n)), len(entry), EntryBytesMax)
	}
	if n == 0 {
		if err := r.checkRemains(ctx); err != nil {
			return err
		}
	}
	if n > 0 && !r.listed.Load() {
		if err := r.checkHole(ctx, "append", n); err != nil {
			return err
		}
		r.listed.Store(true)
	}
	frame := encodeFrame(entryMagic, uint64(n), entry)
	for try := 1; ; try++ {
		err := write(ctx, r.bucket.backend, r.key(entryKey(n)), frame, false)
		if err == nil {
			return nil
		}
		// Whatever went wrong, the entry may be there: the server may have made it, the
		// reply been lost, and the library retried by itself.
		there, readErr := r.entry(ctx, n)
		switch {
		case readErr == nil && bytes.Equal(there, entry):
			return nil
		case readErr == nil:
			return r.fail("append", entryKey(n), &TakenError{N: n, Entry: there})
		case IsCorruption(readErr):
			return readErr
		case errors.Is(err, errTaken) && !errors.Is(readErr, ErrNotExist):
			return readErr
		case !errors.Is(err, errTaken) && !errors.Is(err, errContended), try == contendedTriesMax:
			return r.fail("append", entryKey(n), err)
		}
		if err := backOff(ctx, try); err != nil {
			return r.fail("append", entryKey(n), err)
		}
	}
}

// checkRemains returns ErrRemains if there are objects of the run but no entry 0.
func (r *Run) checkRemains(ctx context.Context) error {
	b := r.bucket.backend
	first := r.key(entryKey(0))
	if _, err := b.stat(ctx, first); !errors.Is(err, ErrNotExist) {
		return r.fail("stat", entryKey(0), err)
	}
	errSome := errors.New("some")
	err := b.list(ctx, r.name, func(object) error { return errSome })
	if !errors.Is(err, errSome) {
		return r.fail("list", "", err)
	}
	// Another writer may have begun the run in between.
	if _, err := b.stat(ctx, first); !errors.Is(err, ErrNotExist) {
		return r.fail("stat", entryKey(0), err)
	}
	return r.fail("append", "", ErrRemains)
}

// checkHole returns a *HoleError if entry n is missing but later ones exist: then the
// log does not end there, but has lost an entry.
func (r *Run) checkHole(ctx context.Context, op string, n int) error {
	last := n
	err := r.bucket.backend.list(ctx, r.key(strings.TrimSuffix(logDir, "/")), func(o object) error {
		info := ObjectInfo{Name: strings.TrimPrefix(o.key, r.name+"/")}
		if number, ok := info.Entry(); ok {
			last = max(last, number)
		}
		return nil
	})
	if err != nil {
		return r.fail("list", logDir, err)
	}
	if last == n {
		return nil
	}
	// Another writer may have appended in between.
	if _, err := r.bucket.backend.stat(ctx, r.key(entryKey(n))); !errors.Is(err, ErrNotExist) {
		return r.fail("stat", entryKey(n), err)
	}
	return r.fail(op, entryKey(n), &HoleError{N: n, Last: last})
}

// backOff waits before try number try+1: some 100 ms after the first, then twice as long
// each time.
func backOff(ctx context.Context, try int) error {
	base := 50 * time.Millisecond << min(try-1, 6)
	t := time.NewTimer(base + rand.N(base))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
