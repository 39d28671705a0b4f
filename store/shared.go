package store

import "time"

// syncInterval is how long small entries that can be made again may wait for a sync. It
// bounds what a power cut or a kill costs.
const syncInterval = 100 * time.Millisecond

// SharedSync appends entries to a journal; those in quick succession share a sync. Until then
// Pebble holds a little of its log in the process. It is for one goroutine.
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

// Sync syncs the entries that are not on disk yet, if there are any; a nil SharedSync has none.
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

// SyncDue reports whether small entries that can be made again have waited long enough since
// the last sync.
func SyncDue(last time.Time) bool { return time.Since(last) > syncInterval }
