// Package rushhour enumerates all Rush Hour boards of some rules, in units of
// work, and finds their clusters and the puzzles among them.
//
// It is a pure function of the rules and the number of a unit, and shares no code
// with package puzzle/rushhour, which explores single boards: each is a check of
// the other. It must never do I/O, nor find anything that depends on what a worker
// did before.
//
// # Words
//
// A line is what a row or a column holds, but for where: the lengths of its
// vehicles in order, and the places of its walls. A family is the boards that
// share all their lines. Vehicles never pass one another, so that a family is
// closed under moves. A placement is where the vehicles of a line are; the
// placements of all rows together are numbered by a [rowSet], and those of the
// columns that fit between them are a product, as columns share no cells.
//
// # From a unit to its puzzles
//
// A unit is the families that share their rows. A worker goes through the lines
// of the columns depth first, with the set of row placements that are left
// ([worker.walk]); for each family it finds the clusters without looking at
// states one by one ([boxes]), the distances of those that have a goal in words
// of 64 states ([space]), and whether the hardest board is minimal
// ([minimality]), mostly by looking up what the unit has found before ([ledger]).
package rushhour
