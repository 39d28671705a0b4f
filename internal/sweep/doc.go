// Package sweep goes through all boards of a kind and keeps those that are worth
// keeping. It knows what a unit of work is, what a unit finds, and how findings
// add up; which boards there are is the affair of an [Enumeration], such as that
// of package internal/sweep/rushhour, and where findings are kept that of a [Sink], such
// as that of package internal/sweep/database.
//
// # Units
//
// An enumeration divides its boards into units, numbered from 0. Which boards a
// unit has follows from the rules alone: not from the machine, the number of
// workers, or how much of the sweep is asked for. What a unit finds is a pure
// function of the rules and its number, in the same order every time. So units
// can be done in any order, anywhere, and twice.
//
// # Digest
//
// [Totals] add up in any order, and so does their digest, which covers every
// record and every count. Two sweeps with the same digest found the same, but
// for chance.
//
// The package must never read a clock, print, or decide anything by the order in
// which units end.
package sweep
