// Package generate looks for hard boards of Rush Hour where there are too many to
// go through: it changes a board a little, explores all that the changed board can
// reach, and goes on from the hardest state there.
//
// The score of a board is exact: the greatest distance to a goal of all states that
// it can reach. A board with more states than may be explored has no score and is
// passed over.
//
// A search is cut into restarts that know nothing of one another. Each draws its
// random numbers from the seed and its own number, so that what it finds depends on
// nothing else: neither on the machine, nor on how many restarts go on at a time. A
// limit of time decides how many of them there are, and nothing else.
//
// The package must never print, or read a clock or a file.
package generate
