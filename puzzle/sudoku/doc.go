// Package sudoku generates the states and moves of Sudoku: grids that are filled digit
// by digit, so that no digit occurs twice in a row, column or box. The goal is a full
// grid.
//
// The package must never print, log, read a clock or a file, start a goroutine or keep
// state between calls; it imports the standard library only. A puzzle is safe for
// concurrent use. The same grid always has the same keys, move ids and order of
// successors: stored runs depend on them.
//
// # Grids
//
// A cell is a digit, or empty (. 0 _ *). Rows are lines, or are on one line, with or
// without slashes between them; blanks, | and lines of - = + | are layout. Grids have
// 1 to 9 rows.
//
//	puzzle: sudoku
//	name: a name
//	box: 2x3                rows x columns of a box; the default is 2x2 in a grid of 4
//	                        rows, 2x3 in one of 6, 2x4 in one of 8, 3x3 in one of 9
//	metric: row-major       or any-cell
//	moves: 51               promised number of digits to fill in
//	states: 149             promised number of states
//
// In the metric row-major a move fills the first empty cell in reading order; in
// any-cell it fills any. A move is legal if its digit does not clash with the digits
// in the grid, whether or not the grid can still be completed.
//
// # Keys
//
// Only cells that are empty at the start are part of a key. Such a cell has the value
// 0 while it is empty, otherwise the number, from 1, of its digit among those that
// clash with no given. A field of the key holds some consecutive cells in reading
// order, as the digits of a mixed-radix number, the first least significant. See
// field.
//
// # Moves
//
// Move c*side+d-1 fills the c-th of those cells, from 0, with digit d. It is written
// r1c2=5: row and column from 1, and the digit.
package sudoku
