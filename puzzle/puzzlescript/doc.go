// Package puzzlescript reads levels of PuzzleScript games as puzzles. The packages
// below it read, compile and run the language; this one finds out which parts of a
// level can change, and makes keys of them.
//
// A state is a level at rest: the turns that the command "again" asks for are over. A
// move is an input of the player; an input that changes nothing is not a move. A level
// that fulfils its win conditions is a goal, with successors like any other; one ended
// by the command "win" has none.
//
// It must never accept a game whose moves depend on chance or a clock, nor let a game
// run without end: such a puzzle fails with the line of the rule.
package puzzlescript
