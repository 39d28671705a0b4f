// Package rushhour generates the states and moves of Rush Hour boards: straight
// vehicles on a rectangle of 1 to 16 cells per side, which move forwards and backwards
// along their own row or column and never through a wall or another vehicle. A state
// is a goal if the goal vehicle touches the exit edge: its outermost cell lies in the
// last column or row on the exit's side.
//
// The package must never print, log, read a clock or a file, start a goroutine or keep
// state between calls; it imports the standard library only. A puzzle is safe for
// concurrent use. The same board always has the same keys, move ids and order of
// successors: stored runs depend on them.
//
// # Files
//
// A file holds header lines "key: value", comment lines that start with ";", and
// boards. A blank line ends a board; one-line boards may follow one another without
// blank lines. Blanks at the ends of lines, carriage returns and a byte order mark are
// ignored.
//
// The headers puzzle, metric, exit, goal, notation and size before the first board
// apply to all boards of the file; before a later board they apply up to the next
// blank line. The headers name, vertical, horizontal, moves and states always apply to
// the next board only. None may be given twice before a board.
//
//	puzzle: rush-hour       the family
//	name: Jam 93            the board's name
//	metric: step            or slide (aliases unit and move)
//	exit: right             left, right, top, bottom: an end of the goal vehicle's line
//	goal: A                 the goal vehicle's letter
//	notation: letters       letters, letters-extended, line, database, types, pairs
//	size: 6x6               rows x columns
//	vertical: C D           single-cell vehicles that move up and down
//	horizontal: E           single-cell vehicles that move left and right (the default)
//	moves: 93               promised length of the shortest solution, in the file's metric
//	states: 24132           promised number of states
//
// # Notations
//
// A cell is empty (. o - _), a wall (x #) or part of a vehicle.
//
//   - letters: rows, one upper-case letter per vehicle. The goal vehicle is X or A
//     or R, see the goal rule below.
//   - letters-extended: the same, with 0-9 and the lower-case letters other than
//     o and x as further vehicles. It is never guessed: it needs the header.
//   - line: the same cells on one line, row after row. Without a size the
//     board is square, 3x3 to 16x16. A line of more than 16 cells, or one that
//     stands alone and has a square's length, is recognised as this notation.
//   - database: "60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332": the moves of the
//     shortest solution counted in slides, the board, the number of states.
//   - types: one symbol per kind of vehicle, which many vehicles may share: the
//     digit n is a horizontal vehicle of n cells, the n-th capital letter a vertical
//     one of n cells, X the goal vehicle. Row by row, the first cell not yet taken is
//     the left or top end of a vehicle, so 2222 is two vehicles.
//   - pairs: "[(17,18),(1,15),...]": the end cells of each vehicle on a 6x6 board
//     whose cells are numbered 7*row+column, rows from 0, columns from 1. The
//     first vehicle is the goal vehicle, in the third row, its exit cell 20.
//
// Rows may also be on one line, separated by " / ".
//
// The goal rule of the letters: the vehicle named by the header goal. Otherwise X, if
// there is no A, or if no other vehicle has one of the letters S to W, Y and Z: cards
// that call the goal vehicle X do not use those, and on boards that do, X is a letter
// like any other. Otherwise A. Otherwise R.
//
// # Keys and moves
//
// A line is a segment without walls of a row with its horizontal vehicles, or of a
// column with its vertical ones, that contains at least one vehicle. Rows come first,
// top to bottom, then columns, left to right, segments in order along each. A key has
// one field per line, the rank of the line's placement; [line] describes the rank and
// setFields the packing of fields.
//
// Move ids count by line, then by vehicle along the line, left or up before right or
// down, and for slides by distance from 1 to the line's number of free cells. A
// vehicle in a line without free cells has no ids. A move is written as vehicle, sign
// and distance: A+2 is two cells to the right or down, C-1 one to the left or up.
package rushhour
