// Package blocks enumerates all ways to place the pieces of a sliding block board
// in its box, finds the clusters of placements that can be reached from one another,
// and of each that has a goal state the hardest board.
//
// There is one unit of work: clusters are known only when they have been explored,
// and nothing simpler than moves says which placements are of one cluster. It is
// explored in memory.
//
// The moves, the goal and the notation are those of package puzzle/blocks. The
// package must never do I/O, nor find anything that depends on what a worker did
// before.
package blocks
