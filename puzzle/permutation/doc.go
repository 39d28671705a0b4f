// Package permutation generates the states and moves of permutation puzzles:
// pieces at places, each maybe turned in one of several ways, and moves that
// always do the same, whatever lies where: stacks of pancakes, rings of tokens,
// turning cubes, and any other that a file describes.
//
// The package must never print, log, read a clock or a file, start a goroutine
// or keep state between calls. A puzzle is safe for concurrent use. The same
// board always has the same keys, the same move ids and the same order of
// successors: stored runs depend on them.
//
// # Families
//
// One machine runs four families, which differ in what is written:
//
//   - permutation: pieces and moves as the file says.
//   - pancake: a stack, top to bottom; a flip turns the first so many over. As
//     burnt-pancake the pancakes have a sign, which a flip changes.
//   - topspin: a ring of tokens of which any so many neighbours are reversed. A
//     ring is written from token 1 on; its mirror image is another state.
//   - pocket-cube: the cube of 2x2x2.
//
// # Files of permutation
//
//	puzzle: permutation
//	pieces: 4               so many, 1 to 4; or their names in solved order,
//	                        equal ones for pieces that look alike
//	orientations: 3         in how many ways a piece can lie; or a number a place
//	start: 2+1 1 3 4        which piece lies at each place, and its turn
//	goal: 1 2 3 4           the same, or none
//
//	move A: (1 2 3)         the piece at place 1 goes to 2, that at 2 to 3, that at 3 to 1
//	move B, B': (1+2 4+1)   as the piece leaves a place it is turned by so much; B' takes B back
//	move C: 2 1 3 4+1       at place 1 arrives the piece from place 2, ...
//	move D: A B'            one move after the other
//
// Pieces stand at their own places in the solved arrangement, which is the goal
// if the file names none, and the start if it names none. Moves have ids in the
// order of definition. Where each has its inverse among them, the puzzle is
// reversible.
//
// Definitions of other programs are read too (package definition) and become such a
// file, which is their canonical text. docs/NOTATIONS.md has the other headers.
//
// # Keys
//
// Places that the moves mix are an orbit. A key is the number of a state in
// the product of all orbits' permutations and turns, see [coder]; if that is too
// large for a word, a field a place.
package permutation
