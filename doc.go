// Package everystate enumerates every state that a puzzle can reach, exactly, and
// answers questions about that space: how many states lie at each depth, which are the
// hardest, and how to get from one to another.
//
// [Read] reads a board of any puzzle that Everystate knows; for a puzzle of your own,
// wrap your [puzzle.Puzzle] in a [puzzle.Board]. [New] begins a run in memory and
// [Create] one in a directory, [Run.Explore] explores it, and the other methods of
// [Run] query what was found. Zero values ask for everything, without limits.
//
// States are keys, slices of words that only their puzzle can read: Format and
// Parse of [puzzle.Puzzle] convert between keys and text.
//
// This package exposes the engine to other programs. It must never explore, decide or
// store anything itself, print, or read flags or the environment.
//
// # Concurrency
//
// Queries may run concurrently, but not during Explore or Close. Calls that may take
// long take a context and return soon after it is cancelled. Runs are independent of
// one another, except for the garbage collector's memory limit, which belongs to the
// process: the Explore that began last sets it.
//
// # Stability
//
// The promise covers this package and [puzzle], the interface for puzzles.
//
//   - Within a major version, names, signatures and meanings stay. Structs may gain
//     fields whose zero value keeps the old behaviour: use field names in literals.
//     Before v1.0.0 a minor version may break this; CHANGELOG.md says how.
//   - Use the variables and predicates of this package to distinguish errors. Error
//     texts may change.
//   - Later versions read a directory of an earlier one, or refuse it in one line that
//     says why. Earlier versions need not read what later ones write.
//   - Counts, depths, goal distances, digests and paths of a board are the same on
//     every machine, with any number of workers and any memory, and in every later
//     version. The order of states within a layer is not promised.
//   - All other packages of the module may change in any version.
package everystate
