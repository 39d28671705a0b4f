// Package folding numbers the states of a permutation puzzle in blocks that its
// symmetries map to one another, so that a table holds one block of each orbit
// (puzzle.Fold).
//
// The outer coordinates of a state give its block, the inner ones its item. They are
// chosen so that the image of a block under a symmetry depends on the block alone, and
// the image of an item on the item, the symmetry and at most the parity of the block.
//
// It must never know a notation, nor change what a key is. A Space is immutable and safe
// for concurrent use.
package folding
