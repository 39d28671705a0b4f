// Package peg generates the states and moves of peg solitaire on boards of any shape:
// a peg jumps over a neighbour into the empty hole straight behind it, and the peg it
// jumped over is removed. The goal is that one peg is left, or a hole or arrangement
// that the board names.
//
// The package must never print, log, read a clock or a file, start a goroutine or keep
// state between calls; it imports the standard library only. A puzzle is safe for
// concurrent use. The same board always has the same keys, move ids and order of
// successors: stored runs depend on them.
//
// # Boards
//
// A hole has a peg (o, or throughout a board * or x) or is empty (.); a blank or # is
// not a hole. Rows are lines, or are on one line separated by slashes, each of which
// may have a blank on either side. There are two kinds of boards:
//
//   - peg-square: a hole has four neighbours.
//   - peg-tri: row r has r+1 holes, and blanks are ignored. Hole (r,c) has the
//     neighbours (r,c-1), (r,c+1), (r-1,c), (r+1,c), (r-1,c-1), (r+1,c+1).
//
// A board is peg-tri if the header puzzle names it, or if its rows have 1, 2, 3, ...
// holes of which no two touch: such a square board would have no jumps.
//
//	puzzle: peg             or peg-square, peg-tri; alias peg-solitaire
//	name: English           the board's name
//	metric: jump            the only one
//	goal: d4                where the last peg must be, or the holes of a whole
//	                        arrangement in reading order (... / .o. / ...)
//	moves: 31               promised length of the shortest solution
//	states: 187636299       promised number of states
//
// A hole is named by the letter of its column, from a, and the number of its row, from
// 1 at the top; in a triangle columns count the row's holes. A jump is written d2-d4.
//
// # Keys
//
// Every jump flips three holes in a line. The states that jumps can make of the start
// are therefore in a coset of the linear space over the two-element field that those
// triples span. On the English board this has 29 dimensions instead of 33: the other
// four are the parities known as position classes. A key has one bit per dimension:
// the contents of some holes, which determine the others. See coset.
//
// # Moves
//
// Jumps are numbered by axis (along rows, along columns, and in a triangle along the
// diagonal from top left to bottom right), by direction on it (forwards first), and
// by the jump's first hole in reading order.
//
// # Symmetry
//
// With symmetry on, states that are rotations or reflections of one another are merged
// (package symmetry): the one with the least key represents all. The symmetries are
// those that preserve both the board's holes and the goal. The space is then that of
// the start and all its images. With symmetry start, only symmetries that preserve the
// start too are used, so the weights of a layer add up to the size of the layer
// without symmetry.
//
// The name of a symmetry is r and the angle of a clockwise rotation, or m and the angle
// of one that follows a left-right reflection.
package peg
