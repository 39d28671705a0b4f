// Package proof checks that a run has found what it should: every reachable state, in
// exactly the layer of its depth and with the right link, and every state's goal
// distance. It treats what is stored as a claim about a graph, each part of which
// neighbours can refute:
//
//   - layer 0 holds the start states;
//   - every successor of a state at depth d is stored, at depth d+1 or less;
//   - every state at depth d above 0 is a successor of one at depth d-1, and its
//     link is the least move that leads there from such a state;
//   - the states at goal distance 0 are the goals; every other one's distance is
//     one more than the least of its successors', and its link says by which move;
//     a state without a distance has no successor with one.
//
// By induction over the depth, exactly one space satisfies all of these.
//
// States are divided into buckets by a hash of their keys. Successors, generated
// anew, go to the bucket of their key, where each is looked up in a table: at once if
// all tables fit in memory, otherwise through files. An interrupted check resumes
// with the buckets that it had not yet expanded.
//
// This package shares no code with what found the states: neither the order of
// records, nor exchange, tables, sorting and archives. It shares only the reading of
// blocks and the puzzle's own functions (Starts, Successors, Goals); it never uses
// Onward, Predecessors, Apply or Undo. It must never write to a run, and never accept
// a digest or a count of the run's as proof.
package proof
