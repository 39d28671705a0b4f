// Package database keeps the findings of a sweep in a directory, and answers
// which records there are in the order of their distance, their size, their
// pieces or their second attribute.
//
// # Layout
//
// The directory holds a Pebble store, db. Numbers in keys are big endian, so
// that keys sort as numbers do; "down" means that all bits are turned round, so
// that great numbers come first. An id is a record's: the number of its unit (4
// bytes) and its place in the findings of the unit (4 bytes).
//
//	m                           the version of this layout, one byte
//	p                           the rules, as text
//	n                           how many units there are, 4 bytes, if that is known
//	u <unit 4>                  totals of a unit that is committed
//	r <id 8>                    record
//	d <distance 2, down> <id>   index by distance, the greatest first
//	s <states 8, down> <id>     index by size of the cluster, the greatest first
//	v <pieces 1> <id>           index by pieces, fewest first
//	w <attribute 1> <id>        index by the second attribute (walls in Rush Hour),
//	                            least first
//
// Index entries have no value. A unit is committed with its records and their
// index entries in one batch, which is synced: all of it is there, or nothing.
// The bytes of records and totals are those of [sweep.Record.AppendBinary] and
// [sweep.Totals.AppendBinary].
//
// A database is for one process at a time to write; it must never hold records
// of a unit that is not committed, nor findings of other rules than its own.
package database
