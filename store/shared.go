package store

import "time"

// syncInterval is how long what is small and can be made again may wait to be on disk. It
// bounds what a power cut or a kill costs.
const syncInterval = 100 * time.Millisecond

// SharedSync appends to a journal what follows in quick succession, so that much of it
// shares a sync. Until then Pebble holds a little of its log in the process. It is for one
// goroutine.
type SharedSync struct {
	store   *Store
	synced  time.Time
	pending bool
}

// ShareSyncs returns a SharedSync that has just synced.
func ShareSyncs(s *Store) *SharedSync { return &SharedSync{store: s, synced: time.Now()} }

// Append is [AppendEntries], with a sync if that is wanted now, or if the last is more than
// 100 ms ago.
func (j *SharedSync) Append(entries [][]byte, now bool) error {
	now = now || SyncDue(j.synced)
	if err := AppendEntries(j.store, entries, now); err != nil {
		return err
	}
	if j.pending = !now; now {
		j.synced = time.Now()
	}
	return nil
}

// Sync has on disk what is not yet, if there is any. Of nil there is none.
func (j *SharedSync) Sync() error {
	if j == nil || !j.pending {
		return nil
	}
	if err := j.store.Sync(); err != nil {
		return err
	}
	j.pending, j.synced = false, time.Now()
	return nil
}

// SyncDue reports whether what is small and can be made again has waited for long enough
// since the last sync.
func SyncDue(last time.Time) bool { return time.Since(last) > syncInterval }
