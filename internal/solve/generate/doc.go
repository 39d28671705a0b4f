// Package generate searches for hard Rush Hour boards where there are too many to
// enumerate: it changes a board slightly, explores everything reachable from the
// changed board, and continues from the hardest state there.
//
// The score of a board is exact: the greatest distance to a goal among all states
// reachable from it. A board with more states than allowed has no score and is
// skipped.
//
// A search is divided into independent restarts. Each draws its random numbers from
// the seed and its own number, so its findings depend on nothing else: neither on the
// machine nor on how many restarts run at a time. A time limit affects only how many
// restarts there are.
//
// The package must never print, or read a clock or a file.
package generate
