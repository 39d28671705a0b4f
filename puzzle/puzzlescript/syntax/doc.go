// Package syntax parses the text of a PuzzleScript game: sections, objects, legend,
// sounds, collision layers, and the lines of rules, win conditions and levels. Its
// messages use the words of the language's reference implementation, because designers
// know and search for those.
//
// It must never decide what a rule means, nor stop at the first fault: a game with
// faults is read as far as the reference reads it.
package syntax
