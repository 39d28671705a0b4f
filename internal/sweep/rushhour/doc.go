// Package rushhour enumerates all Rush Hour boards that given rules allow, in units
// of work, and finds their clusters and the puzzles among them.
//
// It is a pure function of the rules and the number of a unit. It shares no code with
// package puzzle/rushhour, which explores single boards, so each checks the other. It
// must never do I/O, nor let findings depend on what a worker did before.
//
// # Words
//
// A line is the content of a row or column, regardless of where its vehicles are:
// their lengths in order, and the places of the walls. A family is the boards that
// share all their lines. Vehicles never pass one another, so a family is closed under
// moves. A placement is where the vehicles of a line are. The placements of all rows
// together are numbered by a [rowSet]; those of the columns that fit between them are
// a product, as columns share no cells.
//
// # From a unit to its puzzles
//
// A unit is the families that share their rows. A worker visits the lines of the
// columns depth first, with the set of row placements that remain ([worker.walk]).
// For each family it finds the clusters without visiting states one by one ([boxes]), from
// what is joined in all families that differ in the last column only ([frame]),
// the distances of clusters with a goal in words of 64 states ([space]), and whether
// the hardest board is minimal ([minimality]), mostly by looking up what the unit has
// found before ([ledger]).
package rushhour
