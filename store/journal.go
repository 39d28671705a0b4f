package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/cockroachdb/pebble/v2"
)

// The journal is the record of truth of a run: numbered entries whose meaning
// is the caller's business. They are only appended, or dropped from the end by
// TruncateJournal.

const journalPrefix = 'j'

// EntryBytesMax bounds a journal entry: a layer of partition.Max partitions
// with ten bytes each, and room for its other fields.
const EntryBytesMax = 1 << 20

func journalKey(n uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{journalPrefix}, n)
}

// AppendJournal appends an entry. With sync, it and everything written before
// are on disk when the call returns.
func (s *Store) AppendJournal(entry []byte, sync bool) error {
	return AppendEntries(s, [][]byte{entry}, sync)
}

// AppendEntries appends entries, all of them or, if the process or the machine fails
// meanwhile, none. sync is as with AppendJournal.
func AppendEntries(s *Store, entries [][]byte, sync bool) error {
	s.mu.Lock()
	first := s.journalEnd
	s.mu.Unlock()
	n := first
	batch := s.db.NewBatch()
	for _, entry := range entries {
		if len(entry) > EntryBytesMax {
			return fmt.Errorf("journal entry of %d bytes: at most %d", len(entry), EntryBytesMax)
		}
		key := journalKey(n)
		value := append([]byte(nil), entry...)
		value = binary.LittleEndian.AppendUint32(value, entrySum(key, entry))
		if err := batch.Set(key, value, nil); err != nil {
			return fmt.Errorf("journal entry %d: %w", n, err)
		}
		n++
	}
	opt := pebble.NoSync
	if sync {
		opt = pebble.Sync
	}
	// The batch is closed where it is committed: a call that a fatal error has parked
	// still holds it, and Pebble would give a closed one to the next caller.
	if err := s.guard.Do(func() error { return errors.Join(batch.Commit(opt), batch.Close()) }); err != nil {
		return fmt.Errorf("journal entry %d: %w", first, err)
	}
	s.mu.Lock()
	s.journalEnd = n
	s.mu.Unlock()
	return nil
}

// TruncateJournal durably drops all entries from number n on.
func (s *Store) TruncateJournal(n uint64) error {
	s.mu.Lock()
	end := s.journalEnd
	s.mu.Unlock()
	if n >= end {
		return nil
	}
	err := s.guard.Do(func() error {
		return s.db.DeleteRange(journalKey(n), []byte{journalPrefix + 1}, pebble.Sync)
	})
	if err != nil {
		return fmt.Errorf("drop journal entries from %d on: %w", n, err)
	}
	s.mu.Lock()
	s.journalEnd = n
	s.mu.Unlock()
	return nil
}

func entrySum(key, entry []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli()), castagnoli(), entry)
}

// Journal calls f with each entry in order. f must not retain the slice.
func (s *Store) Journal(f func(entry []byte) error) error {
	n := uint64(0)
	err := s.eachJournal(func(key, value []byte) error {
		where := fmt.Sprintf("%s: journal entry %d", s.dir, n)
		if !bytes.Equal(key, journalKey(n)) {
			return &CorruptionError{Where: where, What: "is missing"}
		}
		body := len(value) - 4
		if body < 0 || entrySum(key, value[:body]) != binary.LittleEndian.Uint32(value[body:]) {
			return &CorruptionError{Where: where, What: "checksum does not match"}
		}
		n++
		return f(value[:body])
	})
	return s.explain(err)
}

func (s *Store) eachJournal(f func(key, value []byte) error) (err error) {
	it, err := s.newIter([]byte{journalPrefix}, []byte{journalPrefix + 1})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := s.closeIter(it); err == nil {
			err = cerr
		}
	}()
	for ok := it.First(); ok; ok = it.Next() {
		value, verr := it.ValueAndErr()
		if verr != nil {
			return verr
		}
		if err := f(it.Key(), value); err != nil {
			return err
		}
	}
	return it.Error()
}

func (s *Store) findJournalEnd() error {
	return s.explain(s.eachJournal(func(key, _ []byte) error {
		if len(key) != 9 {
			return &CorruptionError{Where: s.dir, What: "a journal key has the wrong length"}
		}
		s.journalEnd = binary.BigEndian.Uint64(key[1:]) + 1
		return nil
	}))
}
