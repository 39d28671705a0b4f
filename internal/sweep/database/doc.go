// Package database stores the findings of a sweep in a directory, and lists the
// records in order of distance, size, pieces, second attribute or grade.
//
// # Layout
//
// The directory holds a Pebble store, db. Numbers in keys are big endian, so that
// keys sort as numbers do; "down" means that all bits are inverted, so that large
// numbers come first. An id names a record: the number of its unit (4 bytes) and its
// place in the unit's findings (4 bytes).
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
//	g <unit 4> <place/64 4>     measures of up to 64 records of a unit
//	c <block 4>                 columns: the numbers of 16,384 records, by id
//	z                           sum of all units, and how many records there are
//
// Columns and the sum are written when the sweep is complete, and replace the indexes:
// the layout then has version 2, before that and in databases of earlier versions 1. The
// columns are a few bytes per record and read whole; then a query reads only the
// records that it prints, and with the sum a database opens without reading all units.
// Measures are there if somebody asked for them.
//
// Index entries have no value. A unit is committed with its records and their index
// entries in one batch, so all of it is there or nothing; batches within 100 ms share a
// sync. The bytes of records and totals are those of [sweep.Record.AppendBinary] and
// [sweep.Totals.AppendBinary].
//
// Many may read a database at the same time, in one process or several, also on a
// read-only file system. Whoever writes it has it alone, because Pebble removes files that
// readers still need; a lock on db/LOCK ensures that, and nobody waits for it. A database
// must never hold records of an uncommitted unit, nor findings of rules other than its own.
package database
