// Package machine runs a compiled PuzzleScript game: turns, rules, movements,
// commands, and whole sessions with undo, restarts, checkpoints and levels, as the
// language's reference implementation has them.
//
// A level is kept twice, by cell and by object: a bit per cell for each object and
// each movement. A rule is looked for in all cells at once with a few operations on
// words, and its matches are then looked at one by one, because the language
// applies them in order.
//
// It must never change a game, nor ask for time or chance: random numbers come
// from a seed that the caller gives. A machine belongs to one goroutine.
package machine
