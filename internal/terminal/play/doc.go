// Package play is the terminal player: it shows a board, steps along a path, and
// lets a person make moves. A [Model] takes keys and returns the text of a screen.
//
// It must never read, print, look at a clock or search for a solution itself: it
// asks its [Guide] about states, in commands that the caller runs concurrently.
package play
