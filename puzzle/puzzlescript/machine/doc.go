// Package machine runs a compiled PuzzleScript game as the language's reference
// implementation does: turns, rules, movements and commands, and whole sessions with
// undo, restarts, checkpoints and levels.
//
// A level is kept twice, by cell and by object: one bit per cell for each object and
// each movement. A rule is matched in all cells at once with a few operations on
// words. Its matches are then processed one by one, because the language applies them
// in order.
//
// It must never change a game, nor ask for time or chance: random numbers come from a
// seed that the caller gives. A machine belongs to one goroutine.
package machine
