// Package sokoban generates the states and moves of Sokoban levels: a player
// walks on the cells between walls and pushes boxes, one at a time and never
// pulling, until every box stands on a target.
//
// The package must never print, log, read a clock or a file, start a goroutine or keep
// state between calls; it imports the standard library and puzzle/... only. A puzzle
// is immutable and safe for concurrent use. The same level always has the same keys,
// move ids and order of successors: stored runs depend on them.
//
// # States
//
// The cells of a level are those that the player could walk to if there were no boxes,
// numbered row by row. Everything else is not part of the puzzle. Dead states are
// kept: nothing is pruned unless the header prune asks for it.
//
//   - push: a state is the set of boxes and the region that the player can walk
//     in; a move pushes one box by one cell.
//   - move: a state is the set of boxes and the player's cell; a move is one step.
//   - backward-push: the states of push, starting from the solved ones; a move undoes
//     a push. Depth is the least number of pushes to a solved state.
//
// # Keys and moves
//
// A key is the rank of the set of boxes, times the number of cells, plus the player's
// cell; for push that is the least cell of the region. [codec] describes the ranking
// of sets, and keys that do not fit a word.
//
// The move ids of push are 4*cell+direction, where cell is the box's before the push;
// those of backward-push name the push that is undone. The ids of move are
// 2*direction, plus 1 if the step pushes a box. Directions are up, down, left, right.
package sokoban
