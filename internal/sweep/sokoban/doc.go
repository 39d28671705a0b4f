// Package sokoban enumerates the goal sets of a Sokoban room: all ways to choose
// as many of its cells as there are boxes. For each it finds all states from which
// the boxes can be pushed there, backwards from the solved ones, and the hardest
// start among them.
//
// A state is where the boxes are, and the region that the player can walk in; a
// move is one push of one box by one cell. All regions that the player may be in
// when the boxes are on their targets are solved states. A unit of work is a range
// of goal sets.
//
// The package takes pushes back as package puzzle/sokoban does. It must never do
// I/O, nor find anything that depends on what a worker did before.
package sokoban
