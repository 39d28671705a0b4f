// Package game compiles the source of a PuzzleScript game: names become sets of
// objects, lines of rules become rules in one direction each whose cells are masks,
// levels become cells.
//
// It must never run a rule, nor read text other than through package syntax. What
// is wrong it says in the words of the language's reference implementation, as
// package syntax does. A compiled game is immutable.
package game
