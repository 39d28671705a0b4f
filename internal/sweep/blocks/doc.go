// Package blocks enumerates all placements of the pieces of a sliding block board in
// its box, finds the clusters of placements reachable from one another, and for each
// cluster with a goal state the hardest board.
//
// There is one unit of work: clusters are known only once they have been explored,
// and nothing simpler than moves tells which placements share one. It is explored in
// memory.
//
// The moves, the goal and the notation are those of package puzzle/blocks. The
// package must never do I/O, nor let findings depend on what a worker did before.
package blocks
