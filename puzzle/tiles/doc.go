// Package tiles generates the states and moves of sliding tile puzzles: numbered
// tiles on a rectangle of 2 to 16 cells with one hole, the 8-puzzle and the
// 15-puzzle among them. The goal is one arrangement.
//
// The package must never print, log, read a clock or a file, start a goroutine or keep
// state between calls; it imports the standard library and puzzle/... only. A puzzle
// is safe for concurrent use. The same board always has the same keys, move ids and
// order of successors: stored runs depend on them.
//
// # Files
//
// A file holds header lines and one board: rows of numbers separated by blanks, with 0
// or one of . _ - for the hole. Rows may also be on one line, separated by " / ", as
// in the header goal; a square number of cells on one line needs no slashes.
//
//	puzzle: tiles           the family
//	name: Eight             the board's name
//	metric: tile            or line
//	size: 1x4               rows and columns of a board on one line without slashes
//	any: 5 6 7              indistinguishable tiles, also written x: see pattern
//	goal: 1 2 3 / 4 5 0     the goal; without it 1, 2, 3, ... with the hole last
//	moves: 21               promised length of the shortest solution, in the file's metric
//	states: 360             promised number of states
//
// # Moves
//
// A move is named by the direction in which tiles move into the hole: U, D, L, R. With
// the metric tile, one tile moves one cell. With the metric line, any number of tiles
// of the hole's row or column move together by one cell, and a number after the
// direction gives their number, if it is not one: L2 moves two tiles to the left.
//
// # Keys
//
// The board is read along its shorter side: row by row, or column by column if it has
// more columns than rows. These lines of cells are called lanes. With the n tiles in
// that order, without the hole, a key is
//
//	rank * cells + cell of the hole
//
// where rank is the lexicographic rank of the order among all n! orders: a number
// whose digits (the Lehmer code) count, for each tile, how many of the tiles after it
// are smaller, the first tile most significant. A key has as many bits as the greatest
// key, 29 for 3x4 and 45 for 4x4. [lanes] describes how moves change keys.
package tiles
