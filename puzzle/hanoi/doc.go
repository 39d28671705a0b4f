// Package hanoi generates the states and moves of the Tower of Hanoi: discs of
// different sizes on 3 to 8 pegs. The uppermost disc of a peg moves to a peg that is
// empty or whose uppermost disc is larger.
//
// The package must never print, log, read a clock or a file, start a goroutine or keep
// state between calls. A puzzle is safe for concurrent use. The same board always has
// the same keys, move ids and order of successors: stored runs depend on them.
//
// # Boards
//
// The body of a file is one line, the size of the puzzle or an arrangement:
//
//	3 pegs 4 discs          all discs start on the first peg
//	1 1 3 2                 the peg of each disc, the largest disc first
//
// The headers, besides puzzle, name, moves and states, are
//
//	metric: disc            one disc moves
//	rule: any               any: to any peg; adjacent: to a neighbouring peg;
//	                        cyclic: to the next peg, from the last to the first
//	pegs: 3                 of an arrangement; without it, as many as its largest
//	                        number, and at least 3
//	goal: 3 3 3 3           an arrangement; without it, all discs on the last peg
//
// # Keys and moves
//
// A key is the arrangement as a number in the base of the pegs, the largest disc most
// significant: every number below pegs^discs is a state. Keys are in the order of the
// arrangements.
//
// A move is a pair of pegs that the rule allows. Ids count by the peg it leaves, then
// by the peg it goes to. It is written 1-3. The state determines which disc moves.
package hanoi
