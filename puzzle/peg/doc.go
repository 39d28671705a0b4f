// Package peg generates the states and moves of peg solitaire on boards of any
// shape: a peg jumps over a neighbour into the empty hole straight behind it, and
// the peg that it jumped over is taken off. The goal is that one peg is left, or a
// hole or arrangement that the board names.
//
// The package must never print, log, read a clock or a file, start a goroutine or
// keep state between calls; it imports the standard library only. A puzzle is safe
// for concurrent use. The same board always has the same keys, the same move ids
// and the same order of successors: stored runs depend on them.
//
// # Boards
//
// A hole is a peg (o, or throughout a board * or x) or empty (.); a blank or # is no
// hole. Rows are lines, or stand on one line with slashes between them, of which each
// may have a blank on either side. There are two kinds of boards:
//
//   - peg-square: a hole has four neighbours.
//   - peg-tri: row r has r+1 holes, and blanks mean nothing. Hole (r,c) has the
//     neighbours (r,c-1), (r,c+1), (r-1,c), (r+1,c), (r-1,c-1), (r+1,c+1).
//
// A board is peg-tri if the header puzzle says so, or if its rows have 1, 2, 3, ...
// holes of which no two touch: no jump would be possible on such a square one.
//
//	puzzle: peg             or peg-square, peg-tri; alias peg-solitaire
//	name: English           the board's name
//	metric: jump            the only one
//	goal: d4                where the last peg is to be, or the holes of a whole
//	                        arrangement in reading order (... / .o. / ...)
//	symmetry: on            merge states: off, on or start, see below
//	moves: 31               promised length of the shortest solution
//	states: 187636299       promised number of states
//
// A hole is named by the letter of its column, from a, and the number of its row,
// from 1 at the top; in a triangle columns count the row's holes. A jump is written
// d2-d4.
//
// # Keys
//
// Every jump turns over three holes in a line. What the jumps can make of the start
// is therefore a coset of the linear space over the two-element field that those
// triples span, which on the English board has 29 dimensions, not 33: the four
// others are the parities known as position classes. A key has one bit for each
// dimension: the contents of some holes, from which the others follow. See coset.
//
// # Moves
//
// Jumps are numbered by axis (along rows, along columns, and in a triangle along the
// diagonal from top left to bottom right), by direction on it (forwards first), and
// by the jump's first hole in reading order.
//
// # Symmetry
//
// With symmetry on, states that are turned or mirrored into one another are one: the
// one with the least key stands for all. The symmetries are those of the board's
// holes and of the goal. Then the space is that of the start and all its images, and
// a state's weight is the number of states merged into it. With symmetry start they
// are only those that leave the start as it is, so that the weights of a layer add up
// to the layer without symmetry.
//
// A move is then a jump and a symmetry, the first one that makes the result the one
// that stands for all: it is written d2-d4 r90, jump first and then turn clockwise by
// 90 degrees; m90 is to mirror left and right before the turn. Its number is the
// jump's times the number of symmetries, and that of the symmetry.
package peg
