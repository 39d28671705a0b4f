// Package syntax takes the text of a PuzzleScript game apart: sections, objects,
// legend, sounds, collision layers, and the lines of rules, win conditions and
// levels. What is wrong it says in the words of the language's reference
// implementation, because those are what designers know and search for.
//
// It must never decide what a rule means, nor stop at the first fault: a game with
// faults is read as far as the reference reads it.
package syntax
