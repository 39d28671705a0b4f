// Package proof checks that a run has found what it should: every state that can
// be reached, each in the one layer of its depth, with the right link, and every
// state's goal distance. What is stored is taken as a claim about a graph, and
// each part of the claim is one that neighbours can refute:
//
//   - layer 0 holds the start states;
//   - every successor of a state at depth d is stored, at depth d+1 or less;
//   - every state at depth d above 0 is a successor of one at depth d-1, and its
//     link is the least move that leads there from such a state;
//   - the states at goal distance 0 are the goals; every other one's distance is
//     one more than the least of its successors', and its link says by which move;
//     a state without a distance has no successor with one.
//
// By induction over the depth there is one space of which all that is true.
//
// States are put into buckets by a hash of their keys. Successors, generated again,
// go to the bucket of their key, where each is looked up in a table: at once if all
// tables fit in memory, else through files. A check that is interrupted goes on from
// the buckets that it had expanded.
//
// This package shares no code with what found the states: neither the
// order of records, nor exchange, tables, sorting and archives. What it shares is
// the reading of blocks and the puzzle's own functions (Starts, Successors, Goals);
// it never uses Onward, Predecessors, Apply or Undo. It must never write to a run,
// and never take a digest or a count of the run's for a proof.
package proof
