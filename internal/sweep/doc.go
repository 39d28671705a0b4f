// Package sweep enumerates all boards of a kind and keeps those worth keeping. It
// defines units of work, their findings, and how findings add up. An [Enumeration],
// such as that of package internal/sweep/rushhour, defines which boards there are; a
// [Sink], such as that of package internal/sweep/database, stores the findings.
//
// # Units
//
// An enumeration divides its boards into units, numbered from 0. Which boards a unit
// holds depends on the rules alone: not on the machine, the number of workers, or how
// much of the sweep is wanted. The findings of a unit are a pure function of the
// rules and its number, always in the same order. So units can be done in any order,
// on any machine, and more than once.
//
// # Digest
//
// [Totals] can be added in any order, and so can their digest, which covers every
// record and every count. Two sweeps with the same digest found the same, barring a
// hash collision.
//
// The package must never read a clock, print, or let the order in which units end
// decide anything.
package sweep
