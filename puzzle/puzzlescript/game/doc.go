// Package game compiles the source of a PuzzleScript game: names become sets of
// objects, lines of rules become rules in one direction with masks as cells, and
// levels become cells.
//
// It must never run a rule, nor read text other than through package syntax. Its
// messages use the words of the language's reference implementation, as those of
// package syntax do. A compiled game is immutable.
package game
