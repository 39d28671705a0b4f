// Package mirror finds out under which reflections and rotations of the board the rules
// of a PuzzleScript game remain the same, as far as it can prove that.
//
// Two things must hold. The rules that may match during a turn must be mapped to those
// that may match during a turn with the mapped input: Rules.Under compares them. And no
// result may depend on an order: the language applies the rules of a group one after
// another, the matches of a rule from the first cell on, and movements cell by cell,
// and a reflection changes all three orders. Examine looks for that.
//
// # What may match
//
// A layer of a cell holds one object or none, and its movements. For each input, a
// turn is followed through these contents without regard to the other layers and
// cells: contents that a rule may match add those that it may write. A rule that
// requires what never occurs is left out, as are the rules for the other directions
// when the player moves right.
//
// # Groups
//
// A match is a place of the one row of a rule that writes, while the other rows match
// somewhere; a rule that writes in several rows has a match per combination. Let two
// matches share a cell, which requires contents that suit both. Examine demands that
// after either is written the other still matches, and that both orders of writing lead
// to the same contents. Then two steps from one board can each be followed by at most
// one step to the same board, so every order ends with the same board, if it ends; a
// match that has been found is found in every order, so the same commands are queued;
// and an order of m rules takes at most m times as many rounds as any other, and one
// more. The language ends a group after 200 rounds, wherever it is then. So a machine
// must stop a group of several rules far earlier: Rules.Rounds says when. A group of
// which one rule may match takes the same rounds in any order.
//
// # Movements
//
// Objects of one layer must all move in the same direction. Then no two of them compete
// for a cell, and all can move that could in another order.
//
// It must never claim a symmetry that it cannot prove. It knows nothing of levels.
// Everything in it is immutable and safe for concurrent use.
package mirror
