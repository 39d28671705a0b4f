// Package puzzlescript reads levels of PuzzleScript games as puzzles. Packages
// below it read, compile and run the language; this one finds out what of a level
// can change, and makes a key of it.
//
// A state is a level at rest: the turns that the command again asks for are over. A
// move is one of the inputs of a player, and one that changes nothing is none. A
// level that fulfils its win conditions is a goal and goes on like any other; one
// that the command win has ended does not go on.
//
// It must never take a game whose moves are left to chance or to a clock, nor let
// a game run without end: such a puzzle breaks down with the line of the rule.
package puzzlescript
