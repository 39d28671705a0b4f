package security

import (
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"
)

// reloaded is what was read from files. It is reread when one of them changes.
type reloaded[T any] struct {
	paths []string
	read  func() (T, error)
	log   *slog.Logger

	mu     sync.Mutex // guards the fields below
	stamps []stamp    // of the files, when they were last read
	value  T
}

// stamp identifies a version of a file's contents.
type stamp struct {
	changed time.Time
	size    int64
}

// keep reads files for the first time.
func keep[T any](log *slog.Logger, read func() (T, error), paths ...string) (*reloaded[T], error) {
	k := &reloaded[T]{paths: paths, read: read, log: log}
	// Stamps first, so that a change while reading causes a reread.
	k.stamps = k.look()
	var err error
	k.value, err = read()
	return k, err
}

// look returns the stamps of the files, zero for missing ones.
func (k *reloaded[T]) look() []stamp {
	stamps := make([]stamp, len(k.paths))
	for i, path := range k.paths {
		if info, err := os.Stat(path); err == nil {
			stamps[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return stamps
}

// get returns the contents of the files. While they are unusable, as when one of a
// pair is still missing, it returns their previous contents.
func (k *reloaded[T]) get() T {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.look()
	if slices.Equal(now, k.stamps) {
		return k.value
	}
	k.stamps = now
	value, err := k.read()
	if err != nil {
		k.log.Warn("cannot load changed credentials; the old ones stay in force", "error", err)
		return k.value
	}
	k.log.Info("loaded changed credentials", "file", k.paths[0])
	k.value = value
	return value
}
