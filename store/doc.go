// Package store keeps the layers of a run on one machine: segments (sorted
// records in Pebble), the journal that records which of them are committed, and
// scratch files for what does not fit in memory.
//
// It knows bytes and widths, not puzzles. It must never decide how states are
// packed or which layers are committed: callers tell it.
//
// Invariants:
//   - Records are written in bulk, in blocks of up to BlockRecords: there is no
//     point write per record and no point read per candidate.
//   - What Finish has written does not count until the journal names its epoch.
//     The journal entry is written after it, in the same log, so a crash never
//     leaves an entry without its records.
//   - Every block of a segment and every journal entry carries a checksum over
//     its bytes and its key. Corrupted bytes are reported with file and place,
//     never returned as data.
//
// A Store is safe for concurrent use. Writers, Cursors and Scratch files belong
// to one goroutine each.
package store
