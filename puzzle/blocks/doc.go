// Package blocks generates the states and moves of sliding block puzzles, like Klotski
// and Hua Rong Dao: pieces of any shape on a board of 1 to 16 cells per side slide up,
// down, left and right without turning, never through a wall or another piece. The
// goal is that named pieces, or shapes, are in their places.
//
// The package must never print, log, read a clock or a file, start a goroutine or keep
// state between calls; it imports the standard library and its neighbours under puzzle
// only. A puzzle is safe for concurrent use. The same board always has the same keys,
// move ids and order of successors: stored runs depend on them.
//
// # Files
//
// A file holds header lines "key: value", comment lines that start with ";", a
// blank line and one board:
//
//	puzzle: blocks          the family (aliases klotski and sliding-blocks)
//	name: Klotski           the board's name
//	metric: step            or slide or move
//	goal: A at r4c2         where the goal pieces go, see below
//	interchangeable: no     every piece is distinct; yes: pieces of one shape are not
//	moves: 116              promised length of the shortest solution, in the file's metric
//	states: 25955           promised number of states
//
// A board is rows of cells, or rows on one line separated by slashes: each letter or
// digit is one piece, whose cells touch by their sides, "." an empty cell, "#" a wall.
// A board has at most 62 pieces.
//
// Pieces of one shape are interchangeable, except the piece A or, if there is a goal,
// the pieces that it names. These are drawn with their own letters, and the others
// with B, C, D and so on in the order of their first cells, row by row.
//
// The goal "A at r4c2" is the row and column of the top left corner of the piece's
// bounding box; "A at r4c2; F at r1c1" requires both. "A at 3,1" is the same with both
// from 0, as in the texts of boards that Everystate writes. A goal may also be a
// picture of the board, "..../..../..../.AA./.AA.": each of its pieces must be exactly
// there. A letter of a distinct piece means that piece, any other letter some
// interchangeable piece of the shape shown, and "." allows anything. Without a goal no
// state is one.
//
// # Metrics
//
//   - step: one piece moves one cell.
//   - slide: one piece moves any distance in one direction.
//   - move: one piece moves along any path of steps, corners included, to another
//     place, while all others stay.
//
// # Keys and moves
//
// Classes are the sets of interchangeable pieces, larger pieces first, then in the
// order of the board. A key holds the places of the pieces of each class: see ranking
// for boards of up to 64 cells whose tables stay small, and sequence for the rest.
//
// A move is the first cell of a piece, row by row, before and after it. No two pieces
// have the same first cell, so interchangeable pieces need no names, and exchanging
// the two cells gives the inverse move. Ids count the moves that a piece of the puzzle
// could make if it were alone on the board, by the cell before, then by the cell
// after. A move is written with the cell before: r4c2-down in steps, r4c2-down2 in
// slides, r4c2-r5c3 in moves.
//
// # Symmetries
//
// A symmetry is a rotation or reflection of the floor that maps the start to itself,
// with the pieces of each class in the places of one class, and the goals of that class
// to those of the other. Which cell of a piece is the first in its image depends on its
// shape, so the puzzle whose states are merged tells moves of different shapes apart:
// see shaped. Names of moves are the same. Images of keys are looked up by group where
// every symmetry maps groups to groups, and otherwise made piece by piece: see action.
package blocks
