// Package flat finds out where the places of a puzzle lie in the plane, from what its
// moves do to them, and draws its states there: on a grid whose rows and columns turn, on
// rings, on rings that touch or cross, or else side by side.
//
// It must never know labels, keys or turns of pieces: a move is where pieces go. The same
// moves always give the same picture.
package flat
