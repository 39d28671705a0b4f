// Package sokoban enumerates the goal sets of a Sokoban room: all choices of as many
// of its cells as there are boxes. For each it finds all states from which the boxes
// can be pushed there, by retrograde analysis from the solved states, and the hardest
// start among them.
//
// A state is the cells of the boxes and the region that the player can walk in; a
// move is one push of one box by one cell. With the boxes on their targets, every
// region that the player may be in is a solved state. A unit of work is a range of
// goal sets.
//
// The package takes pushes back as package puzzle/sokoban does. It must never do I/O,
// nor let findings depend on what a worker did before.
package sokoban
