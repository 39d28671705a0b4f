// Package sokoban solves Sokoban levels. It holds the solvers that the literature
// describes, grown step by step, so that they can be compared:
//
//   - iterative deepening A* in the versions of a paper of 2001: the lower bound is
//     each box's way to its nearest target (version 1), a minimum matching of boxes
//     and targets (2); with a hash table of positions and the depth they were
//     searched to (3); with the pushes of the last pushed box first (4);
//   - the same with all that was found since (version 5): where the player stands
//     counts in the bound, pairs of boxes that are in each other's way add to it,
//     and positions that are lost, or pushes that can wait, are left out;
//   - A* with the same bound, by pushes, by moves of the player, or in a hurry.
//
// A solver answers in one of three ways: a solution, the proof that there is none,
// or that its limits were reached. It must never give a solution as optimal that is
// not, nor call a level unsolvable that is not: whatever is left out is proved to be
// of no use, and a table that is full forgets, but never mistakes one position for
// another.
//
// The package performs no I/O, starts no goroutine and reads no clock. Solvers are
// deterministic: the same level and limit of nodes give the same nodes.
package sokoban
