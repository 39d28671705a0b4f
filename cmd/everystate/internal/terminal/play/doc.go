// Package play is the terminal player: it shows a board, steps along a way
// through the states, and lets a person make moves. A [Model] is told of keys and
// answers with the text of a screen.
//
// It must never read, print, look at a clock or search for a solution itself: what
// it wants to know of a state it asks its [Guide], in commands that whoever runs
// the model carries out beside it.
package play
