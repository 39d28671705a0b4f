// Package sokoban solves Sokoban levels. It holds the solvers described in the
// literature, developed step by step, so that they can be compared:
//
//   - iterative deepening A* in the versions of a paper of 2001: the lower bound is
//     each box's distance to its nearest target (version 1), or a minimum matching of
//     boxes and targets (2); with a hash table of positions and the depth they were
//     searched to (3); with the pushes of the last pushed box first (4);
//   - the same with everything found since (version 5): the bound takes the player's
//     region into account, pairs of boxes that obstruct each other add to it, and dead
//     positions and pushes that can wait are pruned;
//   - A* with the same bound, by pushes, by moves of the player, or weighted for speed;
//   - feature-space search, for any solution of levels too large for the others.
//
// A solver answers in one of three ways: a solution, a proof that there is none, or
// that its limits were reached. It must never call a solution optimal that is not,
// nor a solvable level unsolvable: everything it prunes is proved useless, and a full
// table forgets positions but never confuses them.
//
// The package performs no I/O, starts no goroutine and reads no clock. Solvers are
// deterministic: the same level and node limit give the same nodes.
package sokoban
