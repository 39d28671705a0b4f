// Package permutation generates the states and moves of permutation puzzles: pieces at
// places, possibly turned in one of several ways, and moves with the same effect in
// every state. It reads stacks of pancakes, rings of tokens, turning cubes, and any
// other such puzzle that a file describes.
//
// The package must never print, log, read a clock or a file, start a goroutine or keep
// state between calls. A puzzle is safe for concurrent use. The same board always has
// the same keys, move ids and order of successors: stored runs depend on them.
//
// # Families
//
// One machine runs four families, which differ in notation:
//
//   - permutation: pieces and moves are defined by the file.
//   - pancake: a stack, top to bottom; a flip reverses the topmost pancakes. In
//     burnt-pancake, pancakes have a sign, which a flip changes.
//   - topspin: a ring of tokens in which any run of neighbours of a fixed length is
//     reversed. A ring is written from token 1 on; its mirror image is another state.
//   - pocket-cube: the 2x2x2 cube.
//
// # Files of permutation
//
//	puzzle: permutation
//	pieces: 4               the number of pieces, 1 to 4; or their names in solved order,
//	                        the same name for pieces that look alike
//	orientations: 3         the number of ways a piece can lie; or one number per place
//	start: 2+1 1 3 4        which piece lies at each place, and its turn
//	goal: 1 2 3 4           the same, or none
//
//	move A: (1 2 3)         the piece at place 1 goes to 2, that at 2 to 3, that at 3 to 1
//	move B, B': (1+2 4+1)   a piece is turned by this much as it leaves a place; B' undoes B
//	move C: 2 1 3 4+1       the piece from place 2 arrives at place 1, ...
//	move D: A B'            one move after the other
//
// In the solved arrangement each piece is at its own place. It is the goal if the file
// names none, and the start if it names none. Move ids are in the order of definition.
// The puzzle is reversible if each move has its inverse among them.
//
// Definitions of other programs are read too (package definition) and converted to
// such a file, which is their canonical text. docs/NOTATIONS.md describes the other
// headers.
//
// # Keys
//
// Places whose pieces the moves mix form an orbit. A key is the number of a state in
// the product of all orbits' permutations and turns, see [coder]. If that does not fit
// a word, a key has one field per place.
package permutation
